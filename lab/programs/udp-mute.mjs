// udp-mute.mjs PORT: takes datagrams and never answers.
import { createSocket } from 'node:dgram';

createSocket('udp4').bind(Number(process.argv[2]), () => console.log('ready'));

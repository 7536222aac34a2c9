// udp-echo.mjs PORT NAME: returns each datagram with NAME and a blank before it.
import { createSocket } from 'node:dgram';

const [port, name] = process.argv.slice(2);
const socket = createSocket('udp4');
socket.on('message', (data, from) =>
  socket.send(Buffer.concat([Buffer.from(`${name} `), data]), from.port, from.address),
);
socket.bind(Number(port), () => console.log('ready'));

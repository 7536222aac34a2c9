// udp-session.mjs HOST PORT INTERVAL_MS: one UDP socket; a numbered datagram each interval until SIGTERM.
// Prints `ready` after the first answer; on SIGUSR2 and at the end one line of JSON:
// { sent, received, runs: [{ server, answers, first, last (Unix ms) }] }, a new run whenever another server answers.
import { createSocket } from 'node:dgram';

const [host, port, interval] = process.argv.slice(2);
const state = { sent: 0, received: 0, runs: [] };

const socket = createSocket('udp4');
const timer = setInterval(() => socket.send(`${++state.sent}`, Number(port), host), Number(interval));
socket.on('message', (data) => {
  const server = `${data}`.split(' ')[0];
  if (state.received++ === 0) console.log('ready');
  let run = state.runs.at(-1);
  if (run?.server !== server) {
    run = { server, answers: 0, first: Date.now(), last: 0 };
    state.runs.push(run);
  }
  run.answers += 1;
  run.last = Date.now();
});
// A port that is closed meanwhile says so: the sender goes on.
socket.on('error', () => {});
process.on('SIGUSR2', () => console.log(JSON.stringify(state)));
process.on('SIGTERM', () => {
  clearInterval(timer);
  setTimeout(() => process.stdout.write(`${JSON.stringify(state)}\n`, () => process.exit(0)), 300);
});

// tcp-session.mjs HOST PORT INTERVAL_MS: one TCP connection to an echo; a numbered line each interval until SIGTERM.
// Prints `ready SERVER` after the first answer, at the end one line of JSON:
// { server, sent, received, longestGap (ms between answers), error }.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const [host, port, interval] = process.argv.slice(2);
const state = { server: '', sent: 0, received: 0, longestGap: 0, error: '' };
let last = performance.now();
let ending = false;

const socket = connect({ host, port: Number(port), noDelay: true });
const timer = setInterval(() => {
  if (!ending) socket.write(`${++state.sent}\n`);
}, Number(interval));
const lines = createInterface({ input: socket });
lines.on('error', () => {}); // readline hands on the socket's
lines.on('line', (line) => {
  const [server, number] = line.split(' ');
  if (state.received === 0) console.log('ready', server);
  if (state.server !== '' && state.server !== server) finish(`server changed to ${server}`);
  state.server = server;
  state.received += 1;
  if (Number(number) !== state.received) finish(`line ${number} in the place of ${state.received}`);
  state.longestGap = Math.max(state.longestGap, Math.round(performance.now() - last));
  last = performance.now();
  if (ending && state.received === state.sent) finish('');
});
socket.on('error', (error) => finish(error.code ?? error.message));
socket.on('close', () => finish('closed by the peer'));
process.on('SIGTERM', () => {
  ending = true;
  clearInterval(timer);
  if (state.received === state.sent) finish('');
  setTimeout(() => finish('no answer to the last line'), 5000);
});
process.on('SIGUSR2', () => console.log(JSON.stringify(state)));

function finish(error) {
  state.error = error;
  state.longestGap = Math.max(state.longestGap, Math.round(performance.now() - last));
  process.stdout.write(`${JSON.stringify(state)}\n`, () => process.exit(error === '' ? 0 : 1));
}

// standing-connections.mjs ADDRESS PORT CONNECTIONS INTERVAL_MS: opens connections to a line echo and sends a line on
// each in every interval until SIGTERM. Prints `ready` when every one has had an answer, at the end one line of JSON:
// { open, lines, errors, reasons }.
import { connect } from 'node:net';

const [address, port, connections, interval] = process.argv.slice(2);
const total = { open: 0, lines: 0, errors: 0, reasons: {} };
let ending = false;
const sockets = [];

for (let i = 0; i < Number(connections); i++) {
  const socket = connect({ host: address, port: Number(port), noDelay: true });
  await new Promise((resolve) => {
    socket.once('data', () => {
      total.open += 1;
      resolve();
    });
    socket.on('error', ({ message }) => {
      total.errors += 1;
      total.reasons[message] = (total.reasons[message] ?? 0) + 1;
      resolve();
    });
    socket.on('connect', () => socket.write('first\n'));
  });
  socket.on('data', () => {
    total.lines += 1;
  });
  socket.on('close', () => {
    if (!ending) total.errors += 1;
  });
  sockets.push(socket);
}
console.log('ready');

let next = 0;
const perTick = Math.ceil((sockets.length * 10) / Number(interval));
const timer = setInterval(() => {
  for (let i = 0; i < perTick; i++) sockets[next++ % sockets.length].write('again\n');
}, 10);
process.on('SIGTERM', () => {
  ending = true;
  clearInterval(timer);
  process.stdout.write(`${JSON.stringify(total)}\n`, () => process.exit(0));
});

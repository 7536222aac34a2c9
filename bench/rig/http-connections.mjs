// http-connections.mjs ADDRESS PORT CONNECTIONS CONCURRENCY: one GET on each connection, the server closes it.
// Prints one line of JSON: { ok, failed, seconds, servers: {name: count}, errors: {message: count} }.
// Bare sockets: node:http would cost more than what is measured.
import { connect } from 'node:net';

const [address, port, connections, concurrency] = process.argv.slice(2);
const request = Buffer.from('GET / HTTP/1.0\r\nHost: vip\r\n\r\n');
const total = { ok: 0, failed: 0, seconds: 0, servers: {}, errors: {} };
let left = Number(connections);

function once() {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: address, port: Number(port), noDelay: true });
    socket.setTimeout(10_000, () => socket.destroy(new Error('timeout')));
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', (error) => count(error.code ?? error.message));
    socket.on('end', () => {
      const server = /^HTTP\/1\.1 200 [\s\S]*"server":"([^"]+)"/.exec(text)?.[1];
      if (server === undefined) count('no answer');
      else {
        total.ok += 1;
        total.servers[server] = (total.servers[server] ?? 0) + 1;
      }
    });
    socket.on('close', resolve);
  });
}

function count(error) {
  total.failed += 1;
  total.errors[error] = (total.errors[error] ?? 0) + 1;
}

async function worker() {
  while (left-- > 0) await once();
}

const start = performance.now();
await Promise.all(Array.from({ length: Number(concurrency) }, worker));
total.seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify(total));

// http-load.mjs URL CONCURRENCY TIMEOUT_MS: GETs, each on a connection of its own, until SIGTERM; then one line of JSON:
// { requests, failed, servers: {name: count}, errors: {message: count}, slowest (ms) }.
// On SIGUSR2 it prints the same for the requests so far.
import { Agent, get } from 'node:http';

const [url, concurrency, timeout] = process.argv.slice(2);
const agent = new Agent({ keepAlive: false });
const total = { requests: 0, failed: 0, servers: {}, errors: {}, slowest: 0 };
let ending = false;

async function worker() {
  while (!ending) {
    const start = performance.now();
    try {
      const { server } = JSON.parse(await fetchOnce());
      total.servers[server] = (total.servers[server] ?? 0) + 1;
    } catch (error) {
      total.failed += 1;
      const text = error.code ?? error.message;
      total.errors[text] = (total.errors[text] ?? 0) + 1;
    }
    total.requests += 1;
    total.slowest = Math.max(total.slowest, Math.round(performance.now() - start));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function fetchOnce() {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, timeout: Number(timeout) }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(body) : reject(new Error(`status ${response.statusCode}`)),
      );
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', reject);
  });
}

process.on('SIGUSR2', () => console.log(JSON.stringify(total)));
process.on('SIGTERM', () => {
  ending = true;
});
console.log('ready');
await Promise.all(Array.from({ length: Number(concurrency) }, worker));
console.log(JSON.stringify(total));

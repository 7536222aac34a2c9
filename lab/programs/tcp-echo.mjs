// tcp-echo.mjs PORT NAME: returns each line with NAME and a blank before it.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const [port, name] = process.argv.slice(2);
createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  createInterface({ input: socket })
    .on('line', (line) => socket.write(`${name} ${line}\n`))
    .on('error', () => {}); // readline hands on the socket's
}).listen(Number(port), '0.0.0.0', 4096, () => console.log('ready'));

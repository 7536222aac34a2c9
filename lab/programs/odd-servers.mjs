// odd-servers.mjs TIMEOUT_MS PORT=KIND…: HTTP servers, good ones and deliberately bad ones, one on each port.
import { createServer } from 'node:net';

const [timeout, ...servers] = process.argv.slice(2);
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** What each does with a connection whose request has come. */
const answers = {
  good: (socket) => socket.end(OK),
  /** Accepts and says nothing. */
  mute: () => {},
  /** A byte at a time, each within the time-out. */
  drip: (socket) => drip(socket, OK, 0.9 * Number(timeout)),
  bytes: (socket) => drip(socket, OK, 1),
  huge: (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1 << 20}\r\n\r\n`);
    socket.end(Buffer.alloc(1 << 20, 'x'));
  },
  chunked: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (let n = 0; n < 100; n++) socket.write('3\r\nabc\r\n');
    socket.end('0\r\n\r\n');
  },
  interim: (socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
    setTimeout(() => socket.end(OK), 20);
  },
  /** Nothing but interim answers. */
  interims: (socket) => {
    const more = () => {
      for (let room = true; room && !socket.destroyed; ) room = socket.write('HTTP/1.1 102 Wait\r\n\r\n');
    };
    socket.on('drain', more);
    more();
  },
  /** RST in the middle of the status line. */
  reset: (socket) => {
    socket.write('HTTP/1.1 20');
    setTimeout(() => socket.resetAndDestroy(), 20);
  },
  fin: (socket) => socket.end(),
  half: (socket) => socket.end('HTTP/1.1 20'),
  banner: (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  unwell: (socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'),
};

function drip(socket, text, ms) {
  let at = 0;
  const timer = setInterval(() => {
    if (at < text.length) socket.write(text[at++]);
    else socket.end();
  }, ms);
  socket.write(text[at++]);
  socket.on('close', () => clearInterval(timer));
}

await Promise.all(
  servers.map((server) => {
    const [port, kind] = server.split('=');
    const listener = createServer({ noDelay: true }, (socket) => {
      let request = '';
      socket.on('error', () => {});
      socket.setEncoding('latin1').on('data', (text) => {
        const before = request.includes('\r\n\r\n');
        request += text;
        if (!before && request.includes('\r\n\r\n')) answers[kind](socket);
      });
    });
    return new Promise((resolve) => listener.listen(Number(port), '0.0.0.0', 1024, resolve));
  }),
);
console.log('ready');

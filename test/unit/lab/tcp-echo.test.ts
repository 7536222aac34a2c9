import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function ask(socket: Socket): Promise<string> {
  socket.write('hello\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}

it('the echo server of the lab survives a client that resets its connection', async () => {
  const port = await freePort();
  const echo = spawn(process.execPath, ['lab/programs/tcp-echo.mjs', String(port), 'be1']);
  try {
    await once(echo.stdout, 'data');
    for (let i = 0; i < 3; i++) {
      const socket = connect(port, '127.0.0.1');
      expect(await ask(socket)).toBe('be1 hello\n');
      socket.write('never read\n');
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    expect(echo.exitCode).toBeNull();
  } finally {
    echo.kill('SIGKILL');
  }
});

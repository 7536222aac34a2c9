import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

/** A command that ovs-vswitchd refused, or that never reached it. */
export class UnixctlError extends Error {
  override readonly name = 'UnixctlError';
  constructor(
    readonly code: 'unreachable' | 'refused' | 'timeout' | 'protocol',
    readonly command: string,
    detail: string,
  ) {
    super(`ovs-vswitchd, ${command}: ${detail}`);
  }
}

export interface Unixctl {
  /** Runs one command as `ovs-appctl` does and returns its output. */
  call(command: string, ...args: string[]): Promise<string>;
}

export interface UnixctlOptions {
  /** Path of the control socket, or `auto`: found through the pid file in the run directory. */
  readonly socket: string;
  /** Default: OVS_RUNDIR, else /var/run/openvswitch. */
  readonly rundir?: string;
  /** ms for one command. Default 10,000. */
  readonly timeoutMs?: number;
  /** Bytes of an answer beyond which it is refused. Default 256 MiB. */
  readonly maxAnswer?: number;
}

/** The control socket of ovs-vswitchd: `NAME.PID.ctl` beside its pid file, as ovs-appctl(8) looks it up. */
export async function findSocket(rundir: string): Promise<string> {
  const pidfile = join(rundir, 'ovs-vswitchd.pid');
  const pid = await readFile(pidfile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UnixctlError(
      'unreachable',
      'pidfile',
      `${pidfile}: ${error.code === 'ENOENT' ? 'not running' : error.message}`,
    );
  });
  if (!/^\d+\s*$/.test(pid)) throw new UnixctlError('protocol', 'pidfile', `${pidfile} holds no pid`);
  return join(rundir, `ovs-vswitchd.${pid.trim()}.ctl`);
}

/** JSON-RPC 1.0 over the control socket: one connection per command, because the daemon may restart in between. */
export function unixctl(options: UnixctlOptions): Unixctl {
  const rundir = options.rundir ?? process.env.OVS_RUNDIR ?? '/var/run/openvswitch';
  return {
    call: async (command, ...args) => {
      const socket = options.socket === 'auto' ? await findSocket(rundir) : options.socket;
      return callOnce(socket, command, args, options.timeoutMs ?? 10_000, options.maxAnswer ?? 1 << 28);
    },
  };
}

function callOnce(
  path: string,
  command: string,
  args: readonly string[],
  timeoutMs: number,
  maxAnswer: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const socket = connect(path);
    const timer = setTimeout(() => fail('timeout', `no answer within ${timeoutMs} ms`), timeoutMs);
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
    };
    const fail = (code: UnixctlError['code'], detail: string) => {
      done();
      reject(new UnixctlError(code, command, detail));
    };
    socket.on('error', (error) => fail('unreachable', `${path}: ${error.message}`));
    socket.on('end', () => fail('protocol', 'closed before the answer was complete'));
    socket.on('connect', () => socket.write(JSON.stringify({ id: 0, method: command, params: args })));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxAnswer) return fail('protocol', `more than ${maxAnswer} bytes of answer`);
      // An answer is one object; its last byte is the only `}` that can complete it.
      if (chunk[chunk.length - 1] !== 0x7d) return;
      const answer = parseAnswer(Buffer.concat(chunks).toString('utf8'));
      if (answer === undefined) return;
      done();
      if (answer.error !== null) reject(new UnixctlError('refused', command, answer.error.trim()));
      else resolve(answer.result ?? '');
    });
  });
}

function parseAnswer(text: string): { result: string | null; error: string | null } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { result, error } = value as { result?: unknown; error?: unknown };
    return {
      result: typeof result === 'string' ? result : null,
      error: error === null || error === undefined ? null : String(error),
    };
  } catch {
    return undefined;
  }
}

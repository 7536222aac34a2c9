import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi } from '../../../src/api/index.js';
import type { Io } from '../../../src/cli/io.js';
import { lbctl } from '../../../src/cli/lbctl.js';
import { type FakeModel, fakeModel } from '../api/fake-model.js';

export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** An agent's API without an agent, and the command that asks it. */
export interface Fixture {
  readonly model: FakeModel;
  readonly remote: string;
  run(...args: string[]): Promise<Outcome>;
  runWith(io: Partial<Io>, ...args: string[]): Promise<Outcome>;
  close(): Promise<void>;
}

export async function startFixture(): Promise<Fixture> {
  const dir = mkdtempSync(join(tmpdir(), 'hpnn-cli-'));
  const path = join(dir, 'agent.sock');
  const model = fakeModel();
  const log = { error: () => undefined, info: () => undefined };
  const api = await startApi({
    model,
    log,
    version: '0.1.0',
    trustLoopback: false,
    listen: [{ kind: 'unix', path }],
  });
  const remote = `unix:${path}`;
  const runWith = (io: Partial<Io>, ...args: string[]): Promise<Outcome> =>
    run({ ...io, env: { HPNN_API: remote, ...io.env } }, args);
  return {
    model,
    remote,
    run: (...args) => runWith({}, ...args),
    runWith,
    close: async () => {
      await api.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Ages are told from one minute after the samples were made. */
export const NOW = Date.parse('2026-01-02T03:06:00.000Z');

export async function run(io: Partial<Io>, args: readonly string[]): Promise<Outcome> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const status = await lbctl(
    args,
    {
      stdout: { write: (data) => out.push(Buffer.from(data)) },
      stderr: { write: (data) => err.push(Buffer.from(data)) },
      stdin: (async function* () {})(),
      env: {},
      isTty: false,
      interrupted: new AbortController().signal,
      ...io,
    },
    () => NOW,
  );
  return { status, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

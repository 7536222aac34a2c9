/**
 * agent.ts CONFIG_DIR: the built agent, with its inner numbers on demand. Says `ready` when it runs; each line on
 * standard input is a command, each answer one line of JSON on standard output: see `Answers`.
 */
import { createInterface } from 'node:readline';
import type { Agent } from '../../src/agent/agent.js';
import type { Loggers } from '../../src/agent/logging.js';
import type { AgentParts } from '../../src/agent/parts.js';
import type { Histogram } from '../../src/hc/index.js';

export interface Sample {
  /** Of this process: seconds of processor time, and `performance.now()`. */
  readonly cpu: number;
  readonly at: number;
  readonly sent: number;
  readonly succeeded: number;
  /** By reason. */
  readonly failed: Readonly<Record<string, number>>;
  readonly suspended: number;
  readonly online: number;
  readonly members: number;
  /** Counts of `health.lateness`, whose bounds are milliseconds. */
  readonly lateness: readonly number[];
  readonly latenessBounds: readonly number[];
  readonly rtt: readonly number[];
  readonly packetsIn: number;
  readonly packetsDropped: number;
}

export interface Fall {
  /** `performance.now()` of the first and the last verdict, and of when the switch had confirmed the last slot. */
  readonly firstVerdict: number;
  readonly lastVerdict: number;
  readonly confirmed: number;
}

const load = async <T>(path: string): Promise<T> =>
  (await import(new URL(`../../dist/agent/${path}`, import.meta.url).href)) as T;
const { Agent: BuiltAgent } = await load<{ Agent: typeof Agent }>('agent.js');
const { Loggers: BuiltLoggers } = await load<{ Loggers: typeof Loggers }>('logging.js');

const agent = await BuiltAgent.start(process.argv[2]!, new BuiltLoggers('error'));
const parts = (agent as unknown as { parts: AgentParts }).parts;
const { health, packetIo, sync } = parts;

const falls: number[] = [];
health.onTransitions((batch) => {
  for (const { to, at } of batch) if (to === 'ERROR') falls.push(at);
});

function sample(): Sample {
  const { user, system } = process.cpuUsage();
  const rows = health.status();
  const probe = packetIo.counters.classes.probe;
  return {
    cpu: (user + system) / 1e6,
    at: performance.now(),
    sent: Object.values(health.counters.sent).reduce((sum, n) => sum + n, 0),
    succeeded: health.counters.succeeded,
    failed: { ...health.counters.failed },
    suspended: health.counters.suspended,
    online: rows.filter(({ status }) => status === 'ONLINE').length,
    members: rows.length,
    lateness: counts(health.lateness),
    latenessBounds: health.lateness.bounds,
    rtt: counts(health.roundTrips),
    packetsIn: probe.received,
    packetsDropped: probe.dropped,
  };
}

function counts(histogram: Histogram): number[] {
  return [...histogram.counts];
}

/** Answers when so many members have fallen and nothing is left to be confirmed. */
async function fallen(members: number): Promise<Fall> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (falls.length < members || sync.summary().pending > 0) continue;
    return { firstVerdict: falls[0]!, lastVerdict: falls[members - 1]!, confirmed: performance.now() };
  }
}

const commands: Record<string, (argument: number) => unknown> = {
  sample,
  fallen,
  now: () => performance.now(),
  reload: () => agent.reload(),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const [name = '', argument] = line.split(' ');
  void Promise.resolve(commands[name]?.(Number(argument))).then((answer) =>
    console.log(JSON.stringify(answer ?? null)),
  );
});
process.stdin.on('end', () => process.exit(0));
console.log('ready');

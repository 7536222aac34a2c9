import { parseArgs } from 'node:util';
import { LOG_LEVELS, type LogLevel } from './logging.js';

/** What --help, the manual page and the parser are made from. */
export interface AgentOption {
  readonly name: string;
  /** Word for its value in texts; absent: a switch. */
  readonly value?: string;
  readonly standard?: string;
  readonly about: string;
}

export const SUMMARY = 'turns one Open vSwitch bridge into a multi-tenant router and load balancer';

export const OPTIONS: readonly AgentOption[] = [
  { name: 'config', value: 'DIR', standard: '/etc/hpnn', about: 'node.yaml and tenants.d/*.yaml' },
  {
    name: 'check',
    about: 'check the configuration, say what is wrong and where, and exit; DIR may stand without --config',
  },
  {
    name: 'log-level',
    value: 'LEVEL',
    standard: 'info',
    about: `${LOG_LEVELS.join(', ')}; while it runs: lbctl log MODULE:LEVEL`,
  },
  { name: 'version', about: 'print the version and exit' },
  { name: 'help', about: 'print this and exit' },
];

export const SIGNALS: readonly (readonly [string, string])[] = [
  ['SIGHUP', 'reads the configuration again, as does a change of the directory'],
  ['SIGTERM, SIGINT', 'end the agent; the switch goes on forwarding by what it has'],
];

export const STATUSES: readonly (readonly [string, string])[] = [
  ['0', 'ended by a signal; or --check found nothing wrong'],
  ['1', "wrong usage, a configuration that can't be started with; or --check found an error"],
];

export const EXAMPLES = ['hpnn-agent --config /etc/hpnn', 'hpnn-agent --check /etc/hpnn'] as const;

export interface CommandLine {
  readonly dir: string;
  readonly action: 'run' | 'check' | 'version' | 'help';
  readonly level: LogLevel;
}

/** @throws Error with words for the user */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: Object.fromEntries(
      OPTIONS.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
    ) as Record<string, { type: 'boolean' | 'string' }>,
  });
  const text = (name: string) =>
    (values[name] as string | undefined) ?? OPTIONS.find((option) => option.name === name)!.standard!;
  const action = (['help', 'version', 'check'] as const).find((name) => values[name] === true) ?? 'run';
  const [dir, ...more] = positionals;
  if (more.length > 0 || (dir !== undefined && (action !== 'check' || values.config !== undefined)))
    throw new Error(`unexpected argument ${more[0] ?? dir}; see hpnn-agent --help`);
  const level = text('log-level') as LogLevel;
  if (!LOG_LEVELS.includes(level)) throw new Error(`--log-level ${level}: one of ${LOG_LEVELS.join(', ')}`);
  return { dir: dir ?? text('config'), action, level };
}

export function flagsOf({ name, value }: AgentOption): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

export function helpText(): string {
  const width = Math.max(...OPTIONS.map((option) => flagsOf(option).length));
  const lines = OPTIONS.map(
    (option) =>
      `  ${flagsOf(option).padEnd(width)}  ${option.about}${option.standard === undefined ? '' : `; default ${option.standard}`}`,
  );
  return `Usage: hpnn-agent [--config DIR] [--log-level LEVEL]
       hpnn-agent --check [DIR]

${SUMMARY[0]!.toUpperCase()}${SUMMARY.slice(1)}.

${lines.join('\n')}

${SIGNALS.map(([signal, does]) => `${signal} ${does}.`).join('\n')}

Exit status: ${STATUSES.map(([status, when]) => `${status} ${when}`).join('. ')}.
`;
}

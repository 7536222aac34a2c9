import { parseArgs } from 'node:util';
import { formatProblem, IdAllocator } from '../model/index.js';
import { Agent } from './agent.js';
import { Intents } from './intents.js';
import { LOG_LEVELS, Loggers, type LogLevel } from './logging.js';
import { VERSION } from './version.js';

const HELP = `Usage: hpnn-agent [--config DIR] [--check] [--log-level LEVEL]

Turns one Open vSwitch bridge into a multi-tenant router and load balancer.

  --config DIR       node.yaml and tenants.d/*.yaml; default /etc/hpnn
  --check            check the configuration and exit: 0 right, 1 wrong
  --log-level LEVEL  ${LOG_LEVELS.join(', ')}; default info
  --version          print the version
  --help             print this

SIGHUP reads the configuration again; SIGTERM ends the agent, the switch goes on forwarding.
`;

async function main(): Promise<number | undefined> {
  const { values } = parseArgs({
    options: {
      config: { type: 'string', default: '/etc/hpnn' },
      check: { type: 'boolean', default: false },
      'log-level': { type: 'string', default: 'info' },
      version: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.version) {
    process.stdout.write(values.help ? HELP : `hpnn-agent ${VERSION}\n`);
    return 0;
  }
  const level = values['log-level'] as LogLevel;
  if (!LOG_LEVELS.includes(level)) throw new Error(`--log-level ${level}: one of ${LOG_LEVELS.join(', ')}`);
  if (values.check) return check(values.config);
  const loggers = new Loggers(level);
  const agent = await Agent.start(values.config, loggers);
  process.on('SIGHUP', () => agent.reloadSoon());
  const end = () => void agent.stop().then(() => process.exit(0));
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  return undefined;
}

async function check(dir: string): Promise<number> {
  const { loaded, compiled } = await new Intents(
    dir,
    IdAllocator.inMemory(),
    new Loggers('silent').get('config'),
  ).preview();
  const problems = [...loaded.problems, ...compiled.problems];
  for (const problem of problems) process.stderr.write(`${formatProblem(problem)}\n`);
  return problems.some((p) => p.severity === 'error') ? 1 : 0;
}

main().then(
  (status) => {
    if (status !== undefined) process.exit(status);
  },
  (error: Error) => {
    process.stderr.write(`hpnn-agent: ${error.message}\n`);
    process.exit(1);
  },
);

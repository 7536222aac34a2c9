import { formatProblem, IdAllocator } from '../model/index.js';
import { Agent } from './agent.js';
import { Intents } from './intents.js';
import { Loggers } from './logging.js';
import { notify } from './notify.js';
import { type CommandLine, helpText, parseCommandLine } from './options.js';
import { VERSION } from './version.js';

async function main(): Promise<number | undefined> {
  const { action, ...rest } = parseCommandLine(process.argv.slice(2));
  if (action === 'check') return check(rest.dir);
  if (action === 'run') return run(rest);
  process.stdout.write(action === 'help' ? helpText() : `hpnn-agent ${VERSION}\n`);
  return 0;
}

async function run({ dir, level }: Omit<CommandLine, 'action'>): Promise<undefined> {
  let agent: Agent | undefined;
  // From the first moment on: a reload while it starts must not end it.
  process.on('SIGHUP', () => agent?.reloadSoon());
  agent = await Agent.start(dir, new Loggers(level));
  const end = () => {
    void Promise.all([notify('STOPPING=1'), agent.stop()]).then(() => process.exit(0));
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  await notify('--ready', `--status=serving ${dir}`);
}

async function check(dir: string): Promise<number> {
  const { loaded, compiled } = await new Intents(
    dir,
    IdAllocator.inMemory(),
    new Loggers('silent').get('config'),
  ).preview();
  const problems = [...loaded.problems, ...compiled.problems];
  for (const problem of problems) process.stderr.write(`${formatProblem(problem)}\n`);
  const errors = problems.filter((p) => p.severity === 'error').length;
  const warnings = problems.length - errors;
  process.stdout.write(`${dir}: ${compiled.tenants.size} tenants, ${errors} errors, ${warnings} warnings\n`);
  return errors > 0 ? 1 : 0;
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

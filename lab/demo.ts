import { existsSync } from 'node:fs';
import { report, title } from './demo/narration.js';
import { type Stage, stages } from './demo/stages.js';
import { namespacesOf } from './namespace.js';
import { collect } from './owner.js';
import { twoTenants } from './two-tenants.js';

/**
 * Two tenants that have every address in common, served by one bridge: shows it as it happens.
 *
 *   node --import tsx lab/demo.ts [--once]
 *
 * Without --once it stays up until Ctrl-C. With it the last line is `demo: ok` or `demo: FAILED what`.
 */
async function main(once: boolean): Promise<void> {
  for (const { lab } of collect()) report(`removed ${lab}, which an earlier run had left behind`);
  const world = await twoTenants();
  const stage: Stage = { world, agent: undefined, once };
  try {
    for (const play of stages) await play(stage);
    if (!once) await untilInterrupted();
    const status = await stage.agent?.stop();
    if (status !== 0) throw new Error(`the agent ended with ${status} when it was told to stop`);
  } finally {
    world.lab.close();
  }
  if (namespacesOf(`${world.lab.id}-`).length > 0 || existsSync(world.lab.dir))
    throw new Error('something was left behind');
  if (once) console.log('demo: ok');
  else title('everything is removed');
}

function untilInterrupted(): Promise<void> {
  title('all of it stays up; Ctrl-C removes everything');
  process.removeAllListeners('SIGINT');
  return new Promise((resolve) => {
    const idle = setInterval(() => {}, 60_000);
    process.once('SIGINT', () => {
      clearInterval(idle);
      resolve();
    });
  });
}

try {
  await main(process.argv.includes('--once'));
} catch (error) {
  console.log(`demo: FAILED ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

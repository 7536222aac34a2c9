import { dirname } from 'node:path';
import { memberIs } from '../observations.js';
import { proven, title, verbatim } from './narration.js';
import { running, type Stage } from './stages.js';

const COMMANDS = [
  ['status'],
  ['health'],
  ['slots'],
  ['neigh'],
  ['drain', 'a/web/be3'],
  ['health', '-t', 'a'],
  ['enable', 'a/web/be3'],
];

/** 5: the commands of a person who looks after this. */
export async function lookAround(stage: Stage): Promise<void> {
  const agent = running(stage);
  title('5. to look around');
  // Where scripts/install-deps.sh had to fetch a newer Node, a person's shell doesn't know of it.
  const bin = dirname(process.execPath);
  if (bin.includes('/.node/')) console.log(`  export PATH=${bin}:$PATH`);
  console.log(`  export HPNN_API=unix:${agent.socket}`);
  for (const command of COMMANDS) {
    const { stdout } = await agent.lbctl(command);
    verbatim(`bin/lbctl ${command.join(' ')}`, stdout);
    if (command[0] === 'drain') await memberIs(agent, 'a/web/be3', 'DRAINING');
  }
  await memberIs(agent, 'a/web/be3', 'ONLINE');
  proven('a web/be3 was drained and serves again', true);
}

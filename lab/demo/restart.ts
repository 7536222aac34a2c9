import { HttpLoad } from '../load.js';
import { applied } from '../observations.js';
import { OpenflowSniffer } from '../openflow-sniffer.js';
import { TENANTS, VIP } from '../two-tenants.js';
import { pause } from '../until.js';
import { proven, report, title } from './narration.js';
import { running, type Stage } from './stages.js';

const WITHOUT_AGENT_MS = 2000;

/** 4: the agent dies and comes back; the switch goes on and needs nothing. */
export async function restart(stage: Stage): Promise<void> {
  const { lab, configDir, host } = stage.world;
  title('4. the agent is killed with -9 while requests run');
  const loads = [];
  for (const tenant of TENANTS) loads.push(await HttpLoad.start(host(tenant, 'client'), `http://${VIP}/`));
  await pause(1000);
  const sniffer = await OpenflowSniffer.start(lab);
  await running(stage).kill();
  report('kill -9');
  await pause(WITHOUT_AGENT_MS);
  const meanwhile = await Promise.all(loads.map((load) => load.sample()));
  report(
    `${WITHOUT_AGENT_MS / 1000} s without an agent: ${meanwhile.map(({ requests }) => requests).join(' and ')} requests so far`,
  );
  stage.agent = await lab.startAgent({ configDir });
  report(`hpnn-agent again   (pid ${stage.agent.process.pid})`);
  await applied(stage.agent);
  report('the bridge is connected, what is installed was read back and compared');
  await pause(2000);
  const changes = await sniffer.stop();
  for (const [index, load] of loads.entries()) {
    const sum = await load.stop();
    const failed = `${sum.failed} of ${sum.requests} requests of ${TENANTS[index]} failed, the slowest took ${sum.slowest} ms`;
    proven(failed, sum.failed === 0 && sum.requests > 0, JSON.stringify(sum.errors));
  }
  proven(
    `${changes.flowMods} flow-mods and ${changes.groupMods} group-mods among the ${changes.messages} messages that the agent sent since`,
    changes.messages > 0 && changes.flowMods === 0 && changes.groupMods === 0,
  );
}

import t from 'tap';
import { countedDrops, limits, ports } from './dataplane-limits.js';
import { privateListeners, publicListeners, routedTraffic } from './dataplane-serving.js';
import { dataplaneWorld } from './dataplane-world.js';

/** All that a user may configure of the data plane, from files to packets, over one version of OpenFlow. */
export async function dataplane(protocol: 'OpenFlow13' | 'OpenFlow15'): Promise<void> {
  const world = await dataplaneWorld(protocol);
  t.teardown(() => world.lab.close());
  await privateListeners(world);
  await routedTraffic(world);
  await publicListeners(world);
  await countedDrops(world);
  await ports(world);
  await limits(world);
}

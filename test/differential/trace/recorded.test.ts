import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OFP13, OFP15 } from '../../../src/ofp/index.js';
import { unixctl } from '../../../src/ovs/index.js';
import { runTrace } from '../../../src/trace/index.js';
import {
  RECORDING,
  type Recorded,
  readRecording,
  stable,
  writeRecording,
} from '../../golden/trace/recording.js';
import { CASES, flowFor, known, PORTS, provider, tenants } from '../../golden/trace/scene.js';
import { World } from '../pipeline/world.js';

/** The traces that explanations are tested with are those of a real switch with the rules of today. */

let world: World;
beforeAll(async () => {
  world = await World.create();
  for (const [name, ofport] of Object.entries(PORTS))
    await world.lab.vswitch.vsctl(
      `add-port br-lb ${name} -- set interface ${name} type=internal ofport_request=${ofport}`.split(' '),
    );
}, 60_000);
afterAll(() => world.close());

async function ask(): Promise<Record<string, Recorded>> {
  const { vswitch } = world.lab;
  const vswitchd = unixctl({ socket: join(vswitch.rundir, `ovs-vswitchd.${vswitch.pid}.ctl`) });
  const said = new Map<string, Recorded>();
  for (const { name, ctNext = [], ...c } of CASES) {
    const { flow } = await flowFor({ name, ...c });
    const question = { bridge: 'br-lb', flow, ctNext };
    const { raw } = await runTrace((command, ...args) => vswitchd.call(command, ...args), question);
    said.set(name, { flow, raw: stable(raw) });
  }
  return Object.fromEntries(said);
}

it.each([OFP13, OFP15] as const)(
  'a real switch says what was recorded, told in version %i (`UPDATE_GOLDEN=1` records again)',
  async (version) => {
    await world.connect(version);
    await world.install(tenants, provider, known);
    const said = await ask();
    if (process.env.UPDATE_GOLDEN) writeFileSync(RECORDING, writeRecording(new Map(Object.entries(said))));
    expect(said).toEqual(Object.fromEntries(readRecording()));
  },
  60_000,
);

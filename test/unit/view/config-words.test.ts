import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { nodeInWords, tenantInWords } from '../../../src/agent/view/config-words.js';
import { IdAllocator } from '../../../src/model/index.js';
import { compiled, NODE, TENANT } from './intents.js';

it('what is shown compiles to what runs', async () => {
  const node = `${NODE}api: { listen: ["tcp:127.0.0.1:1", "tcp:[::1]:2", "unix:/x.sock"], token: a-token-of-enough-length, trust_loopback: false }
openflow:
  listen: ["ptcp:6653:127.0.0.1", "punix:/of.sock", "pssl:6654:[::1]"]
  connect: ["unix:/br.mgmt", "tcp:127.0.0.1:7"]
  versions: [OpenFlow13]
  tls: { private_key: /k, certificate: /c, ca_certificate: /ca }
  inactivity_probe: 1.5
limits: { connections_per_tenant: 77 }
`;
  const ids = IdAllocator.inMemory();
  const first = await compiled({ node, tenants: [TENANT] }, ids);
  const networks = first.provider.networks;
  const shown = [...first.tenants.values()].map((t) => stringify(tenantInWords(t, networks)));
  const again = await compiled({ node: stringify(nodeInWords(first.loaded.node!)), tenants: shown }, ids);
  expect([...again.tenants]).toEqual([...first.tenants]);
  const { api: shownApi, ...rest } = again.loaded.node!;
  const { api, ...wanted } = first.loaded.node!;
  expect(rest).toEqual(wanted);
  const { token, ...public_ } = api;
  expect(token).toBeDefined();
  expect(shownApi).toEqual(public_);
});

it('limits that only the checks know are kept', async () => {
  const { tenants, provider, loaded } = await compiled({ node: NODE, tenants: [TENANT] });
  const shown = tenantInWords(tenants.get('acme')!, provider.networks, loaded.tenants[0]!.value.limits);
  expect(shown).toMatchObject({ limits: { connections: 1000, members: 64, bandwidth: 500_000_000 } });
});

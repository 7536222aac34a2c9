import { describe, expect, it } from 'vitest';
import { Names } from '../../../src/agent/view/names.js';
import { actionsInWords, matchInWords } from '../../../src/agent/view/words.js';
import { IdAllocator } from '../../../src/model/index.js';
import { PROVIDER_TENANT } from '../../../src/model/types.js';
import { portMeterId as portMeter } from '../../../src/pipeline/ids.js';
import {
  floodGroupId,
  KIND,
  listenerMeterId,
  puntMeterId,
  tenantMeterId,
} from '../../../src/pipeline/index.js';
import { compiled, NODE, TENANT } from './intents.js';

const { tenants, provider } = await compiled({ node: NODE, tenants: [TENANT] });
const names = new Names({
  ids: IdAllocator.inMemory(),
  facts: {
    ports: new Map([
      ['v-c', 3],
      ['trunk0', 4],
    ]),
  } as never,
  intents: { tenants, provider, byId: (id) => [...tenants.values()].find((t) => t.id === id) },
});
const acme = tenants.get('acme')!;
const scope = { names, tenant: acme.id };
const listener = acme.listeners[0]!.id;
const pool = acme.pools[0]!;
const member = pool.members[0]!.endpointId;
const hex = (n: number) => `0x${n.toString(16)}`;

describe('matches', () => {
  it.each([
    [
      `reg0=0x1,reg3=${hex(acme.id)},dl_dst=02:00:00:00:00:01`,
      'segment=p2,tenant=acme,dl_dst=02:00:00:00:00:01',
    ],
    [`reg1=0x11,reg4=${hex(pool.id)}`, 'slot=17,pool=web'],
    [`tcp,reg2=${hex(member)},reg5=0/0x10000`, 'tcp,member=web/be1,by_header=0'],
    [`ip,reg5=${hex(0x20000 + listener)}/0x2ffff`, 'ip,listener=web/http,external=1'],
    [`ip,ct_mark=${hex(0x20000 + listener)}/0x2ffff`, 'ip,ct_listener=web/http,ct_external=1'],
    ['ip,reg6=0xa140002', 'ip,next_hop=10.20.0.2'],
    ['in_port=3,vlan_tci=0x0000/0x1fff', 'in_port=v-c,vlan_tci=0x0000/0x1fff'],
    ['metadata=0x2000/0x2000', 'tunnel=1'],
    // Of the provider's segment, though the flow is a tenant's.
    [`ip,reg0=0x1,reg3=${hex(PROVIDER_TENANT)}`, 'ip,segment=public,tenant=(external)'],
  ])('%s', (text, words) => expect(matchInWords(text, scope)).toBe(words));

  it('leaves what has no name: gone owners, unknown bits, parts of fields', () => {
    for (const text of ['reg9=0x1', 'reg5=0x40000/0x40000', 'metadata=0x1000/0x1000', 'in_port=77'])
      expect(matchInWords(text, scope)).toBe(text);
    expect(matchInWords('reg4=0x63,reg2=0x63', scope)).toBe('pool=99,member=99');
  });
});

describe('actions', () => {
  it.each([
    [`set_field:${hex(member)}->reg2,goto_table:12`, 'set_field:web/be1->member,goto_table:member'],
    [`set_field:${hex(listener)}/0xffff->reg5`, 'set_field:web/http->listener'],
    // The same on OpenFlow 1.3, where set_field has no mask.
    [
      `load:${hex(listener)}->NXM_NX_REG5[0..15],load:0x1->NXM_NX_REG5[16]`,
      'set_field:web/http->listener,set_field:1->by_header',
    ],
    ['output:3,output:99,CONTROLLER', 'output:v-c,output:99,CONTROLLER'],
    ['resubmit(,30),resubmit(,2)', 'resubmit(,tenant-rate),resubmit(,classify-l3)'],
    ['ct(table=10,zone=NXM_NX_REG3[0..15],nat)', 'ct(table=listener,zone=tenant,nat)'],
    [
      'multipath(nw_src,1,modulo_n,251,0,NXM_NX_REG1[]),goto_table:11',
      'multipath(nw_src,1,modulo_n,251,0,slot),goto_table:slots',
    ],
    [
      'learn(table=25,priority=100,result_dst=NXM_NX_REG7[0],NXM_NX_REG3[])',
      'learn(table=fdb,priority=100,result_dst=fdb_learned,tenant)',
    ],
    [`group:${floodGroupId(acme.id, 1)}`, 'group:flood(p2)'],
    [`meter:${listenerMeterId(listener)}`, 'meter:connections(web/http)'],
    [`meter:${tenantMeterId(acme.id)}`, 'meter:bandwidth(acme)'],
    [
      `meter:${portMeter(acme.id, 1, { name: 'trunk0', vlan: 120, uplink: false }, 4)}`,
      'meter:bandwidth(trunk0.120)',
    ],
    [`meter:${portMeter(acme.id, 1, { name: 'vxlan0', vni: 5, uplink: false }, 9)}`, 'meter:bandwidth(p2)'],
    [
      `controller(userdata=03,meter_id=${puntMeterId(acme.id, 'probe')})`,
      'controller(class=probe,meter=agent(probe))',
    ],
    // Handed over to the provider: the segment after it is the provider's.
    [`set_field:0xffff->reg3,set_field:0x1->reg0`, 'set_field:(external)->tenant,set_field:public->segment'],
  ])('%s', (text, words) => expect(actionsInWords(text, '', scope)).toBe(words));
});

describe('owners', () => {
  it.each([
    [KIND.node, 0, 'node'],
    [KIND.tenant, 0, 'tenant'],
    [KIND.segment, 1, 'segment p2'],
    [KIND.listener, listener, 'listener web/http'],
    [KIND.pool, pool.id, 'pool web'],
    [KIND.endpoint, member, 'member web/be1'],
    [KIND.learnedFdb, 1, 'learned-mac p2'],
    [KIND.learnedHairpin, 4711, 'learned-answer 4711'],
  ])('kind %i', (kind, object, words) => expect(names.owner({ tenant: acme.id, kind, object })).toBe(words));
});

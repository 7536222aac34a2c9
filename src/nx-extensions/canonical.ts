/**
 * What `ofp/canonical` needs to know of Open vSwitch's fields and actions: which mean the same but are written
 * differently by version, or by whoever wrote them, and which parameters have defaults.
 */
import {
  canonicalActions,
  registerActionForm,
  registerActionRule,
  registerMatchRule,
  registerSynonym,
} from '../ofp/canonical.js';
import { oxm } from '../ofp/fields/basic.js';
import type { Action, ActionOf, ActionType } from '../ofp/types/action.js';
import type { FieldValue, MatchField } from '../ofp/types/field.js';
import { OFPP } from '../ofp/types/message.js';
import type { Learn, LearnSpec } from './action-types.js';
import { asSetField } from './actions/registers.js';
import { nxm, xregs, xxregs } from './fields.js';
import { widenPort } from './ports.js';
import { isWideRegister, narrowSubfield, splitRegister } from './registers.js';

for (const field of [...xregs, ...xxregs]) registerMatchRule(field, splitRegister);
registerMatchRule(nxm.in_port_nxm, (f) => [{ field: oxm.in_port, value: widenPort(Number(f.value)) }]);
registerMatchRule(nxm.nw_tos, (f) => [{ field: oxm.ip_dscp, value: Number(f.value) >> 2 }]);
registerMatchRule(nxm.vlan_tci, splitVlanTci);

const VID_BITS = 0x1fff;
const PCP_BITS = 0xe000;

/** vlan_vid and vlan_pcp, as OVS writes it; `undefined` where a part of the priority is matched. */
function splitVlanTci(f: MatchField): readonly MatchField[] | undefined {
  const value = Number(f.value);
  const mask = Number(f.mask ?? VID_BITS + PCP_BITS);
  // A whole value of 0 says that there is no header; a priority can't be matched then.
  if (value === 0 && mask === VID_BITS + PCP_BITS) return [{ field: oxm.vlan_vid, value: 0 }];
  const vid = { field: oxm.vlan_vid, value: value & VID_BITS, mask: mask & VID_BITS };
  if ((mask & PCP_BITS) === 0) return [vid];
  return (mask & PCP_BITS) === PCP_BITS ? [vid, { field: oxm.vlan_pcp, value: value >> 13 }] : undefined;
}

registerActionRule('reg_load', (a) => (a.type === 'reg_load' ? setFields(asSetField(a)) : undefined));
registerActionRule('set_field', setFieldRule);
registerActionRule('reg_load2', setFieldRule);
registerActionRule('reg_move', moveRule);
registerActionRule('copy_field', moveRule);
registerSynonym('reg_move', 'copy_field');
registerActionRule('set_tunnel', setTunnelRule);
registerActionRule('set_tunnel64', setTunnelRule);
registerActionRule('dec_ttl', () => [{ type: 'dec_nw_ttl' }]);

function setFieldRule(a: Action): readonly Action[] | undefined {
  if (a.type === 'set_field' && a.mask === undefined && !isWideRegister(a.field)) return undefined;
  return a.type === 'set_field' || a.type === 'reg_load2' ? setFields(a) : undefined;
}

/** The switch says it as set_field. */
function setTunnelRule(a: Action): readonly Action[] | undefined {
  if (a.type !== 'set_tunnel' && a.type !== 'set_tunnel64') return undefined;
  return [{ type: 'set_field', field: oxm.tun_id, value: BigInt(a.tunId) }];
}

function moveRule(a: Action): readonly Action[] | undefined {
  if (a.type !== 'reg_move' && a.type !== 'copy_field') return undefined;
  return [{ type: 'copy_field', src: narrowSubfield(a.src), dst: narrowSubfield(a.dst) }];
}

/** Wide registers are split into 32-bit ones; bits of the value outside the mask are cleared. */
function setFields(a: ActionOf<'set_field'> | ActionOf<'reg_load2'>): Action[] {
  const { field, value } = a;
  const mask = 'mask' in a ? a.mask : undefined;
  return splitRegister(mask === undefined ? { field, value } : { field, value, mask }).map((f) =>
    f.mask === undefined
      ? { type: 'set_field', field: f.field, value: f.value }
      : { type: 'set_field', field: f.field, value: and(f.value, f.mask), mask: f.mask },
  );
}

function and(value: FieldValue, mask: FieldValue): FieldValue {
  if (typeof value === 'number' && typeof mask === 'number') return (value & mask) >>> 0;
  return BigInt(value) & BigInt(mask);
}

const CURRENT_TABLE = 255;
const ALL_BYTES = 0xffff;
const USE_NEXT_PROTO = 0xfffe;

/** Parameters with these defaults; `replaced` gives the canonical form of others. */
function withDefaults<K extends ActionType>(
  type: K,
  defaults: Partial<ActionOf<K>>,
  replaced?: (a: ActionOf<K>) => Partial<ActionOf<K>>,
): void {
  registerActionForm(type, {
    defaults,
    ...(replaced && { replaced: (action) => replaced(action as ActionOf<K>) }),
  });
}

registerActionRule('resubmit', (a) =>
  a.type === 'resubmit' && a.port !== OFPP.IN_PORT
    ? [{ type: 'resubmit_table', port: a.port }]
    : [{ type: 'resubmit_table' }],
);
withDefaults('resubmit_table', { port: OFPP.IN_PORT, table: CURRENT_TABLE });
withDefaults('resubmit_table_ct', { port: OFPP.IN_PORT, table: CURRENT_TABLE });
withDefaults('output_reg', { maxLen: ALL_BYTES }, (a) => ({ src: narrowSubfield(a.src) }));
withDefaults('output_reg2', { maxLen: ALL_BYTES }, (a) => ({ src: narrowSubfield(a.src) }));
withDefaults('stack_push', {}, (a) => ({ src: narrowSubfield(a.src) }));
withDefaults('stack_pop', {}, (a) => ({ dst: narrowSubfield(a.dst) }));
withDefaults('check_pkt_larger', {}, (a) => ({ dst: narrowSubfield(a.dst) }));
withDefaults('multipath', { arg: 0 }, (a) => ({ dst: narrowSubfield(a.dst) }));
withDefaults('bundle_load', {}, (a) => ({ dst: narrowSubfield(a.dst) }));
withDefaults('controller', { maxLen: ALL_BYTES, controllerId: 0, reason: 'apply_action' });
withDefaults('controller2', { maxLen: ALL_BYTES, controllerId: 0, reason: 'apply_action' }, (a) =>
  a.userdata?.length === 0 ? { userdata: undefined as never } : {},
);
withDefaults('sample2', { samplingPort: OFPP.ANY });
withDefaults('sample3', { samplingPort: OFPP.ANY });
withDefaults('fin_timeout', { idleTimeout: 0, hardTimeout: 0 });
withDefaults('encap', { hdrSize: 0 });
withDefaults('decap', { packetType: USE_NEXT_PROTO });
withDefaults('nat', {});
withDefaults('ct', { zone: 0, alg: 0 }, (a) => ({
  ...(typeof a.zone === 'object' && { zone: narrowSubfield(a.zone) }),
  ...(a.actions && { actions: a.actions.length > 0 ? canonicalActions(a.actions) : (undefined as never) }),
}));
withDefaults('clone', {}, (a) => ({ actions: canonicalActions(a.actions) }));

const learnDefaults = {
  idleTimeout: 0,
  hardTimeout: 0,
  finIdleTimeout: 0,
  finHardTimeout: 0,
  priority: 0x8000,
  cookie: 0n,
};
withDefaults('learn', learnDefaults, (a) => ({ specs: canonicalSpecs(a) }));
withDefaults('learn2', { ...learnDefaults, limit: 0 }, (a) => ({
  specs: canonicalSpecs(a),
  ...(a.resultDst && { resultDst: narrowSubfield(a.resultDst) }),
}));

function canonicalSpecs(a: Learn): LearnSpec[] {
  return a.specs.map((spec) => {
    if (spec.type === 'output') return { type: 'output', src: narrowSubfield(spec.src) };
    const dst = narrowSubfield(spec.dst);
    if ('src' in spec) return { type: spec.type, dst, src: narrowSubfield(spec.src) };
    const value = dst.field.nBytes > 4 ? BigInt(spec.value) : Number(spec.value);
    return { type: spec.type, dst, value };
  });
}

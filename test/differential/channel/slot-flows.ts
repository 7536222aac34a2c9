import { Writer } from '../../../src/ofp/bytes/writer.js';
import type { Message } from '../../../src/ofp/types/message.js';

const OFPT_FLOW_MOD = 14;

/**
 * `table=11,priority=100,reg4=POOL,reg1=SLOT actions=set_field:MEMBER->reg2,goto_table:12`, as bytes: what a slot
 * of a pool is in the switch. Equal in OpenFlow 1.3 to 1.5.
 */
export function slotFlow(
  slot: number,
  options: { pool?: number; table?: number; goto?: number; cookie?: bigint; anyPool?: boolean } = {},
): Message {
  const w = new Writer(128);
  w.u64(options.cookie ?? BigInt(slot));
  w.u64(0n);
  w.u8(options.table ?? 11);
  w.u8(0); // OFPFC_ADD
  w.u16(0);
  w.u16(0);
  w.u16(100);
  w.u32(0xffffffff);
  w.u32(0xffffffff);
  w.u32(0xffffffff);
  w.u16(options.anyPool ? 2 : 0); // OFPFF_CHECK_OVERLAP
  w.u16(0);
  w.u16(1); // OFPMT_OXM
  w.u16(options.anyPool ? 4 + 8 : 4 + 16);
  register(w, 1, slot);
  if (!options.anyPool) register(w, 4, options.pool ?? 1);
  w.zero(4);
  w.u16(4); // OFPIT_APPLY_ACTIONS
  w.u16(24);
  w.zero(4);
  w.u16(25); // OFPAT_SET_FIELD
  w.u16(16);
  register(w, 2, (slot % 16) + 1);
  w.zero(4);
  w.u16(1); // OFPIT_GOTO_TABLE
  w.u16(8);
  w.u8(options.goto ?? 12);
  w.zero(3);
  return { type: 'raw', messageType: OFPT_FLOW_MOD, data: w.take() };
}

export function* slotFlows(n: number, pool = 1): Generator<Message> {
  for (let slot = 0; slot < n; slot++) yield slotFlow(slot, { pool });
}

/** A flow that the switch refuses: it may not jump backwards. */
export const badFlow = slotFlow(0, { goto: 3 });

/** A request for all flows; OFPMP_FLOW of 1.3, OFPMP_FLOW_DESC (the same number) of 1.5. */
export const flowStatsRequest: Message = (() => {
  const w = new Writer(64);
  w.u8(0xff);
  w.zero(3);
  w.u32(0xffffffff);
  w.u32(0xffffffff);
  w.zero(4 + 8 + 8);
  w.u16(1);
  w.u16(4);
  w.zero(4);
  return { type: 'raw_multipart', direction: 'request', multipartType: 1, data: w.take() };
})();

/** A flow that the switch refuses only when it is installed, as `slotFlow(slot)` is in its way. */
export const overlapping = (slot: number) => slotFlow(slot, { anyPool: true });

/** NXM_NX_REGn. */
function register(w: Writer, n: number, value: number): void {
  w.u16(1);
  w.u8(n << 1);
  w.u8(4);
  w.u32(value);
}

/** OFPT_TABLE_MOD, OFPT_TABLE_STATUS: OpenFlow 1.3.5 §7.3.3, 1.5.1 §7.3.3, §7.4.5. */
import { registerMessage } from '../registry.js';
import { decodeTableDesc, decodeTableProperties, encodeTableDesc, encodeTableProperties } from '../tables.js';
import { OFP13, OFP14 } from '../types/field.js';

// table_id(1) pad(3) config(4), properties since 1.4
registerMessage(
  'table_mod',
  {
    id: { standard: 17 },
    to: OFP13,
    name: 'OFPT_TABLE_MOD',
    accepts: (t) => t.eviction === undefined && t.vacancy === undefined,
    encode(w, t) {
      w.u8(t.table);
      w.zero(3);
      w.u32(t.config);
    },
    decode(r) {
      const table = r.u8('table_id');
      r.zero(3);
      return { type: 'table_mod', table, config: r.u32('config') };
    },
  },
  {
    id: { standard: 17 },
    from: OFP14,
    name: 'OFPT_TABLE_MOD',
    encode(w, t) {
      w.u8(t.table);
      w.zero(3);
      w.u32(t.config);
      encodeTableProperties(w, t);
    },
    decode(r) {
      const table = r.u8('table_id');
      r.zero(3);
      return { type: 'table_mod', table, config: r.u32('config'), ...decodeTableProperties(r) };
    },
  },
);

// reason(1) pad(7) table description
registerMessage('table_status', {
  id: { standard: 31 },
  from: OFP14,
  name: 'OFPT_TABLE_STATUS',
  encode(w, t) {
    w.u8(t.reason);
    w.zero(7);
    encodeTableDesc(w, t.table);
  },
  decode(r) {
    const reason = r.u8('reason');
    r.zero(7);
    return { type: 'table_status', reason, table: decodeTableDesc(r) };
  },
});

/** Which table a packet sees next, and whether it goes on at all. */
import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import type { ActionOf } from '../../ofp/types/action.js';
import { OFPP } from '../../ofp/types/message.js';
import { decodePort16, encodePort16 } from '../ports.js';
import { nicira, niciraEmpty } from './register.js';

/** Table of NXAST_RESUBMIT_TABLE that means the current one. */
const CURRENT_TABLE = 255;

// in_port(2) pad(4)
nicira('resubmit', 1, 'RESUBMIT', {
  encode(w, a) {
    encodePort16(w, a.port, 'resubmit.port');
    w.zero(4);
  },
  decode(r) {
    const port = decodePort16(r, 'in_port');
    r.zero(4);
    return { type: 'resubmit', port };
  },
});

// in_port(2) table(1) pad(3)
function encodeTable(w: Writer, a: ActionOf<'resubmit_table' | 'resubmit_table_ct'>): void {
  encodePort16(w, a.port ?? OFPP.IN_PORT, 'resubmit.port');
  w.u8(a.table ?? CURRENT_TABLE);
  w.zero(3);
}
function decodeTable(r: Reader): { port: number; table: number } {
  const port = decodePort16(r, 'in_port');
  const table = r.u8('table');
  r.zero(3);
  return { port, table };
}
nicira('resubmit_table', 14, 'RESUBMIT_TABLE', {
  encode: encodeTable,
  decode(r) {
    const { port, table } = decodeTable(r);
    return { type: 'resubmit_table', port, table };
  },
});
nicira('resubmit_table_ct', 44, 'RESUBMIT_TABLE_CT', {
  encode: encodeTable,
  decode: (r) => ({ type: 'resubmit_table_ct', ...decodeTable(r) }),
});

niciraEmpty('exit', 17, 'EXIT');

// clause(1), from 0; n_clauses(1) id(4)
nicira('conjunction', 34, 'CONJUNCTION', {
  encode(w, a) {
    w.u8(a.clause - 1);
    w.u8(a.nClauses);
    w.u32(a.id);
  },
  decode(r) {
    const clause = r.u8('clause') + 1;
    return { type: 'conjunction', clause, nClauses: r.u8('n_clauses'), id: r.u32('id') };
  },
});

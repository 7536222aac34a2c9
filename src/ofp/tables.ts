/** Table configuration of OpenFlow 1.4+: eviction and vacancy properties, 1.5.1 §7.3.4.1, §7.3.5.18. */
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from './properties.js';
import type { TableDesc, Vacancy } from './types/switch.js';

const EVICTION = 2;
const VACANCY = 3;

type Configuration = Pick<TableDesc, 'eviction' | 'vacancy' | 'rawProperties'>;

/** eviction: flags(4); vacancy: down(1) up(1) current(1) pad(1) */
export function encodeTableProperties(w: Writer, t: Configuration): void {
  const { eviction, vacancy } = t;
  if (eviction !== undefined) encodeProperty(w, EVICTION, () => w.u32(eviction));
  if (vacancy !== undefined)
    encodeProperty(w, VACANCY, () => {
      w.u8(vacancy.down);
      w.u8(vacancy.up);
      w.u8(vacancy.vacancy ?? 0);
      w.u8(0);
    });
  encodeRaw(w, t.rawProperties);
}

export function decodeTableProperties(r: Reader): Configuration {
  let eviction: number | undefined;
  let vacancy: Vacancy | undefined;
  const raw = decodeProperties(r, (type) => {
    if (type === EVICTION && eviction === undefined) eviction = r.u32('eviction');
    else if (type === VACANCY && vacancy === undefined) {
      vacancy = { down: r.u8('down'), up: r.u8('up'), vacancy: r.u8('vacancy') };
      r.zero(1);
    } else return false;
    return true;
  });
  return {
    ...(eviction !== undefined && { eviction }),
    ...(vacancy && { vacancy }),
    ...rawProperties(raw),
  };
}

/** length(2) table_id(1) pad(1) config(4) properties */
export function encodeTableDesc(w: Writer, t: TableDesc): void {
  const start = w.pos;
  w.u16(0);
  w.u8(t.table);
  w.u8(0);
  w.u32(t.config);
  encodeTableProperties(w, t);
  w.patchLength16(start, start, 'table_desc');
}

export function decodeTableDesc(r: Reader): TableDesc {
  const start = r.pos;
  const length = r.u16('length');
  const table = r.u8('table_id');
  r.zero(1);
  const config = r.u32('config');
  if (length < 8) throw r.fail('bad-length', `table description of ${length} bytes`, start, 'length');
  const outer = r.enter(length - 8, 'table');
  const properties = decodeTableProperties(r);
  r.leave(outer);
  return { table, config, ...properties };
}

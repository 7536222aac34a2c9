/** OXM headers without a value: 4 bytes, 8 with an experimenter. For actions and table features that name fields. */
import { OfpEncodeError } from '../bytes/errors.js';
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { fieldByOxm } from '../fields/registry.js';
import type { Field, OfpVersion } from '../types/field.js';

/** Writes the header of `field`'s id as for an exact match. */
export function encodeOxmHeader(w: Writer, field: Field, version: OfpVersion): void {
  const wire = field.wire[version];
  if (wire === undefined)
    throw new OfpEncodeError('unsupported', field.name, `no OXM in OpenFlow version ${version}`);
  w.u32(wire.header);
  if (wire.experimenter !== 0) w.u32(wire.experimenter);
}

/** Reads a header; `undefined` where no descriptor knows the field. */
export function decodeOxmHeader(r: Reader): Field | undefined {
  const header = r.u32('oxm_id');
  const oxmClass = header >>> 16;
  const number = (header >>> 9) & 0x7f;
  return oxmClass === 0xffff ? fieldByOxm(oxmClass, number, r.u32('oxm_id')) : fieldByOxm(oxmClass, number);
}

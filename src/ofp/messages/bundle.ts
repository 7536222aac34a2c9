/** Bundles (OpenFlow 1.4.1 §7.3.9, ONF EXT-230 on 1.3) and OFPT_REQUESTFORWARD (§7.4.5). */
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { decodeFrom, encodeMessage, HEADER_SIZE } from '../codec.js';
import { names } from '../names.js';
import { decodeProperties, encodeRaw, rawProperties } from '../properties.js';
import { registerMessage } from '../registry.js';
import type { BundleAdd, BundleControl, BundleControlType } from '../types/bundle.js';
import type { OfpVersion } from '../types/field.js';
import { OFP13, OFP14 } from '../types/field.js';

const ONF_EXPERIMENTER = 0x4f4e4600;

const CONTROLS = names<BundleControlType>({
  open_request: 0,
  open_reply: 1,
  close_request: 2,
  close_reply: 3,
  commit_request: 4,
  commit_reply: 5,
  discard_request: 6,
  discard_reply: 7,
});

// bundle_id(4) type(2) flags(2) properties
function encodeControl(w: Writer, b: BundleControl): void {
  w.u32(b.bundleId);
  w.u16(CONTROLS.number(b.control));
  w.u16(b.flags);
  encodeRaw(w, b.rawProperties);
}
function decodeControl(r: Reader): BundleControl {
  const bundleId = r.u32('bundle_id');
  const control = CONTROLS.name(r.u16('type'), r, 'type');
  const flags = r.u16('flags');
  return { type: 'bundle_control', bundleId, control, flags, ...unknownProperties(r) };
}

// bundle_id(4) pad(2) flags(2) message, properties after padding to 8 where there are any
function encodeAdd(w: Writer, b: BundleAdd, version: OfpVersion, xid: number): void {
  w.u32(b.bundleId);
  w.u16(0);
  w.u16(b.flags);
  const start = w.pos;
  encodeMessage(w, version, xid, b.message);
  if (b.rawProperties !== undefined && b.rawProperties.length > 0) {
    w.align8(start);
    encodeRaw(w, b.rawProperties);
  }
}
function decodeAdd(r: Reader, version: OfpVersion, xid: number): BundleAdd {
  const bundleId = r.u32('bundle_id');
  r.zero(2);
  const flags = r.u16('flags');
  const { message, length } = decodeInner(r, version, xid);
  if (r.left > 0) r.skip(Math.min(-length & 7, r.left), 'pad');
  return { type: 'bundle_add', bundleId, flags, message, ...unknownProperties(r) };
}

function unknownProperties(r: Reader): { rawProperties?: readonly Uint8Array[] } {
  return rawProperties(decodeProperties(r, () => false));
}

/** A message inside a message; `xid`: what its own must equal, where that is demanded. */
function decodeInner(r: Reader, version: OfpVersion, xid?: number) {
  r.need(HEADER_SIZE, 'message');
  const start = r.pos;
  const length = r.view.getUint16(start + 2);
  if (length < HEADER_SIZE) throw r.fail('bad-length', `inner length ${length}`, start + 2, 'message.length');
  const outer = r.enter(length, 'message');
  const inner = decodeFrom(r);
  if (inner.version !== version)
    throw r.fail('bad-value', `inner version ${inner.version}`, start, 'version');
  if (xid !== undefined && inner.xid !== xid)
    throw r.fail('bad-value', `inner xid ${inner.xid}, outer ${xid}`, start + 4, 'xid');
  r.leave(outer);
  return { ...inner, length };
}

registerMessage(
  'bundle_control',
  {
    id: { standard: 33 },
    from: OFP14,
    name: 'OFPT_BUNDLE_CONTROL',
    encode: encodeControl,
    decode: decodeControl,
  },
  {
    id: { experimenter: ONF_EXPERIMENTER, subtype: 2300 },
    to: OFP13,
    name: 'ONFT_BUNDLE_CONTROL',
    encode: encodeControl,
    decode: decodeControl,
  },
);
registerMessage(
  'bundle_add',
  {
    id: { standard: 34 },
    from: OFP14,
    name: 'OFPT_BUNDLE_ADD_MESSAGE',
    encode: encodeAdd,
    decode: decodeAdd,
  },
  {
    id: { experimenter: ONF_EXPERIMENTER, subtype: 2301 },
    to: OFP13,
    name: 'ONFT_BUNDLE_ADD_MESSAGE',
    encode: encodeAdd,
    decode: decodeAdd,
  },
);

registerMessage('requestforward', {
  id: { standard: 32 },
  from: OFP14,
  name: 'OFPT_REQUESTFORWARD',
  encode: (w, f, version) => encodeMessage(w, version, f.innerXid, f.message),
  decode(r, version) {
    const inner = decodeInner(r, version);
    return { type: 'requestforward', message: inner.message, innerXid: inner.xid };
  },
});

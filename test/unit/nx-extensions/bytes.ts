import { decodeActions, encodeActions, type OfpVersion, Reader, Writer } from '../../../src/ofp/index.js';
import '../../../src/nx-extensions/index.js';
import type { Action } from '../../../src/ofp/index.js';

export const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replace(/\s/g, ''), 'hex'));
export const hex = (b: Uint8Array): string => Buffer.from(b).toString('hex');

export function encoded(actions: readonly Action[], version: OfpVersion): string {
  const w = new Writer();
  encodeActions(w, actions, version);
  return hex(w.take());
}
export function decoded(text: string, version: OfpVersion): Action[] {
  return decodeActions(new Reader(bytes(text)), version);
}

/** Statistics of a port that only its kind of device has: an experimenter property of Open vSwitch, 1.4+. */

const EXPERIMENTER = 0xffff;
/** The vendor under which Open vSwitch sends them. */
const VENDOR = 0xaa01;
const CUSTOM = 2;
const HEADER = 16;

/** `CUSTOM Statistics` and lines of three; '' for other properties. The bytes are a whole property. */
export function formatCustomStats(property: Uint8Array): string {
  const view = new DataView(property.buffer, property.byteOffset, property.byteLength);
  if (property.length < HEADER || view.getUint16(0) !== EXPERIMENTER) return '';
  if (view.getUint32(4) !== VENDOR || view.getUint32(8) !== CUSTOM) return '';
  const counters: string[] = [];
  let at = HEADER;
  for (let i = view.getUint32(12); i > 0 && at < property.length; i--) {
    const end = at + 1 + property[at]!;
    if (end + 8 > property.length) break;
    counters.push(
      `${new TextDecoder('latin1').decode(property.subarray(at + 1, end))}=${view.getBigUint64(end)},`,
    );
    at = end + 8;
  }
  let s = '           CUSTOM Statistics\n';
  for (let i = 0; i < counters.length; i += 3)
    s += `                      ${counters.slice(i, i + 3).join(' ')}\n`;
  return s;
}

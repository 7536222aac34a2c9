/**
 * What kind a message is, from its bytes alone: cheap enough to ask of every message while a capture runs.
 * OpenFlow 1.3.5 §7.1, 1.5.1 §7.1.
 */
const EXPERIMENTER = 4;
const BUNDLE_ADD = 34;
const HEADER = 8;
const NICIRA = 0x2320;
const ONF = 0x4f4e4600;
const NXT_PACKET_IN2 = 30;
const ONFT_BUNDLE_CONTROL = 2300;
const ONFT_BUNDLE_ADD = 2301;

const BY_TYPE: readonly string[] = [
  'hello',
  'error',
  'echo',
  'echo',
  'experimenter',
  'features',
  'features',
  'config',
  'config',
  'config',
  'packet_in',
  'flow_removed',
  'port_status',
  'packet_out',
  'flow_mod',
  'group_mod',
  'port_mod',
  'table_mod',
  'multipart',
  'multipart',
  'barrier',
  'barrier',
  'queue',
  'queue',
  'role',
  'role',
  'async',
  'async',
  'async',
  'meter_mod',
  'role',
  'table_status',
  'requestforward',
  'bundle',
  'bundle',
  'controller_status',
];

/** Words for `--class`. */
export const CLASSES: readonly string[] = [...new Set(BY_TYPE)].sort();

/** The class of a message; what is added to a bundle has that of the inner message. */
export function classOf(message: Uint8Array): string {
  const inner = addedToBundle(message);
  if (inner !== undefined) return BY_TYPE[inner] ?? 'unknown';
  const type = message[1]!;
  if (type !== EXPERIMENTER || message.length < 16) return BY_TYPE[type] ?? 'unknown';
  const vendor = u32(message, 8);
  const subtype = u32(message, 12);
  if (vendor === NICIRA && subtype === NXT_PACKET_IN2) return 'packet_in';
  if (vendor === ONF && subtype === ONFT_BUNDLE_CONTROL) return 'bundle';
  return 'experimenter';
}

/** Whether `classes` ask for the message. `bundle` asks for what is inside too. */
export function isWanted(message: Uint8Array, classes: ReadonlySet<string>): boolean {
  return classes.has(classOf(message)) || (classes.has('bundle') && addedToBundle(message) !== undefined);
}

/** Type of the message that this one adds to a bundle; undefined for all others. */
function addedToBundle(message: Uint8Array): number | undefined {
  if (message[1] === BUNDLE_ADD) return message[HEADER + 8 + 1];
  const onf = message[1] === EXPERIMENTER && message.length >= 24 + HEADER && u32(message, 8) === ONF;
  return onf && u32(message, 12) === ONFT_BUNDLE_ADD ? message[24 + 1] : undefined;
}

export function xidOf(message: Uint8Array): number {
  return u32(message, 4);
}

function u32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

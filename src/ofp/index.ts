/**
 * OpenFlow 1.3, 1.4 and 1.5 messages as data and as bytes. Importing this registers everything that the
 * specifications define; experimenter extensions register themselves with `registerAction` and friends.
 */
import './actions/standard.js';
import './messages/index.js';

export { decodeOxmHeader, encodeOxmHeader } from './actions/oxm-header.js';
export { decodeActions, encodeAction, encodeActions } from './actions.js';
export { type DecodeErrorCode, OfpDecodeError, OfpEncodeError } from './bytes/errors.js';
export { MAX_DEPTH, Reader } from './bytes/reader.js';
export { Writer } from './bytes/writer.js';
export {
  allOnes,
  canonicalActions,
  canonicalInstructions,
  canonicalMatch,
  registerActionForm,
  registerActionRule,
  registerMatchRule,
  registerSynonym,
} from './canonical.js';
export { type Decoded, decodeFrom, decodeMessage, encodeMessage, HEADER_SIZE } from './codec.js';
export { errorName } from './error-names.js';
export { oxm } from './fields/basic.js';
export { decodeInstructions, encodeInstructions } from './instructions.js';
export { instructionsKey, matchKey, sameInstructions } from './keys.js';
export {
  decodeFieldValue,
  decodeMatch,
  decodeOxm,
  decodeOxms,
  encodeFieldValue,
  encodeMatch,
  encodeOxm,
  encodeOxms,
  m,
} from './match.js';
export { packetInReason, packetInReasonNumber } from './messages/packet.js';
export * from './registry.js';
export { splitGroup, splitRequest } from './split.js';
export type * from './types/action.js';
export * from './types/bundle.js';
export * from './types/field.js';
export * from './types/message.js';
export type * from './types/multipart.js';
export type * from './types/session.js';
export * from './types/switch.js';

/** Why a frame was not understood: a label of counters, never an exception. */
export type FrameError =
  | 'truncated' // fewer bytes than a header needs or claims
  | 'bad-length' // a length field that contradicts its surroundings
  | 'bad-version'
  | 'bad-checksum'
  | 'bad-value' // a value that the protocol forbids there
  | 'too-many-tags';

/** Parsers of this folder return what they found, or the reason as a string. */
export function failed(result: object | FrameError): result is FrameError {
  return typeof result === 'string';
}

/** Why bytes could not be decoded. */
export type DecodeErrorCode =
  | 'truncated' // fewer bytes than a fixed part needs
  | 'bad-length' // a length field that contradicts its surroundings
  | 'bad-value' // a value that the specification forbids
  | 'bad-padding' // padding or must-be-zero bytes that are not zero
  | 'unsupported-version'
  | 'unknown-type'
  | 'too-deep'; // nesting beyond the recursion limit

/** Bytes that are not a valid message. `offset` counts from the start of the message; `path` names the field. */
export class OfpDecodeError extends Error {
  override readonly name = 'OfpDecodeError';
  constructor(
    readonly code: DecodeErrorCode,
    readonly offset: number,
    readonly path: string,
    detail: string,
  ) {
    super(`${path || 'message'}: ${detail} (${code} at byte ${offset})`);
  }
}

/** A value that cannot be written in the requested protocol version, or does not fit its field. */
export class OfpEncodeError extends Error {
  override readonly name = 'OfpEncodeError';
  constructor(
    readonly code: 'unsupported' | 'out-of-range' | 'too-long',
    readonly path: string,
    readonly detail: string,
    /** Where it would have been written, from the writer's start; of a value that the writer refused. */
    readonly at?: number,
  ) {
    super(`${path || 'value'}: ${detail} (${code})`);
  }
}

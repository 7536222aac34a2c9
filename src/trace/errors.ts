/** A question that can't be traced, in words. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
  constructor(
    /** conflict: right in itself, but not on this switch now. */
    readonly code: 'invalid' | 'not-found' | 'conflict',
    message: string,
    /** What would be right. */
    readonly hint?: string,
  ) {
    super(message);
  }
}

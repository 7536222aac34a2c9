/** Why a request on a connection got no reply. */
export type ChannelErrorCode =
  | 'refused' // the switch answered with an error message
  | 'timeout'
  | 'closed'
  | 'overflow' // more than may be kept for the reader
  | 'protocol'; // a reply that is none to the request

export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  constructor(
    readonly code: ChannelErrorCode,
    /** The error's name as Open vSwitch prints it, or the code again where there is none. */
    readonly error: string,
    detail: string = error,
  ) {
    super(detail);
  }
}

/** A remote that can't be listened on. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  constructor(
    /** 'busy': another process listens there. */
    readonly code: 'busy' | 'denied' | 'unavailable' | 'tls',
    readonly remote: string,
    detail: string,
  ) {
    super(`${remote}: ${detail}`);
  }
}

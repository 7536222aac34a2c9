/** Bundles: OpenFlow 1.4+, ONF extension 230 on 1.3. And requests of other controllers, forwarded. */
import type { Message } from './message.js';

/** OFPBF_* */
export const OFPBF = { ATOMIC: 1, ORDERED: 2 } as const;

export type BundleControlType =
  | 'open_request'
  | 'open_reply'
  | 'close_request'
  | 'close_reply'
  | 'commit_request'
  | 'commit_reply'
  | 'discard_request'
  | 'discard_reply';

export interface BundleControl {
  readonly type: 'bundle_control';
  readonly bundleId: number;
  readonly control: BundleControlType;
  /** OFPBF_* */
  readonly flags: number;
  readonly rawProperties?: readonly Uint8Array[];
}

export interface BundleAdd {
  readonly type: 'bundle_add';
  readonly bundleId: number;
  readonly flags: number;
  /** Written with the version and xid of the outer message, as the switch demands. */
  readonly message: Message;
  readonly rawProperties?: readonly Uint8Array[];
}

/** 1.4+: a group or meter change that another controller made. */
export interface RequestForward {
  readonly type: 'requestforward';
  readonly message: Message;
  readonly innerXid: number;
}

export interface BundleMessages {
  bundle_control: BundleControl;
  bundle_add: BundleAdd;
  requestforward: RequestForward;
}

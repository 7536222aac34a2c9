/** Messages that set up and keep a session: hello, error, echo, features, configuration, roles, async masks. */

/** OFPT_HELLO. Versions are wire numbers (4 = OpenFlow 1.3). */
export interface Hello {
  readonly type: 'hello';
  /** From the version bitmap; absent: there was none, and all versions up to the header's are meant. */
  readonly versions?: readonly number[];
  /** Elements of other types, each with its header and padding. */
  readonly rawElements?: readonly Uint8Array[];
}

/** OFPT_ERROR. */
export interface ErrorMessage {
  readonly type: 'error';
  /** OFPET_*; 0xffff is an experimenter error. */
  readonly errorType: number;
  /** OFP*_ code; exp_type for experimenter errors. */
  readonly code: number;
  readonly experimenter?: number;
  /** What was refused: as much of the request as the switch cares to return; text for OFPET_HELLO_FAILED. */
  readonly data: Uint8Array;
}

export interface EchoRequest {
  readonly type: 'echo_request';
  readonly data: Uint8Array;
}
export interface EchoReply {
  readonly type: 'echo_reply';
  readonly data: Uint8Array;
}

/** An experimenter message that no descriptor knows. */
export interface Experimenter {
  readonly type: 'experimenter';
  readonly experimenter: number;
  readonly expType: number;
  readonly data: Uint8Array;
}

/** A message of a type that no descriptor knows: body after the 8-byte header. */
export interface RawMessage {
  readonly type: 'raw';
  readonly messageType: number;
  readonly data: Uint8Array;
}

export interface FeaturesRequest {
  readonly type: 'features_request';
}
export interface FeaturesReply {
  readonly type: 'features_reply';
  readonly datapathId: bigint;
  readonly nBuffers: number;
  readonly nTables: number;
  readonly auxiliaryId: number;
  /** OFPC_* bits. */
  readonly capabilities: number;
}

export interface GetConfigRequest {
  readonly type: 'get_config_request';
}
export interface GetConfigReply {
  readonly type: 'get_config_reply';
  /** OFPC_FRAG_*. */
  readonly flags: number;
  readonly missSendLen: number;
}
export interface SetConfig {
  readonly type: 'set_config';
  readonly flags: number;
  readonly missSendLen: number;
}

export type Role = 'nochange' | 'equal' | 'master' | 'slave';

export interface RoleRequest {
  readonly type: 'role_request';
  readonly role: Role;
  readonly generationId: bigint;
  /** 1.5. */
  readonly shortId?: number;
}
export interface RoleReply {
  readonly type: 'role_reply';
  readonly role: Role;
  readonly generationId: bigint;
  readonly shortId?: number;
}
/** 1.4+. */
export interface RoleStatus {
  readonly type: 'role_status';
  readonly role: Role;
  /** OFPCRR_*: 0 another controller became master, 1 configuration, 2 experimenter data. */
  readonly reason: number;
  readonly generationId: bigint;
  readonly rawProperties?: readonly Uint8Array[];
}

/** Bits `1 << reason` per message, as equal or master and as slave; absent: not told. */
export interface AsyncMask {
  readonly master?: number;
  readonly slave?: number;
}
export interface AsyncConfig {
  readonly packetIn?: AsyncMask;
  readonly portStatus?: AsyncMask;
  readonly flowRemoved?: AsyncMask;
  /** 1.4+. */
  readonly roleStatus?: AsyncMask;
  readonly tableStatus?: AsyncMask;
  readonly requestForward?: AsyncMask;
  /** 1.5. */
  readonly flowStats?: AsyncMask;
  readonly controllerStatus?: AsyncMask;
  /** 1.4+: properties that no descriptor knows. */
  readonly rawProperties?: readonly Uint8Array[];
}
export interface GetAsyncRequest {
  readonly type: 'get_async_request';
}
export interface GetAsyncReply extends AsyncConfig {
  readonly type: 'get_async_reply';
}
export interface SetAsync extends AsyncConfig {
  readonly type: 'set_async';
}

export interface BarrierRequest {
  readonly type: 'barrier_request';
}
export interface BarrierReply {
  readonly type: 'barrier_reply';
}

export interface SessionMessages {
  hello: Hello;
  error: ErrorMessage;
  echo_request: EchoRequest;
  echo_reply: EchoReply;
  experimenter: Experimenter;
  raw: RawMessage;
  features_request: FeaturesRequest;
  features_reply: FeaturesReply;
  get_config_request: GetConfigRequest;
  get_config_reply: GetConfigReply;
  set_config: SetConfig;
  role_request: RoleRequest;
  role_reply: RoleReply;
  role_status: RoleStatus;
  get_async_request: GetAsyncRequest;
  get_async_reply: GetAsyncReply;
  set_async: SetAsync;
  barrier_request: BarrierRequest;
  barrier_reply: BarrierReply;
}

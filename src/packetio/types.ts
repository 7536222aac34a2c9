/** Classes of punted packets: first byte of the controller action's userdata. */
export const PUNT = { arp: 1, nd: 2, probe: 3, nextHop: 4 } as const;
export type PuntClass = keyof typeof PUNT;

/** Where a punted packet was when it was punted. */
export interface PacketContext {
  readonly tenant: number;
  readonly segment: number;
  /** OpenFlow port it came in by; 0 where the pipeline cleared it. */
  readonly inPort: number;
  readonly tunId?: bigint;
  readonly tunSrc?: number;
  /** reg6: next hop looked for, for class nextHop. */
  readonly nextHop: number;
  readonly vlan?: number;
}

/** How a frame of ours enters the pipeline. */
export type Injection =
  /** Table 20: routed like any packet of the tenant; the MACs are set on the way. */
  | { readonly kind: 'route'; readonly tenant: number; readonly segment: number }
  /** Table 21 with a given next hop. */
  | {
      readonly kind: 'adjacency';
      readonly tenant: number;
      readonly segment: number;
      readonly nextHop: number;
    }
  /** Table 25: switched by destination MAC, flooded in the segment where it is a group address or unknown. */
  | { readonly kind: 'segment'; readonly tenant: number; readonly segment: number };

/** The agent's way to send and receive frames. Implemented over one switch connection; faked in tests. */
export interface PacketIo {
  /** Returns false where the frame was dropped: no connection, or the class's queue is full. */
  inject(how: Injection, frame: Uint8Array): boolean;
  onPunt(cls: PuntClass, handler: (context: PacketContext, frame: Uint8Array) => void): void;
}

/** Milliseconds since an arbitrary origin, monotonic, and timers; injected so that tests control time. */
export interface Clock {
  now(): number;
  setTimeout(fn: () => void, ms: number): TimerHandle;
}
export interface TimerHandle {
  cancel(): void;
}

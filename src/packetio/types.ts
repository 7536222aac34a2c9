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
  /** Only the beginning of the packet was punted. */
  readonly truncated?: boolean;
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
  /** 0 while no switch is connected; else a number that no other connection had. */
  readonly link: number;
  /** Milliseconds that the way to the switch and back takes now, and took at worst since a moment on the clock. */
  delay(): number;
  delaySince(since: number): number;
  /**
   * Returns false where the frame was dropped: no connection, or the connection is congested. The bytes are copied
   * before it returns: the caller may reuse them.
   */
  inject(how: Injection, frame: Uint8Array): boolean;
  /** One handler per class; the frame is its own to keep. */
  onPunt(cls: PuntClass, handler: (context: PacketContext, frame: Uint8Array) => void): void;
}

/** Milliseconds since an arbitrary origin, monotonic, and timers; injected so that tests control time. */
export interface Clock {
  now(): number;
  setTimeout(fn: () => void, ms: number): TimerHandle;
  /** Runs `fn` after the input that is already there was read; without it, `setTimeout(fn, 0)` is used. */
  defer?(fn: () => void): void;
}
export interface TimerHandle {
  cancel(): void;
}

/** Uniform in [0, 1), with 32 random bits that a peer can't foretell. */
export type Random = () => number;

/** `fn` in the next turn of the loop. */
export function defer(clock: Clock, fn: () => void): void {
  if (clock.defer) clock.defer(fn);
  else clock.setTimeout(fn, 0);
}

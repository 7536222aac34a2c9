import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What went to the switch since the last {@link Tap.reset}, by OpenFlow's own words. */
export interface Traffic {
  readonly flowMods: number;
  readonly groupMods: number;
  readonly meterMods: number;
  readonly packetOuts: number;
  /** Flow-mods by the tenant in their cookie. */
  readonly byTenant: ReadonlyMap<number, number>;
  readonly commits: number;
  readonly bytesToSwitch: number;
  readonly bytesFromSwitch: number;
  /** `performance.now()` when the switch's last commit passed; 0: none. */
  readonly lastCommit: number;
  /** `performance.now()` when the first flow-mod passed; 0: none. */
  readonly firstFlowMod: number;
}

const TYPE = { packetOut: 13, flowMod: 14, groupMod: 15, meterMod: 29, bundleControl: 33, bundleAdd: 34 };
const COMMIT_REPLY = 5;
/** Messages of OpenFlow 1.4 and later: a bundle's are behind its id and flags. */
const BUNDLED = 16;

/**
 * Stands between the agent and the switch's management socket and counts what passes, so that nobody has to be
 * believed. It understands the bundles of OpenFlow 1.4 and later.
 */
export class Tap {
  #traffic = nothing();
  readonly #sockets = new Set<Socket>();

  private constructor(
    readonly path: string,
    private readonly server: Server,
  ) {}

  /** @param path the socket to make; @param upstream the bridge's `.mgmt` socket */
  static async listen(path: string, upstream: string): Promise<Tap> {
    const server = createServer();
    const tap = new Tap(path, server);
    server.on('connection', (agent) => tap.#join(agent, connect(upstream)));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
    return tap;
  }

  get traffic(): Traffic {
    return this.#traffic;
  }

  reset(): void {
    this.#traffic = nothing();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    rmSync(this.path, { force: true });
  }

  #join(agent: Socket, upstream: Socket): void {
    this.#pass(agent, upstream, (message) => this.#toSwitch(message));
    this.#pass(upstream, agent, (message) => this.#fromSwitch(message));
  }

  #pass(from: Socket, to: Socket, seen: (message: Buffer) => void): void {
    const cut = cutter(seen);
    this.#sockets.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on('drain', () => to.resume());
    from.on('data', (chunk) => {
      if (!to.write(chunk)) from.pause();
      cut(chunk);
    });
  }

  #toSwitch(message: Buffer): void {
    const t = this.#traffic;
    t.bytesToSwitch += message.length;
    const inner = message[1] === TYPE.bundleAdd ? BUNDLED : 0;
    switch (message[inner + 1]) {
      case TYPE.flowMod: {
        const tenant = message.readUInt16BE(inner + 8);
        t.flowMods++;
        t.byTenant.set(tenant, (t.byTenant.get(tenant) ?? 0) + 1);
        t.firstFlowMod ||= performance.now();
        break;
      }
      case TYPE.groupMod:
        t.groupMods++;
        break;
      case TYPE.meterMod:
        t.meterMods++;
        break;
      case TYPE.packetOut:
        t.packetOuts++;
    }
  }

  #fromSwitch(message: Buffer): void {
    const t = this.#traffic;
    t.bytesFromSwitch += message.length;
    if (message[1] !== TYPE.bundleControl || message.readUInt16BE(12) !== COMMIT_REPLY) return;
    t.commits++;
    t.lastCommit = performance.now();
  }
}

function nothing() {
  return {
    flowMods: 0,
    groupMods: 0,
    meterMods: 0,
    packetOuts: 0,
    byTenant: new Map<number, number>(),
    commits: 0,
    bytesToSwitch: 0,
    bytesFromSwitch: 0,
    lastCommit: 0,
    firstFlowMod: 0,
  };
}

/** Cuts a stream into OpenFlow messages. */
function cutter(seen: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= 8) {
      const length = Math.max(8, bytes.readUInt16BE(at + 2));
      if (bytes.length - at < length) break;
      seen(bytes.subarray(at, at + length));
      at += length;
    }
    rest = bytes.subarray(at);
  };
}

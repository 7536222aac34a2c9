import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OFPT = {
  HELLO: 0,
  ECHO: 2,
  EXPERIMENTER: 4,
  FEATURES: 5,
  GET_CONFIG: 7,
  MULTIPART: 18,
  BARRIER: 20,
  QUEUE_CONFIG: 22,
  ROLE: 24,
};
const OFPMP = { TABLE_FEATURES: 12, PORT_DESC: 13 };
const OFPT_BUNDLE_CONTROL = 33;
const ONF_VENDOR = 0x4f4e4600;
const NX_VENDOR = 0x00002320;
const ONF_BUNDLE_CONTROL = 2300;
const NXT_TLV_TABLE_REQUEST = 25;

/**
 * A listener that answers as much OpenFlow as `ovs-ofctl` insists on and keeps every message it was sent: the way
 * to get the bytes that ovs-ofctl makes of a text. It keeps no flows; requests for statistics get empty replies,
 * but for port descriptions, of which there are two.
 */
export class CaptureListener {
  /** Whole messages in the order of arrival, hellos included. */
  readonly messages: Uint8Array[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(
    readonly path: string,
    readonly server: Server,
  ) {
    server.on('connection', (socket) => this.#serve(socket));
  }

  static async listen(): Promise<CaptureListener> {
    const path = join(tmpdir(), `capture-${randomBytes(6).toString('hex')}.sock`);
    const server = createServer();
    const listener = new CaptureListener(path, server);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
    return listener;
  }

  /** What to give ovs-ofctl as its switch. */
  get target(): string {
    return `unix:${this.path}`;
  }

  /** The messages since the last call. */
  take(): Uint8Array[] {
    return this.messages.splice(0);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    rmSync(this.path, { force: true });
  }

  #serve(socket: Socket): void {
    let pending = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 8) {
        const length = pending.readUInt16BE(2);
        if (length < 8) return void socket.destroy();
        if (pending.length < length) return;
        const message = Uint8Array.prototype.slice.call(pending, 0, length);
        pending = pending.subarray(length);
        this.messages.push(message);
        const reply = answer(Buffer.from(message));
        if (reply) socket.write(reply);
      }
    });
  }
}

/** The reply without which ovs-ofctl would wait; undefined where it expects none. */
function answer(request: Buffer): Buffer | undefined {
  const body = request.subarray(8);
  switch (request[1]) {
    case OFPT.HELLO:
      return message(request, OFPT.HELLO, Buffer.alloc(0));
    case OFPT.ECHO:
    case OFPT.BARRIER:
    case OFPT.QUEUE_CONFIG:
    case OFPT.ROLE:
      return message(request, request[1] + 1, body);
    case OFPT.FEATURES:
      return message(
        request,
        OFPT.FEATURES + 1,
        Buffer.from('00000000000000010000010020000000000000cf00000000', 'hex'),
      );
    case OFPT.GET_CONFIG:
      return message(request, OFPT.GET_CONFIG + 1, Buffer.from('0000ffff', 'hex'));
    case OFPT.MULTIPART:
      return message(request, OFPT.MULTIPART + 1, multipart(request[0]!, body));
    case OFPT_BUNDLE_CONTROL:
      return message(request, OFPT_BUNDLE_CONTROL, bundleReply(body, 0));
    case OFPT.EXPERIMENTER:
      return experimenter(request, body);
    default:
      return undefined;
  }
}

function experimenter(request: Buffer, body: Buffer): Buffer | undefined {
  const vendor = body.readUInt32BE(0);
  const type = body.readUInt32BE(4);
  if (vendor === ONF_VENDOR && type === ONF_BUNDLE_CONTROL)
    return message(request, OFPT.EXPERIMENTER, bundleReply(body, 8));
  if (vendor === NX_VENDOR && type === NXT_TLV_TABLE_REQUEST)
    return message(request, OFPT.EXPERIMENTER, nicira(type + 1, '00000100004000000000000000000000'));
  return undefined;
}

function nicira(type: number, hex: string): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(NX_VENDOR, 0);
  head.writeUInt32BE(type, 4);
  return Buffer.concat([head, Buffer.from(hex, 'hex')]);
}

/** OFPBCT_*_REQUEST is even and its reply the next number. */
function bundleReply(body: Buffer, at: number): Buffer {
  const reply = Buffer.from(body.subarray(0, at + 8));
  reply.writeUInt16BE(reply.readUInt16BE(at + 4) + 1, at + 4);
  return reply;
}

function multipart(version: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  const type = body.readUInt16BE(0);
  head.writeUInt16BE(type, 0);
  switch (type) {
    case OFPMP.TABLE_FEATURES:
      return Buffer.concat([head, tableFeatures()]);
    case OFPMP.PORT_DESC:
      return Buffer.concat([head, portDescription(version, 1, 'p1'), portDescription(version, 2, 'p2')]);
    default:
      return head;
  }
}

/** One table without properties. */
function tableFeatures(): Buffer {
  const b = Buffer.alloc(64);
  b.writeUInt16BE(b.length, 0);
  b.write('t0', 8, 'latin1');
  return b;
}

/** OpenFlow 1.3 §7.2.1; 1.4 §7.2.1 with an OFPPDPT_ETHERNET property. */
function portDescription(version: number, port: number, name: string): Buffer {
  const b = Buffer.alloc(version >= 5 ? 72 : 64);
  b.writeUInt32BE(port, 0);
  if (version >= 5) b.writeUInt16BE(b.length, 4);
  b.write(`02000000000${port}`, 8, 'hex');
  b.write(name, 16, 'latin1');
  if (version >= 5) b.writeUInt16BE(32, 42);
  return b;
}

function message(request: Buffer, type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head[0] = request[0]!;
  head[1] = type;
  head.writeUInt16BE(8 + body.length, 2);
  request.copy(head, 4, 4, 8);
  return Buffer.concat([head, body]);
}

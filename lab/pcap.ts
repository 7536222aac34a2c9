const LINKTYPE_RAW = 101;
/** Bytes of a message at most in one frame of a capture. */
export const SEGMENT = 32_000;

/** A capture file of one TCP connection's client side to `port`; each message starts a segment of its own. */
export function tcpCapture(messages: readonly Uint8Array[], port: number): Buffer {
  const head = Buffer.alloc(24);
  head.writeUInt32LE(0xa1b2c3d4, 0);
  head.writeUInt16LE(2, 4);
  head.writeUInt16LE(4, 6);
  head.writeUInt32LE(0x40000, 16);
  head.writeUInt32LE(LINKTYPE_RAW, 20);
  const parts: Buffer[] = [head];
  let sequence = 1;
  for (const message of messages) {
    for (let at = 0; at < message.length; at += SEGMENT) {
      const payload = message.subarray(at, at + SEGMENT);
      parts.push(packet(segment(payload, port, sequence)));
      sequence += payload.length;
    }
  }
  return Buffer.concat(parts);
}

function packet(frame: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(frame.length, 8);
  head.writeUInt32LE(frame.length, 12);
  return Buffer.concat([head, frame]);
}

/** IPv4 and TCP headers without checksums, which tshark doesn't check. */
function segment(payload: Uint8Array, port: number, sequence: number): Buffer {
  const b = Buffer.alloc(40 + payload.length);
  b[0] = 0x45;
  b.writeUInt16BE(b.length, 2);
  b[8] = 64;
  b[9] = 6;
  b.writeUInt32BE(0x7f000001, 12);
  b.writeUInt32BE(0x7f000001, 16);
  b.writeUInt16BE(40_000, 20);
  b.writeUInt16BE(port, 22);
  b.writeUInt32BE(sequence >>> 0, 24);
  b[32] = 0x50;
  b[33] = 0x18;
  b.writeUInt16BE(0xffff, 34);
  b.set(payload, 40);
  return b;
}

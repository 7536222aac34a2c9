import type { Writer } from '../bytes/writer.js';
import { OFP13, type OfpVersion } from '../types/field.js';
import type { ChannelError } from './errors.js';
import type { Clock } from './types.js';
import * as wire from './wire.js';

const { OFPT } = wire;

/** What the handshake needs of its connection. */
export interface HandshakePort {
  readonly versions: readonly OfpVersion[];
  /** ms from the first byte to the features reply. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly writer: Writer;
  allocate(): number;
  /** A whole message was written to `writer`. */
  written(): void;
  /** The version that both sides speak from here on. */
  onVersion(version: OfpVersion): void;
  /** Ends the connection, after what is in `writer` was sent. */
  fail(reason: string): void;
}

/** Version negotiation, OpenFlow 1.3 §6.3.1, then the features, which name the datapath. */
export class Handshake {
  version: OfpVersion = OFP13;
  datapathId = 0n;
  private state: 'hello' | 'features' | 'done' = 'hello';
  private featuresXid = 0;
  private deadline: { cancel(): void } | undefined;
  private resolve: () => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(private readonly port: HandshakePort) {}

  /** Sends our hello; resolves when the datapath is known. */
  begin(): Promise<void> {
    wire.writeHello(this.port.writer, this.port.versions, this.port.allocate());
    this.port.written();
    this.deadline = this.port.clock.setTimeout(() => {
      this.port.fail(
        `no ${this.state === 'hello' ? 'hello' : 'features reply'} within ${this.port.timeout} ms`,
      );
    }, this.port.timeout);
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Handles a message if it belongs to the handshake; false where it doesn't. */
  take(message: Uint8Array): boolean {
    switch (this.state) {
      case 'hello':
        this.takeHello(message);
        return true;
      case 'features':
        return this.takeFeatures(message);
      case 'done':
        return false;
    }
  }

  closed(error: ChannelError): void {
    this.deadline?.cancel();
    this.state = 'done';
    this.reject(error);
  }

  private takeHello(message: Uint8Array): void {
    const type = wire.typeOf(message);
    if (type === OFPT.ERROR) {
      this.port.fail(`the peer refused our hello: ${errorText(message)}`);
      return;
    }
    if (type !== OFPT.HELLO) {
      this.port.fail(`expected a hello, got ${wire.typeName(type)}`);
      return;
    }
    const offered = wire.readHello(message);
    const version = wire.negotiate(this.port.versions, offered);
    if (version === undefined) {
      const ours = wire.versionNames(this.port.versions.reduce((bits, v) => bits | (1 << v), 0));
      const text = `no version in common: we speak ${ours}, the peer ${wire.versionNames(offered)}`;
      wire.writeHelloFailed(this.port.writer, message[0]!, wire.xidOf(message), text);
      this.port.written();
      this.port.fail(text);
      return;
    }
    this.version = version;
    this.state = 'features';
    this.port.onVersion(version);
    this.featuresXid = this.port.allocate();
    wire.writeFeaturesRequest(this.port.writer, version, this.featuresXid);
    this.port.written();
  }

  private takeFeatures(message: Uint8Array): boolean {
    const type = wire.typeOf(message);
    // A peer that did not like the version may still say so; whatever else comes early is no business of ours.
    if (type === OFPT.ERROR) {
      this.port.fail(`the peer refused the handshake: ${errorText(message)}`);
      return true;
    }
    if (type !== OFPT.FEATURES_REPLY || wire.xidOf(message) !== this.featuresXid) return false;
    const datapathId = wire.readDatapathId(message);
    if (datapathId === undefined) {
      this.port.fail(`a features reply of ${message.length} bytes`);
      return true;
    }
    this.datapathId = datapathId;
    this.state = 'done';
    this.deadline?.cancel();
    this.resolve();
    return true;
  }
}

/** Type, code and, of a failed hello, the text of an error message of any version. */
function errorText(message: Uint8Array): string {
  const error = wire.readError(message);
  if (error === undefined) return 'an error message without a type';
  const text = new TextDecoder('latin1')
    .decode(message.subarray(12, 12 + 256))
    .replace(/[^ -~]+/g, ' ')
    .trim();
  return error.type === wire.OFPET_HELLO_FAILED
    ? text || 'hello failed'
    : `error type ${error.type}, code ${error.code}`;
}

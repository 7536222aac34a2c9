import { Capture, type CaptureOptions } from './capture.js';
import { Namespace } from './namespace.js';
import { type RunningProcess, type RunOptions, type RunResult, run } from './process.js';

export interface HostOptions {
  readonly name: string;
  /** With prefix length: `10.20.0.10/24`. */
  readonly addresses: readonly string[];
  readonly mac?: string;
  readonly gateway?: string;
  /** OVS port name, `v-${name}` by default; 15 characters at most. */
  readonly port?: string;
  /** Requested OpenFlow port number. */
  readonly ofport?: number;
}

/** A machine beside the node: a namespace with a kernel stack of its own behind one veth port of the bridge. */
export class Host {
  readonly name: string;
  readonly port: string;
  /** The first one, without its prefix length. */
  readonly address: string;

  private constructor(
    readonly options: HostOptions,
    readonly namespace: Namespace,
    readonly dir: string,
  ) {
    this.name = options.name;
    this.port = portOf(options);
    this.address = (options.addresses[0] ?? '').split('/')[0]!;
  }

  /** Makes the namespace and the cable to `node`; the caller plugs {@link Host.port} into the bridge. */
  static async create(lab: string, node: Namespace, dir: string, options: HostOptions): Promise<Host> {
    const port = portOf(options);
    if (port.length > 15) throw new Error(`port name ${port} is longer than 15 characters`);
    const namespace = await Namespace.create(`${lab}-${options.name}`);
    const ipv6 = options.addresses.some((address) => address.includes(':'));
    if (!ipv6)
      await namespace.sysctl({
        'net.ipv6.conf.all.disable_ipv6': 1,
        'net.ipv6.conf.default.disable_ipv6': 1,
      });
    await ip(node.name, [
      `link add ${port} type veth peer name eth0 netns ${namespace.name}`,
      `link set ${port} up`,
    ]);
    await ip(namespace.name, [
      ...(options.mac === undefined ? [] : [`link set eth0 address ${options.mac}`]),
      'link set eth0 up',
      ...options.addresses.map(
        (address) => `addr add ${address} dev eth0${address.includes(':') ? ' nodad' : ''}`,
      ),
      ...(options.gateway === undefined ? [] : [`route add default via ${options.gateway}`]),
    ]);
    // The userspace datapath hands packets on as they are: with offloads their checksums would never be filled in.
    await namespace.exec(['ethtool', '-K', 'eth0', 'tx', 'off', 'gso', 'off', 'gro', 'off', 'tso', 'off']);
    return new Host(options, namespace, dir);
  }

  exec(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    return this.namespace.exec(argv, options);
  }

  spawn(argv: readonly string[], options: Pick<RunOptions, 'env' | 'cwd'> = {}): RunningProcess {
    return this.namespace.spawn(argv, options);
  }

  /** Frames at this host's card. */
  capture(options: Omit<CaptureOptions, 'device'> = {}): Promise<Capture> {
    return Capture.start(this.namespace, this.dir, { ...options, device: 'eth0' });
  }

  /** One GET; `undefined` body when it failed. Body and time as curl saw them. */
  async curl(url: string, argv: readonly string[] = []): Promise<CurlResult> {
    const format = '\n%{http_code} %{time_total} %{local_port}';
    const result = await this.exec(['curl', '-sS', '--max-time', '3', '-w', format, ...argv, url], {
      allowFailure: true,
    });
    const at = result.stdout.lastIndexOf('\n');
    const [code, seconds, localPort] = result.stdout
      .slice(at + 1)
      .split(' ')
      .map(Number);
    return {
      ok: result.code === 0 && code === 200,
      code: code ?? 0,
      body: result.stdout.slice(0, Math.max(at, 0)),
      seconds: seconds ?? 0,
      localPort: localPort ?? 0,
      error: result.stderr.trim(),
    };
  }

  /** Gives the card another MAC, as if the machine had been replaced. */
  async setMac(mac: string): Promise<void> {
    await ip(this.namespace.name, ['link set eth0 down', `link set eth0 address ${mac}`, 'link set eth0 up']);
    if (this.options.gateway !== undefined)
      await ip(this.namespace.name, [`route replace default via ${this.options.gateway}`]);
  }

  async ping(address: string, count = 1): Promise<boolean> {
    const result = await this.exec(['ping', '-n', '-c', String(count), '-i', '0.2', '-W', '1', address], {
      allowFailure: true,
    });
    return result.code === 0;
  }
}

export interface CurlResult {
  readonly ok: boolean;
  /** HTTP status; 0 without an answer. */
  readonly code: number;
  readonly body: string;
  readonly seconds: number;
  readonly localPort: number;
  readonly error: string;
}

async function ip(namespace: string, commands: readonly string[]): Promise<void> {
  await run(['ip', '-n', namespace, '-batch', '-'], { input: `${commands.join('\n')}\n` });
}

function portOf(options: HostOptions): string {
  return options.port ?? `v-${options.name}`;
}

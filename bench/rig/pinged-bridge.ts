import { join } from 'node:path';
import type { Host } from '../../lab/host.js';
import { Lab } from '../../lab/lab.js';
import type { RunResult } from '../../lab/process.js';
import { pause } from '../../lab/until.js';

const ADDRESS = '10.9.0.2';
const INTERVAL_S = 0.002;

export interface Pings {
  readonly sent: number;
  readonly lost: number;
  /** Round trips in ms. */
  readonly median: number;
  readonly worst: number;
}

/** A bridge with two hosts that talk to each other through it, whatever is done to its tables. */
export class PingedBridge {
  private constructor(
    private readonly lab: Lab,
    private readonly from: Host,
  ) {}

  static async start(): Promise<PingedBridge> {
    const lab = await Lab.create();
    await lab.addBridge();
    const from = await lab.addHost({ name: 'from', addresses: ['10.9.0.1/24'] });
    await lab.addHost({ name: 'to', addresses: [`${ADDRESS}/24`] });
    const bridge = new PingedBridge(lab, from);
    await bridge.forward();
    return bridge;
  }

  get mgmt(): string {
    return join(this.lab.vswitch.rundir, 'br-lb.mgmt');
  }

  /** Removes every flow but the one that forwards. */
  async forward(): Promise<void> {
    const { vswitch } = this.lab;
    await vswitch.ofctl('br-lb', ['add-flow', 'table=0,priority=1,actions=NORMAL']);
    await vswitch.ofctl('br-lb', ['del-flows', 'table=11']);
  }

  ofctl(argv: readonly string[]): Promise<RunResult> {
    return this.lab.vswitch.ofctl('br-lb', argv);
  }

  /** What a ping every 2 ms met while `work` went on. */
  async during(work: () => Promise<unknown>): Promise<Pings> {
    const ping = this.from.spawn(['ping', '-n', '-i', String(INTERVAL_S), ADDRESS]);
    await ping.says(/icmp_seq=50 /);
    await work();
    await pause(100); // the last answers
    await ping.stop('SIGINT');
    const times = [...ping.stdout.matchAll(/ time=([\d.]+) ms/g)]
      .map((m) => Number(m[1]))
      .sort((a, b) => a - b);
    const [, sent, received] = /(\d+) packets transmitted, (\d+) received/.exec(ping.stdout) ?? [];
    return {
      sent: Number(sent),
      lost: Number(sent) - Number(received),
      median: times[times.length >> 1] ?? Number.NaN,
      worst: times.at(-1) ?? Number.NaN,
    };
  }

  close(): void {
    this.lab.close();
  }
}

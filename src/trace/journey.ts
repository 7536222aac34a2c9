import { KIND, type Owner, ownerOfCookie } from '../pipeline/index.js';
import { PacketFields } from './fields.js';
import type { TraceNames } from './names.js';
import type { TracedPass, TracedRule } from './ofproto.js';

/** A packet on its way through the tables, and what became of it. */
export class Journey {
  fields = new PacketFields(new Map());
  /** Fields as they were when the rule that is being explained was met. */
  before = new PacketFields(new Map());
  /** Ports the packet left by. */
  readonly outputs: string[] = [];
  flooded = false;
  answered = false;
  toAgent = false;
  /** Why nothing came out, where a step said so. */
  reason: string | undefined;
  listener = 0;
  pool = 0;
  member: string | undefined;
  slot: number | undefined;
  /** Of the listener or member; known once the packet left the provider. */
  tenant = 0;

  constructor(readonly names: TraceNames) {}

  begin(pass: TracedPass): void {
    this.fields = new PacketFields(pass.flow);
    this.note();
  }

  /** Applies what the rule did. */
  take(rule: TracedRule): void {
    this.before = this.fields;
    const next = new PacketFields(this.fields.all());
    this.fields = next;
    for (const action of rule.actions) {
      if (action.text.startsWith('group:')) this.flooded = true;
      if (action.text.startsWith('controller')) this.toAgent = true;
      next.apply(action);
      const out = /^(?:output:(\S+)|(IN_PORT))$/.exec(action.text);
      if (out !== null && action.warnings.length === 0)
        this.outputs.push(this.names.port(out[1] ?? this.entry));
    }
    this.note();
  }

  /** The port it came in by, also after rules that clear it. */
  get entry(): string {
    return this.entryPort;
  }

  private entryPort = '';

  get tenantId(): number {
    return this.fields.number('reg3');
  }

  get segmentId(): number {
    return this.fields.number('reg0');
  }

  get destination(): string {
    return this.fields.text('nw_dst');
  }

  /** `TCP port 80`, or the protocol alone. */
  get service(): string {
    const protocol = (['tcp', 'udp', 'icmp'] as const).find((p) => this.fields.has(p)) ?? 'IP';
    const port = protocol === 'icmp' || protocol === 'IP' ? '' : ` port ${this.fields.text('tp_dst')}`;
    return `${protocol.toUpperCase()}${port}`;
  }

  private note(): void {
    const inPort = this.fields.text('in_port');
    if (this.entryPort === '') this.entryPort = inPort;
    if (this.tenantId !== 0) this.tenant = this.tenantId;
    const listener = this.fields.number('reg5') & 0xffff;
    if (listener !== 0) this.listener = listener;
    const pool = this.fields.number('reg4');
    if (pool !== 0) this.pool = pool;
  }
}

export function ownerOf(rule: TracedRule): Owner | undefined {
  return ownerOfCookie(rule.cookie);
}

export function isLearnedRule(rule: TracedRule): boolean {
  const kind = ownerOf(rule)?.kind;
  return kind === KIND.learnedFdb || kind === KIND.learnedAdjacency || kind === KIND.learnedHairpin;
}

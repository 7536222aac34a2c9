/** What `ofproto/trace` prints, as data (ovs-vswitchd(8), "OFPROTO COMMANDS"). */

/** One line below a rule: an action, or `bucket 0` of a group. */
export interface TracedAction {
  readonly text: string;
  /** Lines that begin with `->`: what came of it. */
  readonly results: readonly string[];
  /** Lines that begin with `>>`: what the switch has against it. */
  readonly warnings: readonly string[];
}

export interface TracedRule {
  readonly table: number;
  /** As printed; empty for a rule that matches everything. Undefined: no rule matched. */
  readonly match?: string;
  readonly priority: number;
  readonly cookie: bigint;
  readonly actions: readonly TracedAction[];
}

/** From the beginning, or from where conntrack handed the packet on, to the next such place. */
export interface TracedPass {
  /** Why it goes on here; absent in the first pass. */
  readonly resumed?: {
    /** Words of ct_state; empty where the packet was recirculated for another reason. */
    readonly ctState: readonly string[];
    /** Nobody said what conntrack answers. */
    readonly assumed: boolean;
    /** Addresses as conntrack leaves them, where the trace translates. */
    readonly translated?: ReadonlyMap<string, string>;
  };
  readonly flow: ReadonlyMap<string, string>;
  readonly rules: readonly TracedRule[];
  readonly finalFlow: ReadonlyMap<string, string>;
  readonly datapathActions: string;
}

/** Text that isn't a trace. */
export class TraceSyntaxError extends Error {
  override readonly name = 'TraceSyntaxError';
}

/** @throws TraceSyntaxError where there is no flow and no rule in it */
export function parseTrace(text: string): TracedPass[] {
  const passes: TracedPass[] = [];
  let building = new PassBuilder();
  for (const line of text.split('\n')) {
    if (/^recirc\(0x[0-9a-f]+\)/.test(line)) {
      if (building.begun) passes.push(building.take());
      building = new PassBuilder(line);
    } else building.line(line);
  }
  if (building.begun) passes.push(building.take());
  if (passes.length === 0) throw new TraceSyntaxError(`not an ofproto/trace: ${text.slice(0, 200)}`);
  return passes;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Action extends TracedAction {
  readonly results: string[];
  readonly warnings: string[];
}

const RULE = /^ *(\d{1,3})\. (.*)$/;
const PRIORITY = /^(?:(.*), )?priority (\d+)(?:, cookie 0x([0-9a-f]+))?$/;

class PassBuilder {
  private flow: ReadonlyMap<string, string> | undefined;
  private finalFlow: ReadonlyMap<string, string> | undefined;
  private readonly rules: (Omit<TracedRule, 'actions'> & { readonly actions: Action[] })[] = [];
  private datapathActions = '';
  private readonly resumed: Mutable<NonNullable<TracedPass['resumed']>> | undefined;

  constructor(recirculation?: string) {
    if (recirculation === undefined) return;
    const state = /resume conntrack with (default )?ct_state=([a-z|]+)/.exec(recirculation);
    this.resumed = { ctState: state?.[2]?.split('|') ?? [], assumed: state?.[1] !== undefined };
  }

  get begun(): boolean {
    return this.flow !== undefined;
  }

  take(): TracedPass {
    const flow = this.flow ?? new Map<string, string>();
    return {
      ...(this.resumed === undefined ? {} : { resumed: this.resumed }),
      flow,
      rules: this.rules,
      finalFlow: this.finalFlow ?? flow,
      datapathActions: this.datapathActions,
    };
  }

  line(line: string): void {
    const rule = RULE.exec(line);
    if (rule !== null) this.rule(Number(rule[1]), rule[2]!);
    else if (line.startsWith('Flow: ')) this.flow = parseFields(line.slice(6));
    else if (line.startsWith('Final flow: ')) {
      const text = line.slice(12);
      this.finalFlow = text === 'unchanged' ? this.flow : parseFields(text);
    } else if (line.startsWith('Datapath actions: ')) this.datapathActions = line.slice(18);
    else if (line.startsWith(' Modified flow: ')) {
      const translated = parseFields(line.slice(16));
      if (this.resumed !== undefined && translated.size > 0) this.resumed.translated = translated;
    } else if (line.startsWith(' ')) this.action(line.trim());
  }

  private rule(table: number, text: string): void {
    const parts = PRIORITY.exec(text);
    this.rules.push({
      table,
      ...(parts === null ? {} : { match: parts[1] ?? '' }),
      priority: Number(parts?.[2] ?? 0),
      cookie: BigInt(`0x${parts?.[3] ?? '0'}`),
      actions: [],
    });
  }

  private action(text: string): void {
    const actions = this.rules.at(-1)?.actions;
    if (actions === undefined || text === '') return;
    const last = actions.at(-1);
    if (text.startsWith('-> ')) last?.results.push(text.slice(3));
    else if (text.startsWith('>> ')) {
      // A rule's own refusal, like too deep a recursion, has no action before it.
      if (last === undefined) actions.push({ text: '', results: [], warnings: [text.slice(3)] });
      else last.warnings.push(text.slice(3));
    } else if (!/^No match\.?$/.test(text)) actions.push({ text, results: [], warnings: [] });
  }
}

/** `tcp,nw_src=10.0.0.1,…` as a map; a word without a value maps to itself. */
export function parseFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of text.split(',')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    fields.set(at < 0 ? part : part.slice(0, at), at < 0 ? part : part.slice(at + 1));
  }
  return fields;
}

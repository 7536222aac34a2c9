/** A line of `ovs-ofctl dump-flows`, in parts. */
export interface DumpedFlow {
  readonly table: number;
  readonly priority: number;
  readonly cookie: bigint;
  /** Seconds since it was installed. */
  readonly duration: number;
  readonly packets: number;
  readonly bytes: number;
  readonly idleTimeout: number;
  readonly hardTimeout: number;
  /** As printed, without the priority. */
  readonly match: string;
  readonly actions: string;
  readonly line: string;
}

/** Parses the output of `ovs-ofctl dump-flows` of any version. */
export function parseFlows(dump: string): DumpedFlow[] {
  return dump
    .split('\n')
    .filter((line) => line.includes('actions='))
    .map(parseFlow);
}

/** The learned flows carry timeouts; all others are the agent's own. */
export function isLearned(flow: DumpedFlow): boolean {
  return flow.idleTimeout > 0 || flow.hardTimeout > 0;
}

/** Cookie: tenant(16) | kind(8) | object(24) | signature(16). */
export function tenantOf(flow: DumpedFlow): number {
  return Number(flow.cookie >> 48n);
}

export function kindOf(flow: DumpedFlow): number {
  return Number((flow.cookie >> 40n) & 0xffn);
}

/** What is compared when a flow is said to be untouched: everything but counters and times. */
export function identity(flow: DumpedFlow): string {
  return `${flow.table}|${flow.priority}|${flow.match}|${flow.actions}`;
}

function parseFlow(line: string): DumpedFlow {
  const at = line.indexOf(' actions=');
  const head = line.slice(0, at).trim();
  const number = (name: string) => Number(new RegExp(`(?:^|[ ,])${name}=([0-9.]+)`).exec(head)?.[1] ?? 0);
  const specification = head.split(' ').at(-1) ?? '';
  const priority = /(?:^|,)priority=(\d+)/.exec(specification)?.[1];
  return {
    table: number('table'),
    priority: priority === undefined ? 32768 : Number(priority),
    cookie: BigInt(/cookie=(0x[0-9a-f]+)/.exec(head)?.[1] ?? 0),
    duration: number('duration'),
    packets: number('n_packets'),
    bytes: number('n_bytes'),
    idleTimeout: number('idle_timeout'),
    hardTimeout: number('hard_timeout'),
    match: matchOf(specification),
    actions: line.slice(at + ' actions='.length),
    line: line.trim(),
  };
}

/** The last word before the actions is the match, unless the flow matches everything at the default priority. */
function matchOf(specification: string): string {
  if (
    /^(n_bytes|n_packets|idle_age|hard_age|idle_timeout|hard_timeout|table|duration|cookie)=/.test(
      specification,
    )
  )
    return '';
  return specification.replace(/(?:^|,)priority=\d+/, '').replace(/^,/, '');
}

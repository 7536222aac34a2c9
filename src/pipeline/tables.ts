/** The tables as data: what generates the documentation, the table misses and the names that people see. */
export interface Table {
  readonly number: number;
  readonly name: string;
  readonly stage:
    | 'ingress'
    | 'classify'
    | 'answer'
    | 'balance'
    | 'reverse'
    | 'route'
    | 'switch'
    | 'subroutine';
  /** What happens to a packet that no rule of the table takes. */
  readonly miss: 'drop' | { readonly goto: number } | { readonly output: 'in_port' };
  readonly about: string;
}

function table(
  number: number,
  name: string,
  stage: Table['stage'],
  miss: Table['miss'],
  about: string,
): Table {
  return { number, name, stage, miss, about };
}

export const TABLES = {
  ingress: table(
    0,
    'ingress',
    'ingress',
    'drop',
    'port, VLAN or VNI → tenant and segment; learns MACs and adjacencies',
  ),
  l2: table(1, 'classify-l2', 'classify', { goto: 24 }, 'ARP, frames to the gateway MAC, all others'),
  l3: table(2, 'classify-l3', 'classify', { goto: 15 }, 'VIPs and gateway addresses, all other IP'),
  arp: table(5, 'arp', 'answer', { goto: 25 }, 'answers for our addresses, tells the agent about neighbours'),
  echo: table(6, 'echo', 'answer', 'drop', 'answers ICMP echo'),
  listener: table(10, 'listener', 'balance', 'drop', 'known connections, and a slot for others'),
  slots: table(11, 'slots', 'balance', 'drop', 'slot → member'),
  member: table(12, 'member', 'balance', 'drop', 'translation to the member'),
  reverseL3: table(15, 'reverse-l3', 'reverse', { goto: 20 }, 'routed packets of members: back to the VIP'),
  afterCt: table(16, 'after-ct', 'reverse', { goto: 20 }, 'answers to clients of an external network'),
  stateless: table(17, 'reverse-stateless', 'subroutine', 'drop', 'source := VIP, but not between members'),
  routes: table(20, 'routes', 'route', 'drop', 'longest prefix → segment and next hop'),
  adjacency: table(21, 'adjacency', 'route', 'drop', 'next hop → MAC and port'),
  reverseL2: table(24, 'reverse-l2', 'reverse', { goto: 25 }, 'switched packets of members: back to the VIP'),
  fdb: table(25, 'fdb', 'switch', 'drop', 'destination MAC → port, or the segment'),
  sender: table(26, 'to-sender', 'switch', { output: 'in_port' }, 'back out the way the packet came in'),
  tenantRate: table(30, 'tenant-rate', 'subroutine', 'drop', 'bandwidth meter of the tenant'),
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;

export const TABLE_LIST: readonly Table[] = Object.values(TABLES);

export function tableByNumber(number: number): Table | undefined {
  return TABLE_LIST.find((t) => t.number === number);
}

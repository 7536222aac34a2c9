/** Configurations that are wrong in one way each: shown to users with the message they get. */
export interface WrongConfig {
  readonly title: string;
  /** Replaces in the good tenant file; or a whole file. */
  readonly files: Readonly<Record<string, string>>;
  readonly message: string;
}

export const NODE = `node: lb-1
bridge: br-lb
external_networks:
  - name: public
    ports: [{ name: uplink0 }]
    subnets: [192.168.5.0/24]
    address: 192.168.5.1
    gateway: 192.168.5.254
`;

export const ACME = `tenant: acme
id: 7
segments:
  - name: p2
    subnets: [10.20.0.0/24]
    ports:
      - { name: v-a-be1 }
      - { name: trunk0, vlan: 120 }
load_balancers:
  - name: web
    vip_address: 10.20.0.100
    segment: p2
    listeners:
      - name: http
        protocol: TCP
        protocol_port: 80
        default_pool: web
pools:
  - name: web
    slots: 251
    members:
      - { name: be1, address: 10.20.0.2, protocol_port: 8080 }
      - { name: be2, address: 10.20.0.3, protocol_port: 8080 }
    health_monitor: { type: HTTP, delay: 2, timeout: 1, url_path: /health }
`;

const acme = (from: string, to: string): Record<string, string> => {
  if (!ACME.includes(from)) throw new Error(`nothing to replace: ${from}`);
  return { 'node.yaml': NODE, 'tenants.d/acme.yaml': ACME.replace(from, to) };
};

export const WRONG: readonly WrongConfig[] = [
  {
    title: 'A key is misspelt',
    files: acme('    slots: 251', '    slot: 251'),
    message: 'tenants.d/acme.yaml:20:5 pools[0].slot: unknown key; did you mean "slots"?',
  },
  {
    title: 'A key stands twice',
    files: acme('id: 7', 'id: 7\nid: 8'),
    message:
      'tenants.d/acme.yaml:3:1: the key stands here for the second time in this mapping; keep one of them',
  },
  {
    title: 'An address has a leading zero',
    files: acme('address: 10.20.0.3', 'address: 10.20.0.03'),
    message:
      'tenants.d/acme.yaml:23:31 pools[0].members[1].address: "10.20.0.03" has a number with a leading zero, which some programs read as octal; write 10.20.0.3 if that is meant',
  },
  {
    title: 'A subnet has host bits',
    files: acme('10.20.0.0/24', '10.20.0.1/24'),
    message:
      'tenants.d/acme.yaml:5:15 segments[0].subnets[0]: "10.20.0.1/24" has host bits set; the network is 10.20.0.0/24',
  },
  {
    title: 'A text where a number belongs',
    files: acme('protocol_port: 80\n', 'protocol_port: http\n'),
    message:
      'tenants.d/acme.yaml:16:24 load_balancers[0].listeners[0].protocol_port: expected a whole number from 1 to 65535, not "http"',
  },
  {
    title: 'A reference leads nowhere',
    files: acme('default_pool: web', 'default_pool: wbe'),
    message:
      'tenants.d/acme.yaml:17:23 load_balancers[0].listeners[0].default_pool: there is no pool "wbe"; did you mean "web"?',
  },
  {
    title: 'The VIP is outside its segment',
    files: acme('10.20.0.100', '10.30.0.100'),
    message:
      'tenants.d/acme.yaml:11:18 load_balancers[0].vip_address: 10.30.0.100 is no host address of 10.20.0.0/24, the subnets of segment "p2"',
  },
  {
    title: "A member can't be reached",
    files: acme('address: 10.20.0.3', 'address: 10.40.0.3'),
    message:
      "tenants.d/acme.yaml:23:31 pools[0].members[1].address: 10.40.0.3 can't be reached: it is in no subnet of the tenant's segments and no route leads to it",
  },
  {
    title: 'Too few slots',
    files: acme('slots: 251', 'slots: 7'),
    message:
      'tenants.d/acme.yaml:20:12 pools[0].slots: 7 slots are too few for 2 members with weight; at least 8 are needed, 20 or more are good',
  },
  {
    title: 'Two tenants with one id',
    files: {
      'node.yaml': NODE,
      'tenants.d/acme.yaml': ACME,
      'tenants.d/umbrella.yaml': 'tenant: umbrella\nid: 7\n',
    },
    message:
      'tenants.d/umbrella.yaml:2:5 id: id 7 belongs to tenant "acme"; choose another, or leave it out to get a free one',
  },
  {
    title: 'A port that another tenant has',
    files: {
      'node.yaml': NODE,
      'tenants.d/acme.yaml': ACME,
      'tenants.d/umbrella.yaml':
        'tenant: umbrella\nsegments:\n  - name: p2\n    subnets: [10.20.0.0/24]\n    ports:\n      - { name: trunk0, vlan: 120 }\n',
    },
    message:
      'tenants.d/umbrella.yaml:6:9 segments[0].ports[0]: VLAN 120 of trunk0 is already a port of tenant "acme", segment "p2"; a port belongs to one segment only',
  },
  {
    title: 'A public VIP in a network that node.yaml lacks',
    files: acme(
      '    vip_address: 10.20.0.100\n    segment: p2',
      '    vip_address: 192.168.5.100\n    external_network: publik',
    ),
    message:
      'tenants.d/acme.yaml:12:23 load_balancers[0].external_network: there is no external network "publik"; did you mean "public"?',
  },
  {
    title: 'A reversed range of status codes',
    files: acme('url_path: /health', 'expected_codes: 299-200'),
    message:
      'tenants.d/acme.yaml:24:73 pools[0].health_monitor.expected_codes: range 299-200 is reversed; write 200-299',
  },
];

import { bold, roff, title } from '../cli/roff.js';
import { EXAMPLES, flagsOf, OPTIONS, SIGNALS, STATUSES, SUMMARY } from './options.js';

const FILES: readonly (readonly [string, string])[] = [
  ['/etc/hpnn/node.yaml', 'the node: bridge, OpenFlow, API, external networks'],
  ['/etc/hpnn/tenants.d/*.yaml', 'one file per tenant'],
  ['/var/lib/hpnn', 'numbers given out and administrative states; keep it over upgrades'],
  ['/run/hpnn/agent.sock', 'where lbctl asks'],
];

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['OVS_RUNDIR', 'where the pid file and the control socket of ovs-vswitchd are looked for'],
  ['NOTIFY_SOCKET', 'set by systemd: readiness is told there, with systemd-notify(1)'],
];

const list = (entries: readonly (readonly [string, string])[]): string =>
  entries.map(([name, text]) => `.TP\n${bold(name)}\n${roff(text)}\n`).join('');

/** hpnn-agent(8), from what --help is made from. */
export function agentManPage(): string {
  const options = OPTIONS.map((option): readonly [string, string] => [
    flagsOf(option),
    option.standard === undefined ? option.about : `${option.about}; default ${option.standard}`,
  ]);
  return `${title('hpnn-agent', 8)}.SH NAME
hpnn\\-agent \\- ${roff(SUMMARY)}
.SH SYNOPSIS
.B hpnn\\-agent
[\\fB\\-\\-config\\fR \\fIDIR\\fR] [\\fB\\-\\-log\\-level\\fR \\fILEVEL\\fR]
.br
.B hpnn\\-agent \\-\\-check
[\\fIDIR\\fR]
.SH DESCRIPTION
${roff(`One process per node. The bridge is pointed at it with "ovs-vsctl set-controller"; tenants are described in YAML. It
speaks OpenFlow 1.3 or 1.5 with the switch, resolves neighbours and checks the health of members by packets that the
switch sends for it. Flows have no time-outs: while the agent is away the switch goes on forwarding.`)}
.SH OPTIONS
${list(options)}.SH SIGNALS
${list(SIGNALS)}.SH EXIT STATUS
${list(STATUSES)}.SH ENVIRONMENT
${list(ENVIRONMENT)}.SH FILES
${list(FILES)}.SH EXAMPLES
.nf
${EXAMPLES.map((example) => `${roff(example)}\n`).join('')}.fi
.SH SEE ALSO
.BR lbctl (1),
.BR ovs\\-vsctl (8),
.BR ovs\\-vswitchd (8)
`;
}

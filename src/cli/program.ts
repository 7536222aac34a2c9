/** All commands with their options, descriptions and examples: what --help, man pages and completion are made from. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { FlowKind } from '../api/types.js';
import { logLevels, setAdministrative } from './commands/admin.js';
import { type CaptureOptions, capture } from './commands/capture.js';
import { applyConfig, checkConfig, planConfig, showConfig, showSchema } from './commands/config.js';
import {
  showConnections,
  showDrops,
  showFdb,
  showFlows,
  showGroups,
  showHealth,
  showMeters,
  showNeighbours,
  showPorts,
  showSlots,
} from './commands/show.js';
import { diffFlows, showStatus } from './commands/status.js';
import { followEvents, type TraceOptions, tracePacket } from './commands/trace.js';
import { type Context, createContext } from './context.js';
import type { Io } from './io.js';
import { repeat } from './watch.js';

export interface Program {
  readonly root: Command;
  readonly examples: ReadonlyMap<Command, readonly string[]>;
  /** Status of the command that ran. */
  exitCode(): number;
}

/** Resolves with the exit status, or with nothing for 0. */
type Run = (context: Context, ...values: never[]) => Promise<unknown>;

const FLOW_KINDS: readonly FlowKind[] = [
  'node',
  'tenant',
  'segment',
  'listener',
  'pool',
  'member',
  'neighbours',
  'learned-mac',
  'learned-neighbour',
  'learned-answer',
];

export const GLOBAL_EXAMPLES = [
  'lbctl status',
  'lbctl health -t acme -p web',
  'lbctl slots -f csv --no-headings',
] as const;

export function createProgram(io: Io, version: string, now: () => number = Date.now): Program {
  const examples = new Map<Command, readonly string[]>();
  let status = 0;
  const root = new Command('lbctl');
  root
    .description('Shows and controls hpnn-agent, the load balancer and router on Open vSwitch')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
    .addOption(
      new Option(
        '--remote <where>',
        'agent to ask: unix:PATH or tcp:HOST:PORT (default: $HPNN_API, else unix:/run/hpnn/agent.sock)',
      ),
    )
    .addOption(
      new Option('-f, --format <format>', 'how to print').choices(['table', 'json', 'csv']).default('table'),
    )
    .option('--no-headings', 'leave out the line of headings')
    .option('-t, --tenant <tenant>', 'only this tenant')
    .option('-p, --pool <pool>', 'only pools of this name')
    .option('--watch [seconds]', 'show again every 2 or so many seconds, until Ctrl-C', (text: string) =>
      number(text, 0.1, 3600),
    );

  root.addHelpText(
    'after',
    `\nExamples:\n${GLOBAL_EXAMPLES.map((s) => `  $ ${s}`).join('\n')}\n\nExit status: 0 done, 1 wrong usage or no agent, 2 refused (or diff-flows differs), 65 --wait was too short`,
  );

  const add = (
    parent: Command,
    usage: string,
    description: string,
    samples: readonly string[],
    run?: Run,
  ): Command => {
    const command = parent.command(usage).description(description);
    examples.set(command, samples);
    command.addHelpText(
      'after',
      `\n${samples.length > 1 ? 'Examples' : 'Example'}:\n${samples.map((s) => `  $ ${s}`).join('\n')}`,
    );
    if (run !== undefined) {
      command.action(async (...values: unknown[]) => {
        // Commander gives arguments, then options, then the command itself.
        const given = values.slice(0, -1) as never[];
        const context = createContext(command, io, now);
        const once = async (): Promise<void> => {
          const result = await run(context, ...given);
          status = typeof result === 'number' ? result : 0;
        };
        await (context.options.watch === undefined ? once() : repeat(context, command.name(), once));
      });
    }
    return command;
  };
  const show = (
    usage: string,
    description: string,
    run: Run,
    sample = `lbctl ${usage.split(' ')[0]} -t acme`,
  ): Command => add(root, usage, description, [sample], run);

  show('status', 'agent, switch connection and tenants', showStatus as Run, 'lbctl status').option(
    '--brief',
    'one line',
  );
  show(
    'health',
    'members, their operating status and why',
    showHealth as Run,
    'lbctl health -t acme --watch',
  );
  show(
    'slots',
    'slots of each member, its share, and the digest of the table',
    showSlots as Run,
    'lbctl slots -t acme -p web',
  );
  show('neigh', 'neighbour table', showNeighbours as Run);
  show('fdb', 'learned MAC addresses', showFdb as Run);
  show('conns', 'tracked connections', ((c: Context, o: { limit: number }) =>
    showConnections(c, o.limit)) as Run).addOption(
    new Option('--limit <rows>', 'show at most')
      .argParser((text) => number(text, 1, 1_000_000, true))
      .default(10_000),
  );
  show(
    'flows',
    'flows in the switch, with names for numbers',
    showFlows as Run,
    'lbctl flows -t acme --table 11',
  )
    .option('--table <number>', 'only this table', (text) => number(text, 0, 254, true))
    .addOption(new Option('--kind <kind>', 'only what is about such things').choices(FLOW_KINDS))
    .option('--raw', 'as ovs-ofctl prints them');
  show('ports', 'ports of the bridge and whose they are', showPorts as Run);
  show('groups', 'groups in the switch', showGroups as Run);
  show('meters', 'meters in the switch and what they dropped', showMeters as Run);
  show('drops', 'packets that rules and meters dropped, and why', showDrops as Run);

  add(
    root,
    'drain',
    'no new connections to a member; established ones stay for drain_timeout',
    ['lbctl drain acme/web/be1'],
    ((c: Context, names: string[]) => setAdministrative(c, 'drain', names)) as Run,
  ).argument('<tenant/pool/member...>', 'members');
  add(root, 'enable', 'a drained member serves again', ['lbctl enable acme/web/be1'], ((
    c: Context,
    names: string[],
  ) => setAdministrative(c, 'enable', names)) as Run).argument('<tenant/pool/member...>', 'members');

  add(
    root,
    'trace',
    "a packet's way through the tables, step by step, and why it is dropped where it is",
    [
      "lbctl trace -t acme --from v-a-client 'tcp 10.20.0.10:40000 > 10.20.0.100:80'",
      "lbctl trace -t acme 'icmp 10.20.0.10 > 10.20.0.1' --raw",
      "lbctl trace -t acme 'tcp 10.20.0.2:8080 > 10.20.0.10:40000' --tracked",
      "lbctl trace 'in_port=v-a-client,arp,arp_op=1,arp_spa=10.20.0.10,arp_tpa=10.20.0.1'",
    ],
    ((c: Context, packet: string, o: TraceOptions) => tracePacket(c, packet, o)) as Run,
  )
    .argument(
      '<packet>',
      "'tcp|udp IP:PORT > IP:PORT', 'icmp [TYPE[/CODE]] IP > IP' or 'arp [request|reply] IP > IP', with ttl=N src_mac=MAC dst_mac=MAC behind; or a flow with in_port= as ovs-ofctl writes it",
    )
    .option('--from <port>', 'OVS port, segment or external network it comes from; else found by its source')
    .option('--segment <segment>', 'of a port that has several')
    .option(
      '--ct-next <state>',
      'what conntrack says at its next lookup, like new or est,rpl; may be given several times',
      (state: string, before: string[] | undefined) => [...(before ?? []), state],
    )
    .option('--tracked', "take what conntrack says from its own table of the tenant's connections")
    .option('--json', 'the same as -f json')
    .option('--raw', 'what ofproto/trace printed');
  add(
    root,
    'capture',
    'the OpenFlow channel and punted packets, live as text, or as pcapng for Wireshark',
    [
      'lbctl capture --class flow_mod',
      'lbctl capture -t acme -o acme.pcapng --duration 60',
      'lbctl capture -o - | wireshark -k -i -',
    ],
    ((c: Context, o: CaptureOptions) => capture(c, o)) as Run,
  )
    .option('-o, --output <file>', 'write pcapng to a file; - is standard output')
    .option('--class <class...>', 'only these messages: flow_mod, packet_in, bundle, barrier, error, …')
    .option('--no-frames', 'leave the frames punted and injected out of the file')
    .option('--duration <seconds>', 'end after so long; an hour where not given', (text: string) =>
      number(text, 0.1, 86_400),
    )
    .option('--rate <messages>', 'drop and count what is more per second; 10000 where not given', (text) =>
      number(text, 1, 1_000_000, true),
    )
    .option('--max-size <MiB>', 'end at so much; 1024 where not given', (text) =>
      number(text, 0.001, 1_000_000),
    );
  add(root, 'events', 'what happens, as it happens', ['lbctl events -t acme'], ((
    c: Context,
    o: { since?: number },
  ) => followEvents(c, o)) as Run).option(
    '--since <number>',
    'begin after the event of this number',
    (text) => number(text, 0, Number.MAX_SAFE_INTEGER, true),
  );

  addConfig(root, add);

  add(
    root,
    'diff-flows',
    'desired against installed; exit status 2 where they differ',
    ['lbctl diff-flows -t acme'],
    diffFlows as Run,
  );
  add(
    root,
    'log',
    'shows log levels, and sets them',
    ['lbctl log', 'lbctl log health:debug', 'lbctl log any:info'],
    ((c: Context, settings: string[]) => logLevels(c, settings)) as Run,
  ).argument('[module:level...]', 'levels to set');
  add(
    root,
    'ofp-print',
    'prints OpenFlow messages given as hexadecimal digits; needs no agent',
    ['lbctl ofp-print 0602000800000001', 'lbctl ofp-print - --json < messages.hex'],
    (async (c: Context, hex: string[], o: { json?: boolean; roundtrip?: boolean }) => {
      const { ofpPrint } = await import('./ofp-print.js');
      return ofpPrint([...hex, ...(o.json ? ['--json'] : []), ...(o.roundtrip ? ['--roundtrip'] : [])], c.io);
    }) as Run,
  )
    .argument('<hex...>', 'a message; - reads one per line from standard input')
    .option('--json', 'as data')
    .option('--roundtrip', 'encode again and report differences (exit status 2)');
  add(
    root,
    'completion',
    'prints the completion script of a shell',
    ['lbctl completion bash > /etc/bash_completion.d/lbctl'],
    (async (c: Context) => {
      const { bashCompletion } = await import('./completion.js');
      c.print(bashCompletion(root));
    }) as Run,
  ).addArgument(root.createArgument('[shell]', 'the shell').choices(['bash']).default('bash'));

  return { root, examples, exitCode: () => status };
}

type Add = (
  parent: Command,
  usage: string,
  description: string,
  samples: readonly string[],
  run?: Run,
) => Command;

function addConfig(root: Command, add: Add): void {
  const config = add(root, 'config', 'the configuration', ['lbctl config check /etc/hpnn']);
  add(
    config,
    'check',
    'validates; with a directory no agent is needed',
    ['lbctl config check /etc/hpnn', 'lbctl config check'],
    ((c: Context, dir?: string) => checkConfig(c, dir)) as Run,
  ).argument('[dir]', 'directory with node.yaml and tenants.d; without one the agent checks its own');
  add(
    config,
    'plan',
    'the exact changes that applying would send; nothing is changed',
    ['lbctl config plan', 'lbctl config plan ./next -t acme'],
    ((c: Context, dir?: string) => planConfig(c, dir)) as Run,
  ).argument('[dir]', "directory on the agent's machine; without one the agent's own");
  add(
    config,
    'apply',
    'reloads the directory; --wait returns when the switch has committed, with -t what is of that tenant',
    ['lbctl config apply --wait 5', 'lbctl config apply --wait 5 -t acme'],
    ((c: Context, o: { wait?: number | true }) => applyConfig(c, o.wait === true ? 10 : o.wait)) as Run,
  ).option(
    '--wait [seconds]',
    'wait for the switch, 10 or so many seconds; exit status 65 where it is late',
    (text: string) => number(text, 0, 3600),
  );
  add(
    config,
    'show',
    'the configuration in force, in the words of its files, with defaults and ids',
    ['lbctl config show -t acme'],
    showConfig as Run,
  );
  add(config, 'schema', 'JSON Schema for editors', ['lbctl config schema tenant > tenant.schema.json'], ((
    c: Context,
    which: string,
  ) => showSchema(c, which)) as Run).addArgument(
    root.createArgument('<file>', 'of which file').choices(['node', 'tenant']),
  );
}

function number(text: string, min: number, max: number, whole = false): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= min && value <= max) || (whole && !Number.isInteger(value))) {
    throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}.`);
  }
  return value;
}

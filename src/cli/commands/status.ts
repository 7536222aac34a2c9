/** `status` and `diff-flows`: is all well? */
import type { DiffResult, Status, TenantStatus } from '../../api/types.js';
import type { Context } from '../context.js';
import { EXIT } from '../io.js';
import { ago, type Column, count, paint, printable } from '../render.js';
import { paintStatus } from './show.js';

const columns: readonly Column<TenantStatus>[] = [
  { title: 'tenant', get: (t) => t.tenant },
  { title: 'id', get: (t) => t.id },
  {
    title: 'state',
    get: (t) => t.state,
    paint: (t) => (t.state === 'applied' ? 'good' : t.state === 'pending' ? 'odd' : 'bad'),
  },
  { title: 'status', get: (t) => t.operatingStatus, paint: (t) => paintStatus(t.operatingStatus) },
  { title: 'members', get: (t) => `${t.membersOnline}/${t.members}` },
  { title: 'flows', get: (t) => t.flows },
  { title: 'generation', get: (t) => `${t.appliedGeneration}/${t.generation}` },
  { title: 'drift', get: (t) => t.drift },
  { title: 'connections', get: (t) => t.connections },
  { title: 'limit', get: (t) => t.connectionLimit },
];

export async function showStatus(context: Context, options: { brief?: boolean }): Promise<void> {
  const status = await context.client.get<Status>('/status', { ...context.filter });
  if (context.render.format !== 'table') {
    if (context.render.format === 'json') context.value(status, () => '');
    else context.rows(status.tenants, columns);
    return;
  }
  if (options.brief) {
    context.print(`${brief(status)}\n`);
    return;
  }
  context.print(head(status, context));
  if (status.tenants.length > 0) {
    context.print('\n');
    context.rows(status.tenants, columns);
  }
  const errors = status.tenants.flatMap((t) => t.errors.map((error) => `${t.tenant}: ${printable(error)}\n`));
  const problems = status.config.problems.map(
    (p) =>
      `${p.file}:${p.line}:${p.column}${p.path === '' ? '' : ` ${p.path}`}: ${p.severity === 'warning' ? 'warning: ' : ''}${printable(p.message)}\n`,
  );
  if (errors.length + problems.length > 0) context.print(`\n${errors.join('')}${problems.join('')}`);
}

function brief(status: Status): string {
  const counts = new Map<string, number>();
  for (const tenant of status.tenants) counts.set(tenant.state, (counts.get(tenant.state) ?? 0) + 1);
  const states = [...counts].map(([state, n]) => `${n} ${state}`).join(', ');
  return [
    `${status.node}: ${status.ready ? 'ready' : 'not ready'}`,
    status.switch.connected ? `switch connected (${status.switch.version ?? '?'})` : 'switch not connected',
    `tenants: ${states === '' ? 'none' : states}`,
    `flows ${status.flowsInstalled}/${status.flowsDesired}`,
  ].join('; ');
}

function head(status: Status, context: Context): string {
  const { colors } = context.render;
  const now = context.now();
  const s = status.switch;
  const details = [s.version, s.peer, s.datapathId === undefined ? undefined : `dpid ${s.datapathId}`].filter(
    (d) => d !== undefined,
  );
  const rtt = s.rttMs === undefined ? '' : `, echo ${s.rttMs.toFixed(2)} ms`;
  const channel = s.connected
    ? `${paint('connected', 'good', colors)} for ${ago(s.since, now) ?? '?'}, ${details.join(', ')}${rtt}`
    : `${paint('not connected', 'bad', colors)}${s.since === undefined ? '' : ` for ${ago(s.since, now)}`}${s.reason === undefined ? '' : `: ${printable(s.reason)}`}`;
  return [
    `node      ${status.node}, ${paint(status.ready ? 'ready' : 'not ready', status.ready ? 'good' : 'bad', colors)}`,
    `agent     ${status.version}, pid ${status.pid}, up ${ago(status.startedAt, now)}`,
    `bridge    ${status.bridge}, ${channel}`,
    `config    ${status.config.dir}, generation ${status.config.generation}, loaded ${ago(status.config.loadedAt, now)} ago`,
    `flows     ${status.flowsInstalled} of ${status.flowsDesired} confirmed by the switch`,
    '',
  ].join('\n');
}

export async function diffFlows(context: Context): Promise<number> {
  const result = await context.client.get<DiffResult>('/diff-flows', { ...context.filter });
  if (context.render.format === 'table') {
    for (const d of result.differences) {
      const who = `${d.tenant ?? '(node)'} ${d.owner}`;
      const lines = [
        d.installed === undefined ? '' : `- ${d.installed}\n`,
        d.desired === undefined ? '' : `+ ${d.desired}\n`,
      ];
      context.print(`${who}: ${d.kind} ${d.difference}\n${lines.join('')}`);
    }
    context.print(
      result.equal
        ? `equal: ${result.compared} compared\n`
        : `${count(result.differences.length, 'difference')}, ${result.compared} compared ("-" is in the switch, "+" should be)\n`,
    );
  } else if (context.render.format === 'json') context.value(result, () => '');
  else {
    context.rows(result.differences, [
      { title: 'tenant', get: (d) => d.tenant },
      { title: 'owner', get: (d) => d.owner },
      { title: 'kind', get: (d) => d.kind },
      { title: 'difference', get: (d) => d.difference },
      { title: 'installed', get: (d) => d.installed },
      { title: 'desired', get: (d) => d.desired },
    ]);
  }
  return result.equal ? EXIT.ok : EXIT.refused;
}

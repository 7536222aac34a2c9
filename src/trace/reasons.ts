import { formatIpv4, parseIpv4 } from '../model/address.js';
import type { ListenerIntent } from '../model/types.js';
import { type DropReason, dropOf } from '../pipeline/index.js';
import type { Journey } from './journey.js';
import type { TracedRule } from './ofproto.js';

/** Why a rule that drops on purpose drops this packet; undefined where the rule isn't one of those. */
export function reasonOf(journey: Journey, rule: TracedRule): string | undefined {
  if (rule.actions.some((a) => a.text !== 'drop' && a.text !== '')) return undefined;
  const drop = dropOf(rule);
  return drop === undefined ? undefined : REASONS[drop.reason]?.(journey, drop.owner.object);
}

type Reason = (journey: Journey, object: number) => string;

/** The reasons that this release knows by name; others are told as the rule's. */
const REASONS: Partial<Record<DropReason, Reason>> = {
  'listener-refuses': (j, object) => refusal(j, object),
  'vip-without-listener': (j) => withoutListener(j),
  'not-for-insiders': (j, object) =>
    `listener ${j.names.listenerName(j.tenantId, object)} is stateless and public: it serves clients of its external network alone`,
  'empty-pool': (j, object) => emptyPool(j, object),
  'unknown-destination': (j) => `no route to ${j.destination || 'that'}`,
  'connection-limit': (j) =>
    `tenant ${j.names.tenantName(j.tenantId)} has as many connections as its limit allows`,
  'not-a-vip': (j) =>
    `${j.destination || 'that'} is no public VIP, and nothing else is reachable from an external network`,
  'unknown-port': (j) => unknownPort(j),
  'not-tracked': (j) =>
    `conntrack knows no connection that this ${j.fields.has('icmp') ? 'ICMP error' : 'fragment'} could belong to`,
};

function refusal(j: Journey, object: number): string {
  const listener = j.names.listener(j.tenantId, object);
  const name = `listener ${j.names.listenerName(j.tenantId, object)}`;
  if (listener === undefined) return `${name} refuses`;
  if (!listener.adminStateUp) return `${name} is switched off (admin_state_up: false)`;
  if (listener.poolId === undefined) return `${name} has no default_pool`;
  return `${name} is not for ${j.fields.text('nw_src')}: allowed_cidrs are ${cidrs(listener)}`;
}

function cidrs({ allowedCidrs }: ListenerIntent): string {
  const texts = allowedCidrs.map((c) => `${formatIpv4(c.address)}/${c.length}`);
  return texts.length > 5 ? `${texts.slice(0, 5).join(', ')} and ${texts.length - 5} more` : texts.join(', ');
}

function withoutListener(j: Journey): string {
  const address = parseIpv4(j.destination);
  const all = (j.names.tenant(j.tenantId)?.listeners ?? []).filter(
    (l) => address.ok && l.vip === address.value,
  );
  const has = all
    .slice(0, 5)
    .map((l) => `${l.protocol} ${l.port} (${l.loadBalancer}/${l.name})`)
    .join(', ');
  return `VIP ${j.destination} has no listener for ${j.service}${has === '' ? '' : `; it has ${has}`}`;
}

function emptyPool(j: Journey, object: number): string {
  const pool = j.names.pool(object);
  const name = `pool ${j.names.poolName(object)}`;
  if (pool?.members.length === 0) return `${name} has no members`;
  if (pool?.members.every((m) => m.weight === 0)) return `${name} has no member with a weight above 0`;
  if (pool?.members.every((m) => !m.adminStateUp)) return `all members of ${name} are switched off`;
  return `${name} has no member that may serve`;
}

function unknownPort(j: Journey): string {
  const port = j.names.port(j.entry);
  const vlan = j.fields.text('dl_vlan');
  const vni = j.fields.text('tun_id');
  const what = vlan ? `VLAN ${vlan} of ${port}` : vni ? `VNI ${Number(vni)} of ${port}` : port;
  return `${what} belongs to no segment`;
}

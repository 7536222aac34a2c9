/** Tables 20, 21, 25 and 30 in the tenant's words. */
import { formatIpv4 } from '../model/address.js';
import { PROVIDER_TENANT } from '../model/types.js';
import { KIND } from '../pipeline/index.js';
import { isLearnedRule, type Journey, ownerOf } from './journey.js';
import type { TracedRule } from './ofproto.js';

export function routes(j: Journey, rule: TracedRule): string {
  const to = j.destination;
  const owner = ownerOf(rule);
  const goes = rule.actions.some((a) => a.text.startsWith('goto_table'));
  if (!goes && owner?.kind === KIND.listener) return 'a new connection that conntrack did not take';
  if (!goes) {
    const hop = rule.actions.flatMap((a) => a.warnings).find((w) => w.includes('TTL') || w.includes('ttl'));
    if (hop !== undefined) j.reason = `its TTL is used up: ${hop}`;
    return hop === undefined ? `no subnet and no route for ${to}` : `its TTL is used up`;
  }
  const segment = j.names.segmentName(j.tenantId, j.segmentId);
  const prefix = /nw_dst=([0-9./]+)/.exec(rule.match ?? '')?.[1] ?? '0.0.0.0/0';
  const nextHop = formatIpv4(j.fields.number('reg6'));
  if (owner?.kind === KIND.tenant || nextHop !== to) return `route ${prefix}: by ${nextHop} in ${segment}`;
  const stays = j.tenantId === PROVIDER_TENANT || !rule.actions.some((a) => a.text === 'dec_ttl');
  return `${to} is in ${segment} (${prefix})${stays ? '' : ', another segment: TTL falls to '.concat(j.fields.text('nw_ttl'))}`;
}

export function adjacency(j: Journey, rule: TracedRule): string {
  const hop = formatIpv4(j.fields.number('reg6'));
  const port = j.outputs.at(-1);
  if (rule.actions.some((a) => a.text.startsWith('controller')))
    return `the MAC of ${hop} isn't known: the agent asks for it by ARP, keeps the packet, and sends it on`;
  if (rule.match === undefined || rule.priority === 0) {
    j.reason = `nothing is known about next hop ${hop}`;
    return j.reason;
  }
  const how = isLearnedRule(rule) ? 'learned from its packets' : 'asked by ARP';
  return `${hop} is ${j.fields.text('dl_dst')} (${how}): out of ${port ?? 'no port'}`;
}

export function fdb(j: Journey, rule: TracedRule): string {
  const to = j.before.text('dl_dst');
  const segment = j.names.segmentName(j.tenantId, j.segmentId);
  if (rule.actions.some((a) => a.text.startsWith('group:'))) {
    const group = Number.parseInt(to.slice(0, 2), 16) & 1;
    const why =
      to === 'ff:ff:ff:ff:ff:ff' ? 'broadcast' : group ? 'multicast' : `nobody knows where ${to} is`;
    const ports = j.outputs.length === 0 ? 'none' : j.outputs.join(', ');
    if (j.outputs.length === 0) j.reason = `${segment} has no other port`;
    return `${why}: to all other ports of ${segment}: ${ports}`;
  }
  if (isLearnedRule(rule))
    return `${to} was seen there: out of ${j.outputs.at(-1) ?? 'the port it came in by'}`;
  j.reason =
    j.tenantId === PROVIDER_TENANT
      ? 'frames are not bridged between the ports of an external network'
      : `${segment} has no port to send it to`;
  return j.reason;
}

export function tenantRate(j: Journey): string {
  const limit = j.names.tenant(j.tenant)?.bandwidth;
  return limit === undefined
    ? 'no bandwidth limit'
    : `counts against the tenant's bandwidth, ${bitsPerSecond(limit)}`;
}

function bitsPerSecond(rate: number): string {
  const [unit, size] = rate >= 1e9 ? ['Gbit/s', 1e9] : rate >= 1e6 ? ['Mbit/s', 1e6] : ['kbit/s', 1e3];
  return `${Math.round((rate / size) * 100) / 100} ${unit}`;
}

/** Tables 0 to 6 and 26 in the tenant's words. */
import { formatMac } from '../model/address.js';
import { PROVIDER_TENANT } from '../model/types.js';
import { KIND } from '../pipeline/index.js';
import { isLearnedRule, type Journey, ownerOf } from './journey.js';
import type { TracedRule } from './ofproto.js';

export function ingress(j: Journey, rule: TracedRule): string {
  const owner = ownerOf(rule);
  if (owner?.kind !== KIND.segment) {
    if (rule.priority === 0 || rule.match === undefined) return 'no segment has this port';
    j.reason = rule.match.includes('dl_src')
      ? 'its source MAC is a group address, which no bridge forwards'
      : 'a link-local bridge protocol, which no bridge forwards';
    return j.reason;
  }
  const tenant = owner.tenant === PROVIDER_TENANT ? '' : ` of tenant ${j.names.tenantName(owner.tenant)}`;
  const vlan = j.before.text('dl_vlan');
  const vni = j.before.text('tun_id');
  const inside = vlan ? `VLAN ${vlan} of ` : vni ? `VNI ${Number(vni)} of ` : '';
  return `${inside}port ${j.names.port(j.entry)} is in ${j.names.segmentName(owner.tenant, owner.object)}${tenant}`;
}

export function classifyL2(j: Journey, rule: TracedRule): string {
  if (j.fields.has('arp') && rule.priority > 0 && ownerOf(rule)?.kind === KIND.node) return 'ARP';
  if (ownerOf(rule)?.kind !== KIND.segment) return 'for another machine of the segment: switched by its MAC';
  if (rule.actions.some((a) => a.text.startsWith('goto_table'))) return 'for the gateway: routed';
  j.reason = 'it is for the gateway, which takes only IPv4 and ARP';
  return j.reason;
}

export function classifyL3(j: Journey, rule: TracedRule): string {
  const owner = ownerOf(rule);
  const to = j.before.text('nw_dst');
  const goes = (table: number) => rule.actions.some((a) => a.text === `goto_table:${table}`);
  if (isLearnedRule(rule) || (owner?.kind === KIND.endpoint && goes(26)))
    return `answer of member ${j.names.member(j.tenantId, owner?.object ?? 0).name} to itself: back to it from the VIP`;
  if (goes(6)) return `echo request to ${to}, an address of ours`;
  switch (owner?.kind) {
    case KIND.segment:
      return `for ${to}, an address of the agent: taken for an answer to a health check`;
    case KIND.listener:
      return goes(10)
        ? `VIP ${to} ${j.service}: listener ${j.names.listenerName(j.tenantId, owner.object)}, pool ${j.names.poolName(j.pool)}`
        : `VIP ${to} ${j.service}: listener ${j.names.listenerName(j.tenantId, owner.object)} refuses it`;
    case KIND.tenant:
      return tenantVip(j, rule, to);
    default:
      return `${to} is no VIP and no address of ours: routed`;
  }
}

function tenantVip(j: Journey, rule: TracedRule, to: string): string {
  if (j.before.number('reg3') === PROVIDER_TENANT && j.tenantId !== PROVIDER_TENANT)
    return `public VIP ${to} is of tenant ${j.names.tenantName(j.tenantId)}: goes on as its packet`;
  if (rule.actions.some((a) => a.text.startsWith('ct(')))
    return `${j.before.has('icmp') ? 'an ICMP error' : 'a fragment'} to VIP ${to}: conntrack may know its connection`;
  if (j.tenantId === PROVIDER_TENANT) return `${to} is no public VIP`;
  return `VIP ${to} has no listener for ${j.service}`;
}

export function arp(j: Journey, rule: TracedRule): string {
  const target = j.before.text('arp_tpa');
  const sender = j.before.text('arp_spa');
  const request = j.before.number('arp_op') === 1;
  const what = request ? `who has ${target}` : `${sender} answers ${target}`;
  const goes = (table: number) => rule.actions.some((a) => a.text === `goto_table:${table}`);
  if (goes(26)) {
    j.answered = true;
    return `${what}: ${target} is ${ours(j, target)}, answered with ${macOf(j)}`;
  }
  if (rule.actions.some((a) => a.text.startsWith('controller')))
    return goes(25)
      ? `${what}: the agent watches ${sender} and gets a copy; it goes on in the segment`
      : `${what}: an answer to the agent`;
  return `${what}: not for us, goes on in the segment`;
}

function ours(j: Journey, address: string): string {
  return j.names.isVip(j.tenantId, address) ? 'a VIP' : 'an address of ours';
}

function macOf(j: Journey): string {
  const text = j.fields.text('dl_src');
  const segment = j.names.segment(j.tenantId, j.segmentId);
  return text || (segment ? formatMac(segment.mac) : "the gateway's MAC");
}

export function echo(j: Journey): string {
  j.answered = true;
  return `echo reply from ${j.fields.text('nw_src')}`;
}

export function toSender(j: Journey): string {
  return `back out of ${j.names.port(j.entry)}, the way it came`;
}

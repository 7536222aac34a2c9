/** Tables 10 to 17 and 24 in the tenant's words. */
import { KIND } from '../pipeline/index.js';
import { type Journey, ownerOf } from './journey.js';
import type { TracedRule } from './ofproto.js';

const BY_HEADER = 0x10000;

export function listener(j: Journey, rule: TracedRule): string {
  const match = rule.match ?? '';
  const name = j.names.listenerName(j.tenantId, j.listener);
  if (rule.actions.some((a) => a.text.startsWith('ct(')))
    return `conntrack is asked, in the zone of tenant ${j.names.tenantName(j.tenantId)}`;
  if (ownerOf(rule)?.kind === KIND.node) {
    if (rule.priority === 0) return 'of no connection that conntrack knows';
    if (match.includes('+est') || match.includes('est'))
      return 'a connection that conntrack knows: no slot is chosen, the translated destination decides';
    if (match.includes('+rel')) return 'belongs to a connection that conntrack knows';
    return "conntrack calls it invalid, but it is a known connection's and translated: goes the way of the others";
  }
  if (!rule.actions.some((a) => a.text.startsWith('goto_table')))
    return `listener ${name} is stateless and public`;
  noteSlot(j);
  if (j.slot === undefined) {
    j.member = j.names.member(j.tenantId, j.fields.number('reg2'), j.pool).name;
    return `a member asks its own stateless VIP: served by itself`;
  }
  const pool = j.names.pool(j.pool);
  const of = pool ? ` of ${pool.slots}` : '';
  const why = (j.fields.number('reg5') & BY_HEADER) !== 0 ? statelessWhy(j) : 'a new connection';
  const rate = j.names.listener(j.tenantId, j.listener)?.connectionRate;
  const limit = rate === undefined ? '' : ` (at most ${rate} new ones per second)`;
  return `${why}${limit}: slot ${j.slot}${of} of pool ${j.names.poolName(j.pool)}`;
}

function statelessWhy(j: Journey): string {
  return j.names.listener(j.tenantId, j.listener)?.mode === 'stateless'
    ? `listener ${j.names.listenerName(j.tenantId, j.listener)} is stateless`
    : 'of no connection that conntrack accepts: the client shall hear it from the member';
}

function noteSlot(j: Journey): void {
  const chosen = j.fields.text('reg1');
  j.slot = chosen === '' ? (j.fields.has('reg2') ? undefined : 0) : Number(chosen);
}

export function slots(j: Journey, rule: TracedRule): string {
  const slot = j.fields.number('reg1');
  j.slot = slot;
  if (ownerOf(rule)?.kind !== KIND.pool || !rule.actions.some((a) => a.text.startsWith('goto_table')))
    return `slot ${slot} of pool ${j.names.poolName(j.pool)} has no member`;
  const member = j.names.member(j.tenantId, j.fields.number('reg2'), j.pool);
  j.member = member.name;
  return `slot ${slot} belongs to member ${member.name} (${member.at})`;
}

export function member(j: Journey, rule: TracedRule): string {
  const { name, at } = j.names.member(j.tenantId, j.fields.number('reg2'), j.pool);
  j.member = name;
  if (rule.actions.some((a) => a.text === 'goto_table:26'))
    return `the client is member ${name} itself: the VIP becomes its source, ${at} its destination`;
  if (rule.actions.some((a) => a.text.startsWith('ct(commit')))
    return `destination becomes ${at}; conntrack keeps the connection in the zone of tenant ${j.names.tenantName(j.tenantId)}`;
  if (rule.actions.some((a) => a.text.startsWith('goto_table')))
    return `destination becomes ${at}, written into the header`;
  return `member ${name} isn't reachable over this protocol`;
}

export function reverseL3(j: Journey, rule: TracedRule): string {
  return reverse(j, rule, 'routed');
}

export function reverseL2(j: Journey, rule: TracedRule): string {
  return reverse(j, rule, 'switched');
}

function reverse(j: Journey, rule: TracedRule, how: string): string {
  const owner = ownerOf(rule);
  if (rule.priority === 0) return `from no service port of a member: ${how} as it is`;
  if (owner?.kind === KIND.tenant) return 'an ICMP error: conntrack may know the connection it is about';
  const { name } = j.names.member(j.tenantId, owner?.object ?? 0);
  if (rule.actions.some((a) => a.text.startsWith('ct(')))
    return `from the service port of member ${name}: conntrack is asked whose answer it is`;
  return `from the service port of member ${name}, which a stateless listener serves`;
}

export function afterCt(j: Journey, rule: TracedRule): string {
  if (rule.priority === 0) return 'not an answer to a client of an external network';
  return `answer of listener ${j.names.listenerName(j.tenant, ownerOf(rule)?.object ?? 0)} to a client of ${j.names.segmentName(j.tenantId, j.segmentId)}: leaves the tenant`;
}

export function stateless(j: Journey, rule: TracedRule): string {
  const writes = rule.actions.some((a) => a.text.startsWith('set_field') || a.text.startsWith('load'));
  return writes
    ? `source becomes ${j.fields.text('nw_src')}:${j.fields.text('tp_src')}, the VIP`
    : 'between members of the pool: not translated';
}

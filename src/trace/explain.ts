import { tableByNumber } from '../pipeline/index.js';
import { Journey, ownerOf } from './journey.js';
import type { TraceNames } from './names.js';
import type { TracedPass, TracedRule } from './ofproto.js';
import { reasonOf } from './reasons.js';
import * as balance from './words-balance.js';
import * as enter from './words-ingress.js';
import * as route from './words-route.js';

export interface ExplainedStep {
  /** Absent: conntrack, or a remark. */
  readonly table?: number;
  readonly tableName?: string;
  /** Whose rule it is: `listener web/http`. */
  readonly owner?: string;
  /** The rule, with names for numbers. */
  readonly rule?: string;
  readonly text: string;
}

export interface Explanation {
  readonly steps: readonly ExplainedStep[];
  /** unknown: only conntrack could tell. */
  readonly verdict: 'delivered' | 'answered' | 'flooded' | 'to agent' | 'dropped' | 'unknown';
  readonly reason?: string;
  readonly tenant?: string;
  readonly listener?: string;
  readonly slot?: number;
  readonly member?: string;
  /** Port, or ports where it was flooded. */
  readonly output?: string;
}

const WORDS: Readonly<Record<number, (journey: Journey, rule: TracedRule) => string>> = {
  0: enter.ingress,
  1: enter.classifyL2,
  2: enter.classifyL3,
  5: enter.arp,
  6: enter.echo,
  10: balance.listener,
  11: balance.slots,
  12: balance.member,
  15: balance.reverseL3,
  16: balance.afterCt,
  17: balance.stateless,
  20: route.routes,
  21: route.adjacency,
  24: balance.reverseL2,
  25: route.fdb,
  26: enter.toSender,
  30: route.tenantRate,
};

/** Each table that the packet met, in words, and what became of it. */
export function explain(passes: readonly TracedPass[], names: TraceNames): Explanation {
  const journey = new Journey(names);
  const steps: ExplainedStep[] = [];
  for (const pass of passes) {
    journey.begin(pass);
    if (pass.resumed !== undefined) steps.push({ text: conntrack(journey, pass) });
    if (isBlind(journey, pass)) return { steps, ...outcome(journey), verdict: 'unknown', reason: BLIND };
    for (const rule of pass.rules) steps.push(...explainRule(journey, rule));
  }
  return { steps, ...outcome(journey) };
}

const BLIND = "conntrack's own table alone knows where it goes; --tracked looks there";

/** The switch's trace doesn't translate what belongs to a known connection, and a VIP is nowhere to go. */
function isBlind(journey: Journey, { resumed }: TracedPass): boolean {
  const known = resumed?.ctState.some((word) => word === 'est' || word === 'rel') ?? false;
  if (!known || resumed?.translated !== undefined) return false;
  return journey.names.isVip(journey.tenant, journey.destination);
}

function explainRule(journey: Journey, rule: TracedRule): ExplainedStep[] {
  journey.take(rule);
  const table = tableByNumber(rule.table);
  const owner = ownerOf(rule);
  const reason = reasonOf(journey, rule);
  if (reason !== undefined) journey.reason = reason;
  const text = WORDS[rule.table]?.(journey, rule) ?? 'a table that is not of this pipeline';
  const steps: ExplainedStep[] = [
    {
      table: rule.table,
      ...(table === undefined ? {} : { tableName: table.name }),
      ...(owner === undefined ? {} : { owner: journey.names.owner(owner) }),
      rule: ruleText(journey, rule),
      text,
    },
  ];
  for (const { text: action, warnings } of rule.actions)
    for (const warning of warnings)
      if (!/suppressing side effects|skipping output to input port/.test(warning)) {
        steps.push({ text: `the switch: ${action === '' ? '' : `${action}: `}${warning}` });
        journey.reason ??= `the switch: ${warning}`;
      } else if (warning.startsWith('skipping') && !journey.flooded)
        journey.reason ??= `it would leave by the port it came in by, ${journey.names.port(journey.entry)}`;
  return steps;
}

function ruleText(journey: Journey, { match, priority }: TracedRule): string {
  if (match === undefined) return 'no rule';
  const tenant = Number(/(?:^|,)reg3=(\w+)/.exec(match)?.[1] ?? journey.tenant);
  const names = journey.names.match(match, tenant);
  return `${names === '' ? '' : `${names}, `}priority ${priority}`;
}

function conntrack(journey: Journey, { resumed }: TracedPass): string {
  const state = new Set(resumed?.ctState);
  if (state.size === 0) return 'goes on';
  const to = resumed?.translated;
  const destination = to && `${to.get('nw_dst')}:${to.get('tp_dst')}`;
  const source = to && `${to.get('nw_src')}:${to.get('tp_src')}`;
  const known = destination && journey.names.memberAt(journey.tenant, destination);
  if (known) journey.member = known.name;
  const what = state.has('inv')
    ? 'an invalid packet'
    : state.has('rel')
      ? 'related to a known connection'
      : state.has('est')
        ? `a known connection${state.has('rpl') ? ', answer' : ''}`
        : 'a new connection';
  const translated = to ? `; ${source} > ${destination}` : '';
  const untranslated =
    !to && (state.has('est') || state.has('rel')) ? '; what it translates to is not known here' : '';
  const assumed = resumed?.assumed ? ' (assumed)' : '';
  return `conntrack: ${what}${assumed}${translated}${untranslated}`;
}

function outcome(j: Journey): Omit<Explanation, 'steps'> {
  const output = [...new Set(j.outputs)].join(', ');
  const verdict =
    output !== ''
      ? j.answered
        ? 'answered'
        : j.flooded
          ? 'flooded'
          : 'delivered'
      : j.toAgent
        ? 'to agent'
        : 'dropped';
  const reason = verdict === 'dropped' ? (j.reason ?? 'no rule takes it further') : undefined;
  const tenant = j.names.tenant(j.tenant)?.name;
  return {
    verdict,
    ...(reason === undefined ? {} : { reason }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(j.listener === 0 ? {} : { listener: j.names.listenerName(j.tenant, j.listener) }),
    ...(j.slot === undefined ? {} : { slot: j.slot }),
    ...(j.member === undefined ? {} : { member: j.member }),
    ...(output === '' ? {} : { output }),
  };
}

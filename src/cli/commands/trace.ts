/** `trace`, `events`: see what happens to packets, and what happens. */
import type { AgentEvent, TraceRequest, TraceResult } from '../../api/types.js';
import type { Context } from '../context.js';
import { CliError, EXIT } from '../io.js';
import { paint, printable, renderJson } from '../render.js';

export interface TraceOptions {
  readonly from?: string;
  readonly segment?: string;
  readonly ctNext?: readonly string[];
  readonly tracked?: boolean;
  readonly raw?: boolean;
  readonly json?: boolean;
}

export async function tracePacket(context: Context, packet: string, options: TraceOptions): Promise<void> {
  const { tenant } = context.options;
  const { from, segment, ctNext, tracked } = options;
  if (tenant === undefined && !packet.includes('in_port='))
    throw new CliError(EXIT.usage, "whose packet? Addresses alone don't tell: add -t TENANT");
  const request: TraceRequest = {
    packet,
    ...(tenant === undefined ? {} : { tenant }),
    ...(from === undefined ? {} : { from }),
    ...(segment === undefined ? {} : { segment }),
    ...(ctNext === undefined ? {} : { ctNext }),
    ...(tracked === undefined ? {} : { tracked }),
  };
  const result = await context.client.post<TraceResult>('/trace', request);
  if (options.raw) context.print(result.raw.endsWith('\n') ? result.raw : `${result.raw}\n`);
  else if (options.json || context.render.format === 'json') context.print(renderJson(result));
  else context.print(describeTrace(result, context.render.colors));
}

/** Each step with its rule below, and what became of the packet. */
export function describeTrace(result: TraceResult, colors: boolean): string {
  const width = Math.max(...result.steps.map((step) => step.tableName?.length ?? 0), 0);
  const indent = ' '.repeat(width + 5);
  const steps = result.steps.map(({ table, tableName, owner, rule, text }) => {
    const where = `${table === undefined ? '  ' : String(table).padStart(2)} ${(tableName ?? '').padEnd(width)}`;
    const whose = [owner, rule].filter((part) => part !== undefined).map((part) => printable(part));
    const below = whose.length === 0 ? '' : `\n${indent}${paint(whose.join(': '), 'dim', colors)}`;
    return `${where}  ${printable(text)}${below}\n`;
  });
  const notes = result.notes.map((note) => `note: ${printable(note)}\n`);
  const head = `${result.tenant === undefined ? '' : `${result.tenant}: `}${result.packet}, from ${result.from}\n`;
  return `${head}${notes.join('')}${steps.join('')}${verdict(result, colors)}\n`;
}

function verdict(result: TraceResult, colors: boolean): string {
  const reason = result.reason === undefined ? '' : `: ${printable(result.reason)}`;
  if (result.verdict === 'dropped' || result.verdict === 'unknown')
    return `=> ${paint(result.verdict, result.verdict === 'dropped' ? 'bad' : 'odd', colors)}${reason}`;
  const facts = [
    result.listener === undefined ? undefined : `listener ${result.listener}`,
    result.slot === undefined ? undefined : `slot ${result.slot}`,
    result.member === undefined ? undefined : `member ${result.member}`,
    result.output === undefined ? undefined : `out by ${result.output}`,
  ].filter((fact) => fact !== undefined);
  return `=> ${paint(result.verdict, 'good', colors)}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}${reason}`;
}

/** Until Ctrl-C. */
export async function followEvents(context: Context, options: { since?: number }): Promise<void> {
  const query = [
    context.filter.tenant === undefined ? '' : `tenant=${encodeURIComponent(context.filter.tenant)}`,
    options.since === undefined ? '' : `since=${options.since}`,
  ].filter((part) => part !== '');
  const path = `/events${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of context.client.stream('GET', path, undefined, context.io.interrupted)) {
    const lines = (pending + decoder.decode(chunk, { stream: true })).split('\n');
    pending = lines.pop()!;
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const event = JSON.parse(line.slice(6)) as AgentEvent;
      const member = [event.tenant, event.pool, event.member].filter((part) => part !== undefined).join('/');
      if (context.render.format === 'json') context.print(`${line.slice(6)}\n`);
      else
        context.print(
          `${event.at} ${event.type}${member === '' ? '' : ` ${member}`}: ${printable(event.text)}\n`,
        );
    }
  }
}

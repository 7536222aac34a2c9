/** `config check|plan|apply|show|schema`. */
import { resolve } from 'node:path';
import type { ConfigApplied, ConfigPlan, ConfigProblem, ConfigShown } from '../../api/types.js';
import type { Context } from '../context.js';
import { CliError, EXIT } from '../io.js';
import { count, paint, printable, renderJson } from '../render.js';

const describe = (p: ConfigProblem): string =>
  `${p.file}:${p.line}:${p.column}${p.path === '' ? '' : ` ${p.path}`}: ${p.severity === 'warning' ? 'warning: ' : ''}${printable(p.message)}`;

const isError = (p: ConfigProblem): boolean => p.severity === 'error';

/** With a directory no agent is needed. */
export async function checkConfig(context: Context, dir: string | undefined): Promise<number> {
  const problems =
    dir === undefined
      ? (await context.client.post<{ problems: ConfigProblem[] }>('/config/check', {})).problems
      : await checkHere(dir);
  showProblems(context, problems);
  const errors = problems.filter(isError).length;
  if (context.render.format === 'table') {
    context.io.stderr.write(errors === 0 ? 'configuration is right\n' : `${count(errors, 'error')}\n`);
  }
  return errors === 0 ? EXIT.ok : EXIT.refused;
}

async function checkHere(dir: string): Promise<ConfigProblem[]> {
  // Loaded only here: the schemas cost more time to start than all of the rest.
  const { compile, IdAllocator, loadConfig } = await import('../../model/index.js');
  const config = await loadConfig(dir);
  const { problems } = await compile(config, IdAllocator.inMemory());
  return [...config.problems, ...problems];
}

function showProblems(context: Context, problems: readonly ConfigProblem[]): void {
  if (context.render.format === 'table') {
    for (const p of problems) context.print(`${describe(p)}\n`);
    return;
  }
  context.rows(problems, [
    { title: 'severity', get: (p) => p.severity },
    { title: 'file', get: (p) => p.file },
    { title: 'line', get: (p) => p.line },
    { title: 'column', get: (p) => p.column },
    { title: 'path', get: (p) => p.path },
    { title: 'message', get: (p) => p.message },
  ]);
}

/** @param dir relative to where the command runs; the agent reads it */
export async function planConfig(context: Context, dir: string | undefined): Promise<number> {
  const plan = await context.client.post<ConfigPlan>('/config/plan', {
    ...context.filter,
    ...(dir === undefined ? {} : { dir: resolve(dir) }),
  });
  const failed = plan.problems.some(isError);
  if (context.render.format === 'json') context.value(plan, () => '');
  else if (context.render.format === 'csv') {
    context.rows(plan.changes, [
      { title: 'tenant', get: (c) => c.tenant },
      { title: 'owner', get: (c) => c.owner },
      { title: 'op', get: (c) => c.op },
      { title: 'kind', get: (c) => c.kind },
      { title: 'text', get: (c) => c.text },
      { title: 'was', get: (c) => c.was },
    ]);
  } else {
    const { colors } = context.render;
    const sign = { add: '+', modify: '~', delete: '-' } as const;
    const color = { add: 'good', modify: 'odd', delete: 'bad' } as const;
    let who = '';
    for (const change of plan.changes) {
      const owner = `${change.tenant} ${change.owner}`;
      if (owner !== who) context.print(`${owner}\n`);
      who = owner;
      if (change.was !== undefined) context.print(`${paint(`  was ${change.was}`, 'dim', colors)}\n`);
      context.print(
        `${paint(`${sign[change.op]} ${change.kind} ${change.text}`, color[change.op], colors)}\n`,
      );
    }
    for (const s of plan.summary)
      context.print(`${s.tenant}: ${s.add} to add, ${s.modify} to modify, ${s.delete} to delete\n`);
    if (plan.changes.length === 0) context.print('nothing to change\n');
    if (plan.restartNeeded.length > 0)
      context.print(`node.yaml: ${plan.restartNeeded.join(', ')} would take effect at the next start\n`);
  }
  for (const p of plan.problems)
    if (context.render.format !== 'json') context.io.stderr.write(`${describe(p)}\n`);
  return failed ? EXIT.refused : EXIT.ok;
}

/** @param wait seconds; undefined: don't wait for the switch */
export async function applyConfig(context: Context, wait: number | undefined): Promise<number> {
  const patience = ((wait ?? 0) + 30) * 1000;
  const result = await context.client.post<ConfigApplied>(
    '/config/apply',
    {
      ...(wait === undefined ? {} : { wait }),
      ...(context.filter.tenant === undefined ? {} : { tenant: context.filter.tenant }),
    },
    patience,
  );
  if (context.render.format === 'json') context.value(result, () => '');
  else {
    for (const p of result.problems) context.io.stderr.write(`${describe(p)}\n`);
    for (const f of result.failed)
      for (const e of f.errors) context.io.stderr.write(`${f.tenant}: ${printable(e)}\n`);
    const outcome =
      wait === undefined ? 'sent' : result.confirmed ? 'confirmed by the switch' : 'NOT confirmed in time';
    context.print(
      `generation ${result.generation}: ${count(result.flowMods, 'change')} ${outcome} (${Math.round(result.elapsedMs)} ms)\n`,
    );
  }
  if (result.failed.length > 0 || result.problems.some(isError)) return EXIT.refused;
  return wait !== undefined && !result.confirmed ? EXIT.late : EXIT.ok;
}

/** The configuration in force: as YAML of the files' words, or as the agent's JSON. */
export async function showConfig(context: Context): Promise<void> {
  const shown = await context.client.get<ConfigShown>('/config', { ...context.filter });
  if (context.render.format === 'json') {
    context.value(shown, () => '');
    return;
  }
  if (context.render.format === 'csv') {
    context.rows(shown.tenants, [
      { title: 'tenant', get: (t) => t.tenant },
      { title: 'id', get: (t) => t.ids.tenant },
      { title: 'file', get: (t) => t.file },
    ]);
    return;
  }
  // CommonJS: its bundle has no names but this.
  const { default: yaml } = await import('yaml');
  const document = (about: string, value: unknown): string =>
    `# ${about}\n${yaml.stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })}`;
  const parts = shown.tenants.map((t) =>
    document(`tenant ${t.tenant}, ${printable(t.file ?? 'in no file any more')}`, t.config),
  );
  const node = context.filter.tenant === undefined && context.filter.pool === undefined;
  if (node) parts.unshift(document(`${shown.dir}, generation ${shown.generation}`, shown.node));
  context.print(parts.join('---\n'));
}

export async function showSchema(context: Context, which: string): Promise<void> {
  const { jsonSchemas } = await import('../../model/index.js');
  const schemas = jsonSchemas();
  if (which !== 'node' && which !== 'tenant')
    throw new CliError(EXIT.usage, `there is no schema "${which}"; it is node or tenant`);
  context.print(renderJson(schemas[which]));
}

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/api/metrics.js';
import { fakeMetrics } from './fake-model.js';

const read = (file: string): string =>
  readFileSync(new URL(`../../../docs/monitoring/${file}`, import.meta.url), 'utf8');

/** Names that a query may use: a histogram has three series. */
let known: Set<string>;
beforeAll(async () => {
  const text = await createMetrics(fakeMetrics()).render();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  known = new Set(
    types.flatMap(([, name, type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((s) => name + s) : [name!],
    ),
  );
});
const unknown = (text: string): string[] =>
  [...text.matchAll(/\bhpnn_[a-z_]+/g)].map(([name]) => name).filter((name) => !known.has(name));

describe('what is shipped for monitoring', () => {
  it('alert rules ask for metrics that exist', () => {
    const rules = (
      parse(read('alerts.yml')) as {
        groups: { rules: { alert: string; expr: string; annotations: object }[] }[];
      }
    ).groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    for (const rule of rules) {
      expect(rule.expr).toContain('hpnn_');
      expect([rule.alert, unknown(rule.expr)]).toEqual([rule.alert, []]);
      expect(rule.annotations).toHaveProperty('summary');
    }
  });

  it('the dashboard asks for metrics that exist', () => {
    const text = read('grafana.json');
    const dashboard = JSON.parse(text) as { panels: { id: number; targets: { expr: string }[] }[] };
    for (const panel of dashboard.panels) {
      for (const target of panel.targets)
        expect([target.expr, unknown(target.expr)]).toEqual([target.expr, []]);
    }
    expect(new Set(dashboard.panels.map((panel) => panel.id)).size).toBe(dashboard.panels.length);
  });
});

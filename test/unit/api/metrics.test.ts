import { describe, expect, it, vi } from 'vitest';
import type { Sample } from '../../../src/agent/read-model.js';
import { createMetrics } from '../../../src/api/metrics.js';
import { fakeMetrics } from './fake-model.js';

const series = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('/metrics', () => {
  it('are back to the baseline when 1,000 pools have come and gone', async () => {
    let slots: Sample[] = [];
    const metrics = createMetrics({
      ...fakeMetrics(),
      memberSlots: () => slots,
      memberTransitions: () => slots,
    });
    // Process figures differ from scrape to scrape.
    const names = async () => series(await metrics.render()).map((line) => line.replace(/ \S+$/, ''));
    const before = await names();
    slots = Array.from({ length: 1000 }, (_, i) => ({
      labels: { tenant: 't', pool: `p${i}`, member: 'm' },
      value: i,
    }));
    expect(await names()).toHaveLength(before.length + 2000);
    slots = [];
    expect(await names()).toEqual(before);
  });

  it('are in the text format, with escaped labels', async () => {
    const metrics = createMetrics({
      ...fakeMetrics(),
      memberStatus: () => [
        { labels: { tenant: 'a"\n\\', pool: 'p', member: 'm', status: 'ONLINE' }, value: 1 },
      ],
      switchRtt: () => 0.0005,
    });
    const text = await metrics.render();
    expect(text).toContain('# TYPE hpnn_member_status gauge');
    expect(text).toContain('hpnn_member_status{tenant="a\\"\\n\\\\",pool="p",member="m",status="ONLINE"} 1');
    expect(text).toContain('hpnn_openflow_rtt_seconds 0.0005');
    expect(text).toContain('hpnn_event_loop_lag_seconds{quantile="0.99"} 0.01');
    for (const line of series(text)) expect(line).toMatch(/^hpnn_[a-z_]+(\{.*\})? \S+$/);
  });

  it('have histograms whose buckets are cumulative and end with +Inf', async () => {
    const metrics = createMetrics({
      ...fakeMetrics(),
      probeLatency: () => [
        { labels: { type: 'TCP' }, bounds: [0.001, 0.01], counts: [3, 5], sum: 0.4, count: 6 },
      ],
    });
    expect(series(await metrics.render()).filter((line) => line.startsWith('hpnn_probe_latency'))).toEqual([
      'hpnn_probe_latency_seconds_bucket{type="TCP",le="0.001"} 3',
      'hpnn_probe_latency_seconds_bucket{type="TCP",le="0.01"} 5',
      'hpnn_probe_latency_seconds_bucket{type="TCP",le="+Inf"} 6',
      'hpnn_probe_latency_seconds_sum{type="TCP"} 0.4',
      'hpnn_probe_latency_seconds_count{type="TCP"} 6',
    ]);
  });

  it('bound the series of one metric and count what is left out', async () => {
    const many = function* (): Iterable<Sample> {
      for (let i = 0; i < 50_010; i++) yield { labels: { tenant: `t${i}` }, value: 1 };
    };
    const text = await createMetrics({ ...fakeMetrics(), connections: many }).render();
    expect(series(text).filter((line) => line.startsWith('hpnn_connections{'))).toHaveLength(50_000);
    expect(text).toContain('hpnn_series_omitted_total 10');
  });

  it('are written in slices: the process goes on meanwhile', async () => {
    const many = function* (): Iterable<Sample> {
      for (let i = 0; i < 50_000; i++) yield { labels: { tenant: `tenant-${i}`, pool: 'p' }, value: i };
    };
    const metrics = createMetrics({ ...fakeMetrics(), connections: many, memberSlots: many });
    let turns = 0;
    let ended = false;
    const turn = (): void => {
      turns++;
      if (!ended) setImmediate(turn);
    };
    setImmediate(turn);
    const texts = await Promise.all([metrics.render(), metrics.render()]);
    ended = true;
    expect(turns).toBeGreaterThan(3);
    expect(texts[1]).toBe(texts[0]);
    expect(series(texts[0]!).filter((line) => line.startsWith('hpnn_member_slots{'))).toHaveLength(50_000);
    expect(texts[0]!.match(/# TYPE hpnn_member_slots /g)).toHaveLength(1);
  });

  it('do not wait for a switch that does not answer', async () => {
    vi.useFakeTimers();
    try {
      const metrics = createMetrics({ ...fakeMetrics(), refresh: () => new Promise(() => {}) });
      const text = metrics.render();
      await vi.advanceTimersByTimeAsync(1000);
      expect(await text).toContain('hpnn_openflow_connected 1');
    } finally {
      vi.useRealTimers();
    }
  });
});

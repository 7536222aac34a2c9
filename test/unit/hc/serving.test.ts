import { describe, expect, it } from 'vitest';
import {
  type AdminState,
  listenerStatus,
  memberStatus,
  type OperatingStatus,
  type ProbeStatus,
  poolStatus,
  type ServingPool,
  serving,
} from '../../../src/hc/index.js';

interface Row {
  status?: ProbeStatus;
  weight?: number;
  up?: boolean;
  backup?: boolean;
  admin?: AdminState;
}
/** Members with endpoint ids 1, 2, … */
function judge(rows: Row[], onAllDown: ServingPool['onAllDown'] = 'closed') {
  const members = rows.map((r, n) => ({
    endpointId: n + 1,
    weight: r.weight ?? 1,
    adminStateUp: r.up ?? true,
    backup: r.backup ?? false,
  }));
  const statuses = new Map(
    rows.flatMap((r, n) => (r.status ? [[n + 1, r.status]] : []) as [number, ProbeStatus][]),
  );
  const admin = new Map(
    rows.flatMap((r, n) => (r.admin ? [[n + 1, r.admin]] : []) as [number, AdminState][]),
  );
  const pool = { onAllDown, members };
  return {
    serving: [...serving(pool, statuses, admin)],
    members: members.map((m) => memberStatus(m, statuses, admin)),
    pool: poolStatus(pool, statuses, admin),
  };
}
const up: Row = { status: 'ONLINE' };
const down: Row = { status: 'ERROR' };

describe('who serves', () => {
  it.each<[string, Row[], number[], OperatingStatus]>([
    ['those that are up', [up, down, up], [1, 3], 'DEGRADED'],
    ['all', [up, up], [1, 2], 'ONLINE'],
    ['nobody before the first verdict', [{}, { status: 'OFFLINE' }], [], 'ERROR'],
    ['members without monitor', [{ status: 'NO_MONITOR' }, { status: 'NO_MONITOR' }], [1, 2], 'NO_MONITOR'],
    ['not with weight 0', [up, { ...up, weight: 0 }], [1], 'ONLINE'],
    ['not when administratively down', [up, { ...up, up: false }], [1], 'ONLINE'],
    ['not when draining', [up, { ...up, admin: 'draining' }], [1], 'ONLINE'],
    ['no backup while a primary is up', [up, down, { ...up, backup: true }], [1], 'DEGRADED'],
    [
      'backups when no primary is',
      [down, { ...up, backup: true }, { ...down, backup: true }],
      [2],
      'DEGRADED',
    ],
    [
      'backups when primaries drain',
      [
        { ...up, admin: 'draining' },
        { ...up, backup: true },
      ],
      [2],
      'ONLINE',
    ],
    ['nobody of nobody', [], [], 'OFFLINE'],
    ['nobody when all are taken out', [{ ...up, up: false }], [], 'OFFLINE'],
    [
      'nobody when all drain',
      [
        { ...up, admin: 'draining' },
        { ...up, weight: 0 },
      ],
      [],
      'DRAINING',
    ],
    ['nobody when all are down', [down, down], [], 'ERROR'],
  ])('%s', (_, rows, expected, status) => {
    const result = judge(rows);
    expect(result.serving).toEqual(expected);
    expect(result.pool).toBe(status);
  });

  it('all down and open: everybody that people left in', () => {
    const rows: Row[] = [
      down,
      { ...down, admin: 'draining' },
      { ...down, weight: 0 },
      { ...down, up: false },
      { ...down, backup: true },
    ];
    expect(judge(rows, 'open').serving).toEqual([1, 5]);
    expect(judge([up, down], 'open').serving).toEqual([1]);
  });

  it('people`s words go before the probes`', () => {
    const rows: Row[] = [
      up,
      down,
      {},
      { ...up, up: false },
      { ...down, admin: 'draining' },
      { ...up, weight: 0 },
      { ...up, admin: 'enabled' },
    ];
    expect(judge(rows).members).toEqual([
      'ONLINE',
      'ERROR',
      'OFFLINE',
      'OFFLINE',
      'DRAINING',
      'DRAINING',
      'ONLINE',
    ]);
  });

  it('listeners', () => {
    expect(listenerStatus(true, undefined)).toBe('OFFLINE');
    expect(listenerStatus(false, 'ONLINE')).toBe('OFFLINE');
    expect(listenerStatus(true, 'DEGRADED')).toBe('DEGRADED');
    expect(listenerStatus(true, 'NO_MONITOR')).toBe('ONLINE');
  });
});

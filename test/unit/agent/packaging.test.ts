import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const path = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const read = (file: string): string => readFileSync(path(file), 'utf8');
const has = (command: string, argument: string): boolean => spawnSync(command, [argument]).status === 0;

describe('the systemd unit', () => {
  const unit = read('systemd/hpnn-agent.service');

  it.skipIf(!has('systemd-analyze', '--version'))('is right in the eyes of systemd-analyze', () => {
    const dir = mkdtempSync(join(tmpdir(), 'hpnn-unit-'));
    try {
      const file = join(dir, 'hpnn-agent.service');
      writeFileSync(file, unit.replaceAll('/usr/bin/hpnn-agent', path('bin/hpnn-agent')));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
        encoding: 'utf8',
      });
      // What it says of other units of the machine is none of ours.
      expect(stderr.split('\n').filter((line) => line.includes('hpnn'))).toEqual([]);
      expect(status).toBe(0);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('names directories that the configuration has by default', () => {
    expect(unit).toContain('ConfigurationDirectory=hpnn');
    expect(unit).toContain('StateDirectory=hpnn');
    expect(read('docs/schema/node.schema.json')).toContain('"default": "/var/lib/hpnn"');
  });
});

/** Instructions of a Dockerfile, continued lines joined. */
function instructions(text: string): (readonly [string, string])[] {
  return text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, word, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      expect([line, word]).not.toEqual([line, undefined]);
      return [word!, rest!.replace(/\s+/g, ' ')] as const;
    });
}

describe('the images', () => {
  it.each(['docker/Dockerfile', 'docker/ovs.Dockerfile'])('%s keeps the rules of the trade', (file) => {
    const lines = instructions(read(file));
    const of = (word: string) => lines.filter(([w]) => w === word).map(([, rest]) => rest);
    const stages = of('FROM');
    for (const from of stages) expect(from).toMatch(/^\S+:[\w.-]*\d[\w.-]*( AS \w+)?$/);
    for (const run of of('RUN').filter((r) => r.includes('apt-get install'))) {
      expect(run).toContain('--no-install-recommends');
      expect(run).toContain('rm -rf /var/lib/apt/lists/*');
      expect(run).toContain('apt-get update');
    }
    for (const copy of of('COPY').filter((c) => !c.startsWith('--from'))) {
      const words = copy.split(' ').filter((w) => !w.startsWith('--'));
      for (const source of words.slice(0, -1))
        expect([source, existsSync(path(source))]).toEqual([source, true]);
    }
    for (const [word, rest] of lines)
      if (word === 'ENTRYPOINT' || word === 'CMD') expect(Array.isArray(JSON.parse(rest))).toBe(true);
    expect(of('ADD')).toEqual([]);
    expect(of('ENTRYPOINT')).toHaveLength(1);
  });

  it('the agent is built in one stage, and runs in another without being root', () => {
    const lines = instructions(read('docker/Dockerfile'));
    expect(lines.filter(([word]) => word === 'FROM')).toHaveLength(2);
    const last = lines.slice(lines.findLastIndex(([word]) => word === 'FROM'));
    expect(last.find(([word]) => word === 'USER')?.[1]).not.toMatch(/^(root|0)$/);
    expect(last.some(([word]) => word === 'HEALTHCHECK')).toBe(true);
  });

  it('the composition mounts files that exist, and its configuration is right', () => {
    const compose = parse(read('docker/compose.yaml')) as {
      services: Record<string, { volumes?: string[]; build?: { dockerfile: string } }>;
      volumes: Record<string, unknown>;
    };
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(['ovs', 'agent']));
    for (const { volumes = [], build } of Object.values(compose.services)) {
      if (build) read(build.dockerfile);
      for (const volume of volumes) {
        const [source] = volume.split(':');
        if (source!.startsWith('./')) expect(existsSync(path(`docker/${source}`))).toBe(true);
        else expect(compose.volumes).toHaveProperty(source!);
      }
    }
  });
});

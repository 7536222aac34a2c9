import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namespacesOf, removeNamespaces } from './namespace.js';

const PREFIX = 'hpnn-lab-';
const RECORD = 'owner.json';

/** Who made a lab. The start time tells a process from a later one with the same pid. */
interface Owner {
  readonly lab: string;
  readonly pid: number;
  readonly started: string;
  /** Of the test run, where there is one (HPNN_LAB_RUN). */
  readonly run: string;
}

export interface LabRecord extends Owner {
  readonly dir: string;
  readonly alive: boolean;
}

const mine = new Map<string, string>();
let watching = false;

/** Makes the directory of a lab and sees to it that the lab ends with this process. */
export function claim(lab: string): string {
  if (!/^[a-z][a-z0-9]{0,9}$/.test(lab))
    throw new Error(`lab id ${lab}: a letter, then up to 9 letters or digits`);
  if (records().some((record) => record.lab === lab)) throw new Error(`lab ${lab} exists already`);
  const dir = mkdtempSync(join(tmpdir(), `${PREFIX}${lab}-`));
  const owner: Owner = {
    lab,
    pid: process.pid,
    started: startTime(process.pid) ?? '',
    run: process.env.HPNN_LAB_RUN ?? '',
  };
  writeFileSync(join(dir, RECORD), JSON.stringify(owner));
  mine.set(lab, dir);
  watch();
  return dir;
}

/** Removes everything a lab made: processes, namespaces with their interfaces, files. */
export function dismantle(lab: string, dir: string): void {
  removeNamespaces(namespacesOf(`${lab}-`));
  rmSync(dir, { recursive: true, force: true });
  mine.delete(lab);
}

/** Every lab on this machine. */
export function records(): LabRecord[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(tmpdir(), name))
    .flatMap((dir) => {
      if (!existsSync(join(dir, RECORD))) return []; // being made, or being removed
      const owner = JSON.parse(readFileSync(join(dir, RECORD), 'utf8')) as Owner;
      return [{ ...owner, dir, alive: startTime(owner.pid) === owner.started }];
    });
}

/** Removes labs whose owner is dead; returns them. `only` narrows to one test run. */
export function collect(only?: string): LabRecord[] {
  const dead = records().filter((record) => !record.alive && (only === undefined || record.run === only));
  for (const record of dead) dismantle(record.lab, record.dir);
  return dead;
}

function watch(): void {
  if (watching) return;
  watching = true;
  process.on('exit', () => {
    for (const [lab, dir] of [...mine]) dismantle(lab, dir);
  });
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.on(signal, () => process.exit(128 + number));
  }
}

/** Field 22 of /proc/PID/stat; the command before it may hold blanks and parentheses. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

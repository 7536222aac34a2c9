/** Decides which tenants are in force: those that run already come first. */
import { nextTurn, turnIsUsed } from '../loop/turns.js';
import { Admission, type RawNode, type RawTenant } from './check-across.js';
import type { FileResult } from './load.js';
import type { Problem } from './problems.js';

export interface Outcome {
  /** By name. */
  readonly tenants: readonly RawTenant[];
  /** Names of those of `tenants` that stay as they were because their file is wrong. */
  readonly kept: readonly string[];
  /** Files that give no tenant at all. */
  readonly refused: readonly string[];
  readonly problems: readonly Problem[];
  /** Absent where files contradict each other. */
  readonly settled?: Settled;
}

/** What was read, as far as it decides who is admitted. */
export interface Read {
  readonly node: RawNode | undefined;
  /** Of tenants only; in the order of names. */
  readonly files: ReadonlyMap<string, FileResult>;
  /** False where the directory couldn't be listed: then nothing counts as removed. */
  readonly complete: boolean;
}

/** An outcome in which every right file has its tenant: there a change is judged by itself. */
class Settled {
  private version: number;

  constructor(
    readonly read: Read,
    readonly outcome: Outcome,
    private readonly base: Base,
    /** Admitted on top of the base, which others that began with the same may still need as it is. */
    private above?: Admission,
  ) {
    this.version = base.version;
  }

  /** Undefined where somebody else has gone on from the same base. */
  get admission(): Admission | undefined {
    const { base, above } = this;
    if (this.version !== base.version) return undefined;
    if (above !== undefined) {
      base.admission.settle(above);
      this.version = ++base.version;
      this.above = undefined;
    }
    return base.admission;
  }

  /** Whether this came out of changes of the other alone. */
  follows(other: Settled): boolean {
    return this.base === other.base;
  }

  on(above: Admission, read: Read, outcome: Outcome): Settled {
    return new Settled(read, outcome, this.base, above);
  }
}

interface Base {
  readonly admission: Admission;
  version: number;
}

/** The same as `admitAfresh`, at a cost in proportion to what changed since `before` where nothing is in conflict. */
export async function admitAll(
  read: Read,
  running: readonly RawTenant[],
  before: Settled | undefined,
): Promise<Outcome> {
  return admitChanges(read, running, before) ?? admitAfresh(read, running);
}

/**
 * Undefined where that isn't enough: a file became wrong or right, or a change is in conflict with something. Without
 * any conflict the order in which tenants are admitted decides nothing.
 */
function admitChanges(
  read: Read,
  running: readonly RawTenant[],
  before: Settled | undefined,
): Outcome | undefined {
  if (before === undefined || running !== before.outcome.tenants) return undefined;
  if (!read.complete || read.node !== before.read.node) return undefined;
  const gone = new Set<RawTenant>();
  const come: RawTenant[] = [];
  let missing = before.read.files.size;
  for (const [file, { tenant }] of read.files) {
    const old = before.read.files.get(file);
    if (old !== undefined) missing--;
    if (old !== undefined && old.tenant === tenant) continue;
    if (tenant === undefined || (old !== undefined && old.tenant === undefined)) return undefined;
    come.push(tenant);
    if (old?.tenant !== undefined) gone.add(old.tenant);
  }
  for (const [file, { tenant }] of missing > 0 ? before.read.files : []) {
    if (read.files.has(file)) continue;
    if (tenant === undefined) return undefined;
    gone.add(tenant);
  }
  const { kept, refused } = before.outcome;
  if (come.length === 0 && gone.size === 0) return before.outcome;
  const admission = before.admission;
  if (admission === undefined) return undefined;
  const above = new Admission(read.node?.value, admission, gone);
  for (const tenant of come) if (above.admit(tenant).length > 0) return undefined;
  const tenants = [...before.outcome.tenants.filter((tenant) => !gone.has(tenant)), ...come].sort(byName);
  return settledOutcome({ tenants, kept, refused, problems: [] }, (outcome) =>
    before.on(above, read, outcome),
  );
}

/**
 * Tenants that run come first. One whose new form is refused stays as it was, and what it holds then may refuse
 * others: so start again with it, until nothing changes.
 */
export async function admitAfresh(read: Read, running: readonly RawTenant[]): Promise<Outcome> {
  const { node, files, complete } = read;
  const candidates = [...files.values()].flatMap((result) =>
    result.tenant === undefined ? [] : [result.tenant],
  );
  const byFirstFile = new Map<string, RawTenant>();
  for (const candidate of candidates)
    if (!byFirstFile.has(candidate.name)) byFirstFile.set(candidate.name, candidate);
  const successors = new Map<RawTenant, RawTenant>();
  const kept = new Set<RawTenant>();
  for (const old of running) {
    const inPlace = files.get(old.file)?.tenant;
    const next = inPlace?.name === old.name ? inPlace : byFirstFile.get(old.name);
    if (next !== undefined) successors.set(old, next);
    // A file that is wrong or can't be seen gives nothing up.
    else if (isBroken(files, old) || !complete) kept.add(old);
  }
  const problems: Problem[] = [];
  for (;;) {
    const admission = new Admission(node?.value);
    const tenants: RawTenant[] = [...kept];
    for (const old of kept) admission.claim(old);
    const admitted = (candidate: RawTenant): boolean => {
      const found = admission.admit(candidate).map((problem) => ({ ...problem, tenant: candidate.name }));
      problems.push(...found);
      if (found.some((problem) => problem.severity === 'error')) return false;
      tenants.push(candidate);
      return true;
    };
    let loser: [RawTenant, RawTenant] | undefined;
    for (const pair of successors) {
      if (turnIsUsed()) await nextTurn();
      if (admitted(pair[1])) continue;
      loser = pair;
      break;
    }
    if (loser !== undefined) {
      kept.add(loser[0]);
      successors.delete(loser[0]);
      continue;
    }
    const tried = new Set(successors.values());
    const keptNames = new Set([...kept].map((tenant) => tenant.name));
    // The new form of a tenant that stays as it was is reported already.
    const refused = candidates
      .filter((candidate) => !tried.has(candidate) && !keptNames.has(candidate.name) && !admitted(candidate))
      .map((candidate) => candidate.file);
    const used = new Set(tenants.map((tenant) => tenant.file));
    for (const [file, result] of files)
      if (result.tenant === undefined && !used.has(file)) refused.push(file);
    tenants.sort(byName);
    const outcome = { tenants, kept: [...keptNames].sort(), refused, problems };
    const contradiction = problems.length > 0 || candidates.some(({ name }) => keptNames.has(name));
    if (contradiction || !complete) return outcome;
    return settledOutcome(outcome, (full) => new Settled(read, full, { admission, version: 0 }));
  }
}

/** An outcome and what remembers it know each other. */
function settledOutcome(outcome: Outcome, remember: (outcome: Outcome) => Settled): Outcome {
  const full: { -readonly [K in keyof Outcome]: Outcome[K] } = { ...outcome };
  full.settled = remember(full);
  return full;
}

const byName = (a: RawTenant, b: RawTenant): number => (a.name < b.name ? -1 : 1);

/** Whether the tenant's file is still there but says nothing valid. */
function isBroken(files: ReadonlyMap<string, FileResult>, tenant: RawTenant): boolean {
  const result = files.get(tenant.file);
  return result !== undefined && result.tenant === undefined;
}

export type { Settled };

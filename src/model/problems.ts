/** What is wrong with a configuration, and where. */

/** Steps from the top of a document: keys of mappings, places in lists. */
export type Path = readonly (string | number)[];

export interface Problem {
  /** error: the file isn't applied; warning: it is. */
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** Like `pools[0].members[2].address`; empty for the document as a whole. */
  readonly path: string;
  /** What is wrong, and what would be right. */
  readonly message: string;
  readonly tenant?: string;
}

/** `file:line:column path: what, and what would be right` */
export function formatProblem(problem: Problem): string {
  const where = `${problem.file}:${problem.line}:${problem.column}`;
  const path = problem.path === '' ? '' : ` ${problem.path}`;
  const warning = problem.severity === 'warning' ? 'warning: ' : '';
  return `${where}${path}: ${warning}${problem.message}`;
}

export function formatPath(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

/** By file, then place, errors and warnings mixed: the order in which a person mends a file. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  return [...problems].sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  );
}

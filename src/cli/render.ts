/** Rows as a table for people, as JSON or CSV for programs: one description of the columns for all three. */

export type Format = 'table' | 'json' | 'csv';
type Cell = string | number | boolean | undefined;
type Paint = 'good' | 'bad' | 'odd';

export interface Column<T> {
  readonly title: string;
  get(row: T): Cell;
  /** How the cell is meant, for colour on a terminal. */
  paint?(row: T): Paint | undefined;
}

export interface RenderOptions {
  readonly format: Format;
  readonly headings: boolean;
  readonly colors: boolean;
}

const ANSI: Readonly<Record<Paint | 'dim', string>> = { good: '32', bad: '31', odd: '33', dim: '2' };

export function paint(text: string, how: Paint | 'dim' | undefined, colors: boolean): string {
  return how === undefined || !colors ? text : `\u001b[${ANSI[how]}m${text}\u001b[0m`;
}

/** JSON holds the rows as the agent gave them, with more in them than the columns. Ends with a line feed, or is empty. */
export function renderRows<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: RenderOptions,
): string {
  switch (options.format) {
    case 'json':
      return renderJson(rows);
    case 'csv':
      return renderCsv(rows, columns, options.headings);
    case 'table':
      return renderTable(rows, columns, options);
  }
}

export function renderJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** RFC 4180, with line feeds alone, as Unix tools want them. */
function renderCsv<T>(rows: readonly T[], columns: readonly Column<T>[], headings: boolean): string {
  const line = (cells: readonly Cell[]): string => `${cells.map(quote).join(',')}\n`;
  const head = headings ? line(columns.map((column) => column.title.replaceAll(' ', '_'))) : '';
  return head + rows.map((row) => line(columns.map((column) => column.get(row)))).join('');
}

function quote(cell: Cell): string {
  const text = cell === undefined ? '' : String(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function renderTable<T>(rows: readonly T[], columns: readonly Column<T>[], options: RenderOptions): string {
  const cells = rows.map((row) => columns.map((column) => show(column.get(row))));
  const right = columns.map(
    (_, c) => rows.length > 0 && rows.every((row) => typeof (columns[c]!.get(row) ?? 0) === 'number'),
  );
  const widths = columns.map((column, c) =>
    Math.max(options.headings ? column.title.length : 0, ...cells.map((row) => row[c]!.length)),
  );
  const line = (texts: readonly string[], row?: T): string => {
    const padded = texts.map((text, c) => {
      const last = c === texts.length - 1 && !right[c];
      const space = ' '.repeat(last ? 0 : widths[c]! - text.length);
      const colored = row === undefined ? text : paint(text, columns[c]!.paint?.(row), options.colors);
      return right[c] ? space + colored : colored + space;
    });
    return `${padded.join('  ').trimEnd()}\n`;
  };
  const head = options.headings
    ? paint(line(columns.map((c) => c.title.toUpperCase())).trimEnd(), 'dim', options.colors)
    : '';
  return (head === '' ? '' : `${head}\n`) + cells.map((row, i) => line(row, rows[i])).join('');
}

/** Text from the network must not steer the terminal. */
function show(cell: Cell): string {
  if (cell === undefined || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return printable(String(cell));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');

/** `1 error`, `2 errors` */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** `3s`, `12min`, `5h`, `2d` since a moment. */
export function ago(iso: string | undefined, now: number): string | undefined {
  return iso === undefined ? undefined : duration((now - Date.parse(iso)) / 1000);
}

export function duration(seconds: number | undefined): string | undefined {
  if (seconds === undefined || Number.isNaN(seconds)) return undefined;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole}s`;
  if (whole < 7200) return `${Math.round(whole / 60)}min`;
  return whole < 172_800 ? `${Math.round(whole / 3600)}h` : `${Math.round(whole / 86_400)}d`;
}

import colors from 'picocolors';

const start = Date.now();

/** A new chapter. */
export function title(text: string): void {
  console.log(`\n${colors.bold(colors.cyan(`== ${text}`))}`);
}

/** Something that happened, with the seconds since the beginning. */
export function report(text: string): void {
  const seconds = ((Date.now() - start) / 1000).toFixed(1).padStart(5);
  console.log(`${colors.dim(`${seconds} s`)}  ${text}`);
}

/** A claim that was checked; throws where it doesn't hold. */
export function proven(claim: string, holds: boolean, evidence = ''): void {
  if (!holds) throw new Error(`not true: ${claim}${evidence === '' ? '' : ` (${evidence})`}`);
  report(`${colors.green('✓')} ${claim}`);
}

/** Output of a command, as it was. */
export function verbatim(command: string, output: string): void {
  console.log(`\n  ${colors.bold(`$ ${command}`)}`);
  console.log(output.trimEnd().replace(/^/gm, '  '));
}

/** Rows under headings, in columns. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]) =>
    `         ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`;
  console.log(colors.dim(line(headings)));
  for (const row of rows) console.log(line(row));
}

/** Text for man(7). */

/** Backslashes and dashes as they are, and nothing at the beginning of a line that troff would obey. */
export function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}

export const bold = (text: string): string => `\\fB${roff(text)}\\fR`;

export function title(name: string, section: number): string {
  return `.TH ${name.toUpperCase().replaceAll('-', '\\-')} ${section} "" "hpnn" "hpnn manual"\n`;
}

/*
 * What is made equal before our text and ovs-ofctl's are compared. Nothing else is.
 *
 * 1. The names of fields in table features: ovs-ofctl shortens `tun_src tun_dst` to `tun_{src,dst}` and counted names
 *    to `metadata0...metadata63`, and lists them by its internal numbers. We list whole names in the order of the
 *    message. Compared: the sets.
 * 2. A continuation of packet_in2 is the switch's own: ovs-ofctl looks into it, we tell its length. Left out.
 * 3. Blank lines and blanks at the ends of lines.
 * 4. What ovs-ofctl refuses to decode (`***decode error…`) says nothing of our text; such messages are not compared,
 *    and the tests name them.
 */

export function normalise(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^ continuation[.=]/.test(line))
    .map((line) => fieldSet(line).trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}

const FIELD_LISTS =
  /^( +(?:arbitrary mask|exact match or wildcard|must exact match|supported on Set-Field): )(.*)$/;

function fieldSet(line: string): string {
  const parts = FIELD_LISTS.exec(line);
  if (!parts) return line;
  const names = splitTop(parts[2]!, ' ').flatMap(expand).sort();
  return `${parts[1]}${[...new Set(names)].join(' ')}`;
}

/** `tun_{id,ipv6_{src,dst},metadata0...metadata2}` as single names. */
function expand(word: string): string[] {
  const brace = word.indexOf('{');
  if (brace < 0) return counted(word);
  const inner = word.slice(brace + 1, word.lastIndexOf('}'));
  return splitTop(inner, ',')
    .flatMap(expand)
    .map((name) => word.slice(0, brace) + name);
}

function counted(word: string): string[] {
  const range = /^(.*?)(\d+)\.\.\.\D*(\d+)$/.exec(word);
  if (!range) return [word];
  const from = Number(range[2]);
  return Array.from({ length: Number(range[3]) - from + 1 }, (_, i) => `${range[1]}${from + i}`);
}

/** Splits outside of braces. */
function splitTop(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}') depth--;
    else if ((i === text.length || text[i] === separator) && depth === 0) {
      if (i > start) parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return parts;
}

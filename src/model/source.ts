/** YAML text with the place of every value. */
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
} from 'yaml';
import { formatPath, type Path, type Problem } from './problems.js';

/** Bytes of one file. */
export const MAX_FILE_BYTES = 1 << 18;
/** Expanded aliases of one document: enough to share a monitor, too few for a "billion laughs". */
const MAX_ALIASES = 1000;
const MAX_DEPTH = 32;

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A parsed file that remembers where things stand. */
export interface Source {
  readonly file: string;
  /** Plain data. */
  readonly data: unknown;
  /** Of the value at a path; of the nearest thing around it where it doesn't exist. */
  place(path: Path): Place;
  /** Of the key itself. */
  placeOfKey(path: Path): Place;
}

export function problemAt(
  source: Source,
  path: Path,
  message: string,
  severity: Problem['severity'] = 'error',
): Problem {
  return { severity, file: source.file, ...source.place(path), path: formatPath(path), message };
}

/** Parses one YAML document. Errors of syntax come back as problems; never throws. */
export function parseSource(file: string, text: string): { source?: Source; problems: Problem[] } {
  const at = (line: number, column: number, message: string): { problems: Problem[] } => ({
    problems: [{ severity: 'error', file, line, column, path: '', message }],
  });
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    return at(1, 1, `the file has more than ${MAX_FILE_BYTES} bytes; split it into several tenants`);
  }
  const deep = tooDeep(text);
  if (deep !== undefined)
    return at(deep.line, deep.column, `nested more than ${MAX_DEPTH} levels deep; no setting is`);

  const lines = new LineCounter();
  let document: ReturnType<typeof parseDocument<ParsedNode>>;
  try {
    document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: true,
      logLevel: 'error',
    });
  } catch (error) {
    return at(1, 1, `can't be read as YAML: ${(error as Error).message}`);
  }
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  if (document.errors.length > 0) {
    return {
      problems: document.errors.slice(0, 10).map((error) => ({
        severity: 'error' as const,
        file,
        ...place(error.pos[0]),
        path: '',
        message: describeSyntax(error.code, error.message),
      })),
    };
  }
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return at(1, 1, `aliases expand too far (${(error as Error).message}); write the values out`);
  }
  const root = document.contents;
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const source: Source = {
    file,
    data,
    place: (path) => place(offsetOf(find(root, path, resolve).value)),
    placeOfKey: (path) => place(offsetOf(find(root, path, resolve).key)),
  };
  return { source, problems: [] };
}

function offsetOf(node: unknown): number {
  return isNode(node) ? ((node as Node).range?.[0] ?? 0) : 0;
}

/** The node at a path and its key; stops at the last node that exists. */
function find(
  root: unknown,
  path: Path,
  resolve: (node: unknown) => unknown,
): { key: unknown; value: unknown } {
  let key: unknown = root;
  let value: unknown = root;
  for (const step of path) {
    const here = resolve(value);
    if (isMap(here)) {
      const pair = here.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (pair === undefined) break;
      key = pair.key;
      value = pair.value ?? pair.key;
    } else if (isSeq(here) && typeof step === 'number' && here.items[step] !== undefined) {
      key = here.items[step];
      value = here.items[step];
    } else break;
  }
  return { key, value };
}

/**
 * Where nesting gets deeper than anything that is meant. Looked for before parsing, because the YAML parser
 * recurses: a file of brackets costs it gigabytes, and the process with them.
 */
function tooDeep(text: string): Place | undefined {
  let flow = 0;
  let line = 1;
  let column = 0;
  let indent = 0;
  let atStart = true;
  const blocks: number[] = [];
  for (const token of new Lexer().lex(text)) {
    const first = token.charCodeAt(0);
    const bracket = token === '[' || token === '{';
    if (bracket) flow++;
    else if (token === ']' || token === '}') flow = Math.max(0, flow - 1);
    else if (flow === 0 && (token === '-' || token === '?' || token === ':')) {
      const at = token === ':' ? indent : column;
      while (blocks.length > 0 && blocks.at(-1)! >= at) blocks.pop();
      blocks.push(at);
      if (token !== ':') atStart = true;
    }
    if (flow + blocks.length > MAX_DEPTH) return { line, column: column + 1 };
    // Byte order mark and the lexer's own marks (document, scalar, flow error) have no width.
    if (first === 0xfeff || first === 2 || first === 0x1f || first === 0x18) continue;
    const breaks = token.split('\n').length - 1;
    if (breaks > 0) {
      line += breaks;
      column = token.length - token.lastIndexOf('\n') - 1;
      atStart = true;
      indent = column;
      continue;
    }
    column += token.length;
    if (atStart && (token === '-' || token === '?' || /^[ ]+$/.test(token))) indent = column;
    else atStart = false;
  }
  return undefined;
}

function describeSyntax(code: string, message: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'the key stands here for the second time in this mapping; keep one of them';
    case 'TAB_AS_INDENT':
      return 'a tab is used for indentation; YAML wants spaces';
    case 'BAD_INDENT':
      return `the indentation doesn't fit what is above it (${message})`;
    case 'MULTIPLE_DOCS':
      return 'the file holds several documents (---); one file describes one tenant';
    default:
      return `not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  }
}

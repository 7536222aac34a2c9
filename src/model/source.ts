/** YAML text with the place of every value. */
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type ParsedNode,
  Parser,
  YAMLParseError,
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

/**
 * The source of a text that was read before, as `data`. Places are looked for only when one is asked for: what is
 * right needs none, and the parsed document takes many times the room of its text.
 */
export function sourceOf(file: string, text: string, data: unknown): Source {
  let known: Source | undefined;
  const parsed = (): Source | undefined => {
    known ??= parseSource(file, text).source;
    return known;
  };
  const start = { line: 1, column: 1 };
  return {
    file,
    data,
    place: (path) => parsed()?.place(path) ?? start,
    placeOfKey: (path) => parsed()?.placeOfKey(path) ?? start,
  };
}

/** Parses one YAML document. Errors of syntax come back as problems; never throws. */
export function parseSource(file: string, text: string): { source?: Source; problems: Problem[] } {
  const at = (line: number, column: number, message: string): { problems: Problem[] } => ({
    problems: [{ severity: 'error', file, line, column, path: '', message }],
  });
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    return at(1, 1, `the file has more than ${MAX_FILE_BYTES} bytes; split it into several tenants`);
  }
  const lines = new LineCounter();
  let document: Document.Parsed<ParsedNode>;
  try {
    document = readDocument(text, lines);
  } catch (error) {
    if (error instanceof TooDeep) return at(error.place.line, error.place.column, error.message);
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

class TooDeep extends Error {
  constructor(readonly place: Place) {
    super(`nested more than ${MAX_DEPTH} levels deep; no setting is`);
  }
}

/**
 * Reads one document. The depth is watched while the text is taken apart, before anything is put together, because
 * that recurses: a file of brackets would cost gigabytes, and the process with them.
 */
function readDocument(text: string, lines: LineCounter): Document.Parsed<ParsedNode> {
  const parser = new Parser(lines.addNewLine);
  const depth = new Depth();
  lines.addNewLine(0);
  const parts = [];
  for (const token of new Lexer().lex(text)) {
    depth.next(token);
    for (const part of parser.next(token)) parts.push(part);
  }
  for (const part of parser.end()) parts.push(part);
  const composer = new Composer<ParsedNode>({ prettyErrors: false, uniqueKeys: true, logLevel: 'error' });
  const [document, another] = composer.compose(parts, true, text.length);
  if (another !== undefined) {
    const [from, to] = another.range;
    document!.errors.push(new YAMLParseError([from, to], 'MULTIPLE_DOCS', 'several documents'));
  }
  return document!;
}

/** Follows the nesting from token to token. Throws TooDeep. */
class Depth {
  private flow = 0;
  private line = 1;
  private column = 0;
  private indent = 0;
  private atStart = true;
  private readonly blocks: number[] = [];

  next(token: string): void {
    const { blocks } = this;
    const first = token.charCodeAt(0);
    if (token === '[' || token === '{') this.flow++;
    else if (token === ']' || token === '}') this.flow = Math.max(0, this.flow - 1);
    else if (this.flow === 0 && (token === '-' || token === '?' || token === ':')) {
      const at = token === ':' ? this.indent : this.column;
      while (blocks.length > 0 && blocks.at(-1)! >= at) blocks.pop();
      blocks.push(at);
      if (token !== ':') this.atStart = true;
    }
    if (this.flow + blocks.length > MAX_DEPTH)
      throw new TooDeep({ line: this.line, column: this.column + 1 });
    // Byte order mark and the lexer's own marks (document, scalar, flow error) have no width.
    if (first === 0xfeff || first === 2 || first === 0x1f || first === 0x18) return;
    let end = token.indexOf('\n');
    if (end >= 0) {
      let last = end;
      for (; end >= 0; end = token.indexOf('\n', end + 1)) {
        this.line++;
        last = end;
      }
      this.column = token.length - last - 1;
      this.indent = this.column;
      this.atStart = true;
      return;
    }
    this.column += token.length;
    if (this.atStart && (token === '-' || token === '?' || isSpaces(token))) this.indent = this.column;
    else this.atStart = false;
  }
}

function isSpaces(token: string): boolean {
  for (let i = 0; i < token.length; i++) if (token.charCodeAt(i) !== 0x20) return false;
  return token.length > 0;
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

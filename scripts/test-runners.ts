import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';

export interface Count {
  passed: number;
  failed: number;
}

/** One command that passes or fails as a whole; its output is shown when it fails. */
export async function check(name: string, argv: readonly string[]): Promise<Count> {
  const start = Date.now();
  let output = '';
  const child = launch(argv);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await exit(child);
  console.log(`${code === 0 ? 'ok' : 'not ok'}: ${name} (${seconds(start)})`);
  if (code !== 0) console.log(indent(output.trim()));
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Unit, property, fuzz, golden and differential tests; all of them where `paths` is empty. */
export async function vitestFiles(
  paths: readonly string[],
  excluded: readonly string[],
  scratch: string,
): Promise<Count> {
  const file = join(scratch, 'vitest.json');
  const argv = ['npx', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const child = launch([...argv, ...excluded.map((glob) => `--exclude=${glob}`), ...paths], 'inherit');
  const code = await exit(child);
  if (!existsSync(file)) {
    console.log('not ok: vitest ended without a report');
    return { passed: 0, failed: 1 };
  }
  const report = JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
  // A file that can't be loaded has no tests that could fail; errors between tests have none either.
  const broken = report.testResults.filter(
    (result) =>
      result.status === 'failed' && !result.assertionResults.some(({ status }) => status === 'failed'),
  );
  for (const { name, message } of broken) console.log(`not ok: ${relative('.', name)}\n${indent(message)}`);
  const failed = report.numFailedTests + broken.length;
  return { passed: report.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

/** End-to-end tests, all of them where `files` is empty; one file at a time, as each loads two cores by itself. */
export async function tapFiles(files: readonly string[]): Promise<Count> {
  // The first run after an installation would still use tap's standard plugins, and compile TypeScript itself.
  if (!existsSync('.tap/plugins')) await check('tap is set up', ['npx', 'tap', 'build']);
  const child = launch(['npx', 'tap', '--reporter=tap', '--jobs=1', ...files]);
  child.stderr?.pipe(process.stderr);
  const count: Count = { passed: 0, failed: 0 };
  const tally = new TapTally(count);
  if (child.stdout) for await (const line of createInterface({ input: child.stdout })) tally.line(line);
  const code = await exit(child);
  if (code !== 0 && count.failed === 0) {
    console.log(`not ok: tap ended with ${code}`);
    count.failed += 1;
  }
  return count;
}

/** Of TAP with files at the first level and tests at the second. */
class TapTally {
  #pending: string[] = [];
  #failedInFile = 0;
  #testsInFile = 0;

  constructor(private readonly count: Count) {}

  line(text: string): void {
    const result = /^( {4})?(not ok|ok) \d+ - (.*)$/.exec(text);
    if (result === null) {
      this.#pending.push(text);
      return;
    }
    const [, nested, verdict, name] = result;
    const failed = verdict === 'not ok' && !/# (TODO|SKIP)/i.test(name!);
    if (nested) this.#test(failed, name!);
    else this.#file(failed, name!);
    this.#pending = [];
  }

  #test(failed: boolean, name: string): void {
    this.#testsInFile += 1;
    if (/# (TODO|SKIP)/i.test(name)) {
      console.log(`  skipped: ${name}`);
      return;
    }
    if (failed) {
      this.count.failed += 1;
      this.#failedInFile += 1;
      console.log(`  not ok: ${name}\n${this.#pending.join('\n')}`);
    } else {
      this.count.passed += 1;
      console.log(`  ok: ${name}`);
    }
  }

  #file(failed: boolean, name: string): void {
    const silent = this.#testsInFile === 0;
    if ((failed && this.#failedInFile === 0) || silent) {
      this.count.failed += 1;
      console.log(`not ok: ${name}${silent ? ': no test ran' : ''}\n${this.#pending.join('\n')}`);
    } else {
      console.log(`${failed ? 'not ok' : 'ok'}: ${name}`);
    }
    this.#failedInFile = 0;
    this.#testsInFile = 0;
  }
}

function launch(argv: readonly string[], output: 'pipe' | 'inherit' = 'pipe'): ChildProcess {
  const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' };
  return spawn(argv[0]!, argv.slice(1), { env, stdio: ['ignore', output, output] });
}

function exit(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}

function seconds(start: number): string {
  return `${((Date.now() - start) / 1000).toFixed(1)} s`;
}

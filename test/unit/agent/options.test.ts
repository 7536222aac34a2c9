import { describe, expect, it } from 'vitest';
import { agentManPage } from '../../../src/agent/man.js';
import { helpText, OPTIONS, parseCommandLine } from '../../../src/agent/options.js';

describe('the command line of hpnn-agent', () => {
  it.each([
    [[], { action: 'run', dir: '/etc/hpnn', level: 'info' }],
    [['--config', 'x', '--log-level', 'debug'], { action: 'run', dir: 'x', level: 'debug' }],
    [['--check'], { action: 'check', dir: '/etc/hpnn', level: 'info' }],
    [['--check', 'x'], { action: 'check', dir: 'x', level: 'info' }],
    [['--config', 'x', '--check'], { action: 'check', dir: 'x', level: 'info' }],
    [['--version'], { action: 'version', dir: '/etc/hpnn', level: 'info' }],
    [['--help', '--check'], { action: 'help', dir: '/etc/hpnn', level: 'info' }],
  ])('%j', (argv, expected) => {
    expect(parseCommandLine(argv)).toEqual(expected);
  });

  it.each([
    [['x'], 'unexpected argument x'],
    [['--check', 'x', 'y'], 'unexpected argument y'],
    [['--config', 'x', '--check', 'y'], 'unexpected argument y'],
    [['--log-level', 'loud'], '--log-level loud: one of trace'],
    [['--wrong'], 'wrong'],
  ])('%j is refused', (argv, words) => {
    expect(() => parseCommandLine(argv)).toThrow(words);
  });

  it('is told completely by --help and by the manual page', () => {
    const page = agentManPage().replaceAll('\\-', '-');
    for (const { name } of OPTIONS) {
      expect(helpText()).toContain(`--${name}`);
      expect(page).toContain(`--${name}`);
    }
  });
});

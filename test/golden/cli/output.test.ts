import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../unit/cli/run.js';

let agent: Fixture;
beforeAll(async () => {
  agent = await startFixture();
});
afterAll(() => agent.close());

const COMMANDS = [
  'status', 'status --brief', 'health', 'slots', 'neigh', 'fdb', 'conns', 'flows', 'flows --raw', 'ports', 'groups', 'meters', 'drops',
  'drain acme/web/be1', 'enable acme/web/be1', 'config plan', 'config apply --wait 1', 'config show', 'diff-flows', 'log',
  'trace -t acme --from v-a-c tcp_10.20.0.10:40000_>_10.20.0.100:80',
] as const;

describe('output', () => {
  it.each(['table', 'csv', 'json'] as const)('of every command as %s', async (format) => {
    let text = '';
    for (const command of COMMANDS) {
      const args = command.split(' ').map((word) => word.replaceAll('_', ' '));
      const { status, out, err } = await agent.run(...args, '-f', format);
      expect([command, status, err]).toEqual([command, 0, '']);
      text += `$ lbctl ${args.map((arg) => (/[ >]/.test(arg) ? `'${arg}'` : arg)).join(' ')} -f ${format}\n${out}\n`;
    }
    await expect(text).toMatchFileSnapshot(`output-${format}.txt`);
  });
});

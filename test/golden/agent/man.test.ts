import { expect, it } from 'vitest';
import { agentManPage } from '../../../src/agent/man.js';

it('the manual page is made from the options (`npx vitest run -u` rewrites it)', async () => {
  await expect(agentManPage()).toMatchFileSnapshot('../../../docs/man/hpnn-agent.8');
});

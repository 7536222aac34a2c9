/** `drain`, `enable`, `log`. */
import type { AdminResult, LogLevels } from '../../api/types.js';
import type { Context } from '../context.js';
import { CliError, EXIT } from '../io.js';

export async function setAdministrative(
  context: Context,
  what: 'drain' | 'enable',
  names: readonly string[],
): Promise<void> {
  // All are read before the first is sent: a slip of the pen in the last one leaves nothing half done.
  const members = names.map((name) => {
    const [tenant, pool, member, ...rest] = name.split('/');
    if (!tenant || !pool || !member || rest.length > 0) {
      throw new CliError(EXIT.usage, `"${name}" is no member; write TENANT/POOL/MEMBER, like acme/web/be1`);
    }
    return { tenant, pool, member };
  });
  const results: AdminResult[] = [];
  for (const member of members) results.push(await context.client.post<AdminResult>(`/${what}`, member));
  if (context.render.format !== 'table') {
    context.rows(results, [
      { title: 'tenant', get: (r) => r.tenant },
      { title: 'pool', get: (r) => r.pool },
      { title: 'member', get: (r) => r.member },
      { title: 'changed', get: (r) => r.changed },
      { title: 'status', get: (r) => r.operatingStatus },
    ]);
    return;
  }
  for (const r of results) {
    context.print(
      `${r.tenant}/${r.pool}/${r.member}: ${r.operatingStatus}${r.changed ? '' : ' (was so already)'}\n`,
    );
  }
}

export async function logLevels(context: Context, settings: readonly string[]): Promise<void> {
  const wanted = settings.map((setting) => {
    const match = /^([^:]+):([^:]+)$/.exec(setting);
    if (match === null)
      throw new CliError(
        EXIT.usage,
        `"${setting}" is no setting; write MODULE:LEVEL, like health:debug or any:info`,
      );
    return { module: match[1]!, level: match[2]! };
  });
  let result: LogLevels | undefined;
  for (const setting of wanted) result = await context.client.post<LogLevels>('/log', setting);
  result ??= await context.client.get<LogLevels>('/log');
  context.rows(
    Object.entries(result.levels).map(([module, level]) => ({ module, level })),
    [
      { title: 'module', get: (r) => r.module },
      { title: 'level', get: (r) => r.level },
    ],
  );
}

/** The HTTP application, without sockets: `inject` is all that a test needs. */
import type { FastifyInstance } from 'fastify';
import type { ReadModel } from '../agent/read-model.js';
import { slicer } from '../loop/turns.js';
import type { AccessRules } from './access.js';
import { installProblems } from './problem.js';
import { installActions, installReads, installWatch } from './routes.js';
import { createServer } from './server.js';

/** The part of a pino logger that is used. */
export interface ApiLog {
  error(data: object, message: string): void;
  info(data: object, message: string): void;
}

export interface AppOptions extends AccessRules {
  readonly model: ReadModel;
  readonly log: ApiLog;
  readonly version: string;
}

export async function buildApp({ model, log, version, ...access }: AppOptions): Promise<FastifyInstance> {
  // The switch may be answering already.
  const pause = slicer();
  const app = createServer();
  const paths = new Set<string>();
  app.addHook('onRoute', (route) => void paths.add(route.url));
  app.addHook('onSend', async (_, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
  installProblems(
    app,
    () => [...paths],
    (error, request) => log.error({ err: error, method: request.method, url: request.url }, 'request failed'),
  );
  const install = async (app: FastifyInstance): Promise<void> => {
    await pause();
    installReads(app, model);
    await pause();
    installWatch(app, model);
    installActions(app, model, access);
    await pause();
  };
  await install(app);
  let description: Promise<object> | undefined;
  app.get('/openapi.json', async () => {
    description ??= import('./openapi.js').then(({ describeRoutes }) => describeRoutes(version, install));
    return description;
  });
  await app.ready();
  return app;
}

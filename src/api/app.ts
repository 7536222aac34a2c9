/** The HTTP application, without sockets: `inject` is all that a test needs. */
import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance } from 'fastify';
import { jsonSchemaTransform, validatorCompiler } from 'fastify-type-provider-zod';
import type { ReadModel } from '../agent/read-model.js';
import type { AccessRules } from './access.js';
import { installProblems } from './problem.js';
import { installActions, installReads, installWatch } from './routes.js';

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

const BODY_LIMIT = 1 << 16;

export async function buildApp({ model, log, version, ...access }: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 100 },
    // A client that has gone needs no answer, and its request no work.
    forceCloseConnections: true,
  });
  app.setValidatorCompiler(validatorCompiler);
  // Schemas of answers describe; checking ourselves on each request would only cost time.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'hpnn-agent',
        version,
        description: 'Multi-tenant router and load balancer on Open vSwitch',
      },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    },
    transform: jsonSchemaTransform,
  });
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
  installReads(app, model);
  installWatch(app, model);
  installActions(app, model, access);
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.ready();
  return app;
}

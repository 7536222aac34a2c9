/**
 * What /openapi.json answers. Loaded when somebody asks: an agent that starts has no time for it. In a bundle the answer
 * stands instead (scripts/bundle.ts).
 */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { createServer } from './server.js';

/** @param install puts the routes to be described on an application; none is called */
export async function describeRoutes(
  version: string,
  install: (app: FastifyInstance) => Promise<void>,
): Promise<object> {
  const app = createServer();
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
  await install(app);
  await app.ready();
  return app.swagger();
}

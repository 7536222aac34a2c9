/** Fastify as it is used here: nothing that compiles JSON schemas is loaded, for requests are checked by zod. */
import fastify, { type FastifyInstance } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';

const BODY_LIMIT = 1 << 16;

export function createServer(): FastifyInstance {
  return fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 100 },
    // A client that has gone needs no answer, and its request no work.
    forceCloseConnections: true,
    // Given at once: `setValidatorCompiler` would come after Fastify has loaded its own.
    schemaController: {
      compilersFactory: {
        // `never`: the type it should have is that of a compiler of JSON schemas.
        buildValidator: (() => validatorCompiler) as never,
        // Schemas of answers describe; checking ourselves on each request would only cost time.
        buildSerializer: () => () => (value) => JSON.stringify(value),
      },
    },
  });
}

/** What can be asked, and what can be done. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ReadModel } from '../agent/read-model.js';
import { type AccessRules, checkMayChange } from './access.js';
import { createMetrics } from './metrics.js';
import { checkFilter, checkMember, given } from './names.js';
import * as s from './schemas.js';
import { EventStreams, sendCapture, sendRows } from './streams.js';

const problems = {
  '4xx': s.problemDocument.describe('application/problem+json, RFC 9457'),
  '5xx': s.problemDocument.describe('application/problem+json, RFC 9457'),
};
// The schemas describe; the types that handlers answer with are those of types.ts.
const answer = (schema: z.ZodType) => ({ 200: schema, ...problems });

export function installReads(base: FastifyInstance, model: ReadModel): void {
  const app = base.withTypeProvider<ZodTypeProvider>();
  const read = (
    url: string,
    summary: string,
    schema: z.ZodType,
    get: (filter: ReturnType<typeof checkFilter>) => Promise<unknown>,
  ): void => {
    app.get(url, { schema: { summary, querystring: s.filter, response: answer(schema) } }, async (request) =>
      get(checkFilter(model, request.query)),
    );
  };
  read('/status', 'Agent, switch and tenants', s.answers.status, (f) => model.status(f));
  read('/health', 'Members and their checks', s.answers.health, (f) => model.health(f));
  read('/slots', 'Slot tables of the pools', s.answers.slots, (f) => model.slots(f));
  read('/neighbours', 'Neighbour table', s.answers.neighbours, (f) => model.neighbours(f));
  read('/fdb', 'Learned MAC addresses', s.answers.fdb, (f) => model.fdb(f));
  read('/ports', 'Ports of the bridge', s.answers.ports, (f) => model.ports(f));
  read('/groups', 'Groups in the switch', s.answers.groups, (f) => model.groups(f));
  read('/meters', 'Meters in the switch', s.answers.meters, (f) => model.meters(f));
  read('/drops', 'Packets dropped by rules and meters', s.answers.drops, (f) => model.drops(f));
  read('/diff-flows', 'Desired against installed', s.answers.diff, (f) => model.diffFlows(f));
  read('/config', 'The configuration as it is applied', s.answers.shown, (f) => model.configShow(f));

  app.get(
    '/connections',
    {
      schema: {
        summary: 'Tracked connections',
        querystring: s.connectionsQuery,
        response: answer(s.answers.connections),
      },
    },
    async (request) => model.connections(checkFilter(model, request.query), request.query.limit),
  );
  app.get(
    '/flows',
    {
      schema: {
        summary: 'Flows in the switch',
        querystring: s.flowsQuery,
        response: answer(s.answers.flows),
      },
    },
    async (request, reply) => {
      const { table, kind } = request.query;
      const filter = {
        ...checkFilter(model, request.query),
        ...(table === undefined ? {} : { table }),
        ...(kind === undefined ? {} : { kind }),
      };
      return sendRows(reply, model.flows(filter));
    },
  );
  app.get('/log', { schema: { summary: 'Log levels', response: answer(s.answers.levels) } }, async () =>
    model.logLevels(),
  );

  const events = new EventStreams(model);
  app.get(
    '/events',
    {
      schema: {
        summary: 'Events as they happen (text/event-stream)',
        querystring: s.eventsQuery,
        response: { 200: z.string(), ...problems },
      },
    },
    (request, reply) => {
      checkFilter(model, { tenant: request.query.tenant });
      events.start(request, reply, request.query);
    },
  );
}

/** For machines that watch the agent. */
export function installWatch(base: FastifyInstance, model: ReadModel): void {
  const app = base.withTypeProvider<ZodTypeProvider>();
  const metrics = createMetrics(model.metrics);
  app.get(
    '/metrics',
    { schema: { summary: 'Prometheus metrics', response: { 200: z.string() } } },
    async (_, reply) => {
      const text = await metrics.render();
      return reply.header('content-type', metrics.contentType).serializer(String).send(text);
    },
  );
  app.get(
    '/healthz',
    { schema: { summary: 'The agent lives', response: answer(s.answers.health_z) } },
    async () => ({
      status: 'ok' as const,
    }),
  );
  app.get(
    '/readyz',
    {
      schema: {
        summary: 'The switch forwards as configured',
        response: { 200: s.answers.ready_z, 503: s.answers.ready_z },
      },
    },
    async (_, reply) => {
      const { ready, reason } = model.ready();
      return reply.code(ready ? 200 : 503).send({ ready, ...(reason === undefined ? {} : { reason }) });
    },
  );
}

export function installActions(base: FastifyInstance, model: ReadModel, access: AccessRules): void {
  const app = base.withTypeProvider<ZodTypeProvider>();
  const onRequest = async (request: FastifyRequest): Promise<void> => checkMayChange(request, access);
  const action = <B extends z.ZodType>(
    url: string,
    summary: string,
    body: B,
    schema: z.ZodType,
    run: (body: z.output<B>, request: FastifyRequest, reply: FastifyReply) => unknown,
  ): void => {
    app.post(
      url,
      { onRequest, schema: { summary, body, response: answer(schema) } },
      async (request, reply) => run(request.body as z.output<B>, request, reply),
    );
  };
  action('/drain', 'No new connections to a member', s.memberRef, s.answers.admin, (b) =>
    model.drain(checkMember(model, b)),
  );
  action('/enable', 'A drained member serves again', s.memberRef, s.answers.admin, (b) =>
    model.enable(checkMember(model, b)),
  );
  action('/trace', "A packet's way through the tables", s.traceRequest, s.answers.trace, (b) => {
    checkFilter(model, { tenant: b.tenant });
    return model.trace(defined(b));
  });
  action(
    '/capture',
    'OpenFlow channel and punted frames, live',
    s.captureRequest,
    z.string(),
    (b, request, reply) => {
      checkFilter(model, { tenant: b.tenant });
      return sendCapture(request, reply, model, defined(b));
    },
  );
  action('/config/check', 'Validates the configuration directory', s.empty, s.answers.check, () =>
    model.configCheck(),
  );
  action(
    '/config/plan',
    'The changes that applying it would send',
    s.planRequest,
    s.answers.plan,
    ({ dir, ...b }) => model.configPlan(given(b), dir),
  );
  action(
    '/config/apply',
    'Reloads the configuration directory',
    s.applyRequest,
    s.answers.applied,
    ({ wait, tenant }) => model.configApply(wait === undefined ? undefined : wait * 1000, tenant),
  );
  action('/log', 'Sets a log level', s.logRequest, s.answers.levels, (b) =>
    model.setLogLevel(b.module, b.level),
  );
}

/** Without the keys whose value is undefined, as optional properties want it. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, v]) => v !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

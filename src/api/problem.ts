/** Every error leaves as a problem document, RFC 9457. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { RefusedError } from '../agent/read-model.js';
import { nearest } from '../model/nearest.js';
import type { ProblemDocument } from './types.js';

/** An error that knows its HTTP status. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  constructor(
    readonly status: number,
    message: string,
    readonly hint?: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Token needed',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  408: 'Request took too long',
  409: 'Conflict',
  413: 'Body too large',
  414: 'Address too long',
  415: 'Unsupported media type',
  422: 'Refused',
  431: 'Headers too large',
  500: 'Internal error',
  503: 'Unavailable',
  504: 'Timed out',
};

const REFUSALS = { 'not-found': 404, conflict: 409, invalid: 422, unavailable: 503, timeout: 504 } as const;

/** The `type` is about:blank: the status says all there is to distinguish (section 4.2.1). */
export function problem(
  status: number,
  detail: string,
  extra: Partial<ProblemDocument> = {},
): ProblemDocument {
  return { type: 'about:blank', title: TITLES[status] ?? 'Error', status, detail, ...extra };
}

export function toProblem(error: unknown, instance: string): ProblemDocument {
  if (error instanceof HttpError) {
    return problem(error.status, error.message, {
      instance,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
  if (error instanceof RefusedError) {
    const extra = error.hint === undefined ? {} : { hint: error.hint };
    return problem(REFUSALS[error.code], error.message, { instance, ...extra });
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = error.validation.slice(0, 20).map((issue) => ({
      path: issue.instancePath.replace(/^\//, '').replaceAll('/', '.'),
      message: issue.message ?? 'is wrong',
    }));
    const where = (error as { validationContext?: string }).validationContext ?? 'request';
    const detail = errors.map((e) => (e.path === '' ? e.message : `${e.path}: ${e.message}`)).join('; ');
    return problem(400, `The ${where === 'querystring' ? 'query' : where} is wrong: ${detail}`, {
      instance,
      errors,
    });
  }
  const status = (error as Partial<FastifyError>).statusCode;
  if (status !== undefined && status >= 400 && status < 500) {
    return problem(status, (error as Error).message, { instance });
  }
  return problem(500, 'Something went wrong inside the agent; its log has the details.', { instance });
}

export function sendProblem(reply: FastifyReply, document: ProblemDocument): FastifyReply {
  return reply
    .code(document.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer((value: unknown) => JSON.stringify(value))
    .send(document);
}

const METHODS = ['GET', 'POST'] as const;

/** `paths`: all routes, to say what was probably meant. */
export function installProblems(
  app: FastifyInstance,
  paths: () => readonly string[],
  onInternal: (error: unknown, request: FastifyRequest) => void,
): void {
  app.setErrorHandler((error, request, reply) => {
    const document = toProblem(error, request.url);
    if (document.status === 500) onInternal(error, request);
    if (error instanceof HttpError) reply.headers(error.headers);
    return sendProblem(reply, document);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const allowed = METHODS.filter((method) => app.hasRoute({ method, url: path }));
    if (allowed.length > 0) {
      reply.header('allow', allowed.join(', '));
      const detail = `${request.method} is not possible here; use ${allowed.join(' or ')}.`;
      return sendProblem(reply, problem(405, detail, { instance: request.url }));
    }
    const guess = nearest(path, paths());
    const hint = guess === undefined ? 'GET /openapi.json describes all routes' : `did you mean ${guess}?`;
    return sendProblem(
      reply,
      problem(404, `There is nothing at ${path.slice(0, 200)}.`, {
        instance: request.url.slice(0, 500),
        hint,
      }),
    );
  });
}

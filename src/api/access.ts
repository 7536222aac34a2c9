/** Who may change things: anyone on the unix socket (its mode decides), on TCP the bearer of the token or a neighbour. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { HttpError } from './problem.js';

export interface AccessRules {
  readonly token?: string;
  /** Requests from a loopback address need no token. */
  readonly trustLoopback: boolean;
}

/** Throws HttpError 401 or 403 where the request may not change anything. */
export function checkMayChange(request: FastifyRequest, rules: AccessRules): void {
  const from = request.socket.remoteAddress;
  if (from === undefined) return; // a unix socket
  const given = /^Bearer ([!-~]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (rules.token !== undefined && given !== undefined && same(given, rules.token)) return;
  if (given === undefined && rules.trustLoopback && isLoopback(from)) {
    checkNotFromBrowser(request);
    return;
  }
  if (rules.token === undefined) {
    throw new HttpError(
      403,
      'Changes are not allowed here.',
      'use the unix socket, or set api.token_file in node.yaml',
    );
  }
  throw new HttpError(
    401,
    given === undefined ? 'This needs a token.' : 'The token is wrong.',
    'send the header "Authorization: Bearer TOKEN"',
    { 'www-authenticate': 'Bearer realm="hpnn"' },
  );
}

/** A page in a browser on this machine also comes from loopback, by its own or by a rebound name. */
function checkNotFromBrowser(request: FastifyRequest): void {
  const host = (request.headers.host ?? '').replace(/:[0-9]+$/, '');
  const local = host === 'localhost' || host === '[::1]' || /^127(\.[0-9]{1,3}){3}$/.test(host);
  if (request.headers.origin !== undefined || !local) {
    throw new HttpError(
      403,
      'Requests that a web page makes are not trusted.',
      'send a token, or use the unix socket',
    );
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127(\.[0-9]{1,3}){3}$/.test(address);
}

/** Takes the same time whatever differs. */
function same(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

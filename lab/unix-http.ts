import { request } from 'node:http';

export interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * One HTTP request over a unix socket; `body` is sent as JSON. Rejects when nobody listens, the connection breaks, or
 * no answer comes within `timeout` ms.
 */
export function requestOver(
  socketPath: string,
  method: string,
  path: string,
  body: string | undefined,
  timeout: number,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = request({ socketPath, method, path, headers, timeout }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: text }));
      incoming.on('error', reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

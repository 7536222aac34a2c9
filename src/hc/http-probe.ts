import { formatIpv4 } from '../packetio/frames/address.js';
import { formatCodes, isExpected, StatusLineReader } from './http-response.js';
import type { ProbeHost } from './probe.js';
import { ConnectionProbe } from './tcp-probe.js';
import type { FailureKind, Monitor, Outcome } from './types.js';

/** HTTP: a final status code within the expected ones, in time. The verdict falls at the end of the status line. */
export class HttpProbe extends ConnectionProbe {
  private readonly reader = new StatusLineReader();
  private decided = false;
  private heard = false;

  protected onConnected(): void {
    this.client.send(request(this.host.monitor, this.host));
  }

  data(bytes: Uint8Array): void {
    if (this.decided) return;
    if (!this.heard) this.host.answered();
    this.heard = true;
    if (!this.reader.push(bytes)) return;
    this.decide(this.judge());
    this.leave();
  }

  ended(): void {
    if (!this.decided) this.decide(fail('closed', 'closed before an answer'));
    this.leave();
  }

  protected late(): Outcome {
    return fail('timeout', this.heard ? 'answer not complete in time' : 'no answer to the request in time');
  }

  protected lost(): Outcome {
    return fail('reset', 'connection reset');
  }

  private judge(): Outcome {
    const { status, error } = this.reader;
    const { expectedCodes } = this.host.monitor;
    if (error !== '') return fail('malformed', error);
    if (isExpected(status, expectedCodes)) return { ok: true, reason: `HTTP ${status}` };
    return fail('bad-status', `HTTP ${status}, expected ${formatCodes(expectedCodes)}`);
  }

  private decide(outcome: Outcome): void {
    this.decided = true;
    this.host.verdict(outcome);
  }
}

function fail(kind: FailureKind, reason: string): Outcome {
  return { ok: false, kind, reason };
}

/** RFC 9112 §3; HTTP/1.0 gets a Host only where one was configured. */
function request(m: Monitor, host: ProbeHost): Uint8Array {
  const name = m.domainName ?? (m.httpVersion === '1.1' ? formatIpv4(host.path.address) : undefined);
  const lines = [
    `${m.httpMethod} ${m.urlPath} HTTP/${m.httpVersion}`,
    ...(name === undefined ? [] : [`Host: ${name}`]),
    'User-Agent: hpnn-health',
    'Accept: */*',
    ...(m.httpVersion === '1.1' ? ['Connection: close'] : []),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

import { readFileSync } from 'node:fs';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { TlsFiles } from './types.js';

/**
 * What both sides of a TLS connection are made with: TLS 1.2 at least, and a certificate of the other side is
 * asked for. It is judged by `refusalOf`, not by node, which would end the connection without saying why.
 *
 * @throws Error naming the file that can't be read
 */
export function tlsOptions(files: TlsFiles): SecureContextOptions & { rejectUnauthorized: false } {
  return {
    key: read('private key', files.privateKey),
    cert: read('certificate', files.certificate),
    ca: read('CA certificate', files.caCertificate),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: false,
  };
}

/** Why the other side of a finished TLS handshake is not to be spoken to; undefined where it is trusted. */
export function refusalOf(socket: TLSSocket): string | undefined {
  if (socket.authorized) return undefined;
  const certificate = socket.getPeerCertificate();
  if (Object.keys(certificate).length === 0) return 'the peer showed no certificate';
  const name = [certificate.subject?.CN].flat().join(', ') || 'without a name';
  return `the peer's certificate (${name}) ${reasonOf(String(socket.authorizationError), certificate.valid_to)}`;
}

/** A failed TLS handshake in words. `error.code` is OpenSSL's, e.g. ERR_SSL_TLSV1_ALERT_UNKNOWN_CA. */
export function handshakeFailure(error: Error & { code?: string; reason?: string }): string {
  const code = error.code ?? '';
  const alert = /ALERT_(.*)$/.exec(code)?.[1];
  if (alert !== undefined)
    return `the peer refused our certificate or TLS settings: ${alert.toLowerCase().replaceAll('_', ' ')}`;
  if (code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE') return 'the peer showed no certificate';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_HTTP_REQUEST')
    return 'the peer does not speak TLS: its remote must be ssl:, not tcp:';
  if (code === 'ECONNRESET') return 'the peer closed the connection during the TLS handshake';
  return `TLS handshake failed: ${error.reason ?? error.message}`;
}

function reasonOf(code: string, validTo: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `expired on ${validTo}`;
    case 'CERT_NOT_YET_VALID':
      return 'is not valid yet';
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'CERT_SIGNATURE_FAILURE':
      return `is not of our CA (${code})`;
    default:
      return `is not accepted (${code})`;
  }
}

function read(what: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`);
  }
}

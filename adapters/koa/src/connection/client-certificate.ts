import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '@tallystick/consents';
import { headerValues } from './header-values.ts';
import { createNetworks } from './networks.ts';

/** The proxies that terminate TLS and pass the client certificate on. */
export interface CertificateProxies {
  /** The header with the certificate, lower-case. */
  readonly header: string;
  /** The addresses of the proxies, as CIDR. The header is ignored from all others. */
  readonly networks: readonly string[];
}

/**
 * Returns the function that finds the client certificate of a request; null: it has none, or none
 * that is trusted. Within TLS of this server, that is a certificate of a configured authority. A
 * trusted proxy has verified the certificate itself, and replaces a header that the client sent: a
 * header with two values, or with two certificates, counts as none. It passes the certificate on as
 * percent-encoded PEM (`$ssl_client_escaped_cert` of nginx) or as RFC 9440 has it (`:<base64 of DER>:`).
 */
export function createCertificateReader(
  proxies: CertificateProxies | null,
): (request: IncomingMessage) => ClientCertificate | null {
  // The reading of a certificate is work, and one request needs it several times.
  const known = new WeakMap<TLSSocket | IncomingMessage, ClientCertificate | null>();
  const knownOr = (key: TLSSocket | IncomingMessage, read: () => ClientCertificate | null) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const certificate = read();
    known.set(key, certificate);
    return certificate;
  };
  const isTrusted = createNetworks(proxies?.networks ?? []);

  return (request) => {
    const { socket } = request;
    if (isTls(socket)) {
      const of_tls = knownOr(socket, () => ofTls(socket));
      if (of_tls !== null) return of_tls;
    }
    if (proxies === null || !isTrusted(socket.remoteAddress ?? '')) return null;
    return knownOr(request, () => parse(headerValues(request, proxies.header)));
  };
}

function ofTls(socket: TLSSocket): ClientCertificate | null {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  return certificate === undefined ? null : describe(certificate);
}

function isTls(socket: IncomingMessage['socket']): socket is TLSSocket {
  return 'encrypted' in socket;
}

/** One value with one certificate. Of two, the first may be what the client sent itself. */
function parse([text = '', another]: readonly string[]): ClientCertificate | null {
  if (another !== undefined || text.includes(',') || text.split('BEGIN').length > 2) return null;
  try {
    const der = /^:([A-Za-z0-9+/=]+):$/.exec(text)?.[1];
    return describe(new X509Certificate(der === undefined ? decodeURIComponent(text) : Buffer.from(der, 'base64')));
  } catch {
    return null;
  }
}

function describe(certificate: X509Certificate): ClientCertificate {
  return {
    sha256: createHash('sha256').update(certificate.raw).digest('base64url'),
    subject: toRfc4514(certificate.subject),
    pem: certificate.toString(),
  };
}

/**
 * Node lists the names from the root, one a line, with the values already escaped as in a
 * distinguished name. Names of one level are joined by ` + `, which no escaped value contains. The
 * order is that of OpenSSL (`-nameopt RFC2253`).
 */
function toRfc4514(subject: string | undefined): string {
  return (subject ?? '')
    .split('\n')
    .reverse()
    .map((names) => names.split(' + ').reverse().join('+'))
    .join(',');
}

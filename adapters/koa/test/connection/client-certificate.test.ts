import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { before, describe, it } from 'node:test';
import { type ClientCertificates, client_subject, clientCertificates } from '@tallystick/test-support';
import { createCertificateReader } from '../../src/index.ts';

const header = 'x-client-cert';

function requestFrom(remoteAddress: string | undefined, ...values: readonly string[]): IncomingMessage {
  const rawHeaders = values.flatMap((value) => ['X-Client-Cert', value]);
  return { socket: { remoteAddress }, rawHeaders } as unknown as IncomingMessage;
}

describe('the client certificate of a request', () => {
  let certificates: ClientCertificates;
  before(async () => {
    certificates = await clientCertificates();
  });

  const certificateOf = createCertificateReader({ header, networks: ['10.1.0.0/16', 'fd00::/8', '192.0.2.7/32'] });

  it('is read from the header of a trusted proxy, as percent-encoded PEM and as RFC 9440 has it', () => {
    const { cert } = certificates.client;
    const { raw } = new X509Certificate(cert);
    const sha256 = createHash('sha256').update(raw).digest('base64url');
    for (const value of [encodeURIComponent(cert), `:${raw.toString('base64')}:`]) {
      const found = certificateOf(requestFrom('10.1.2.3', value));
      assert.deepEqual([found?.sha256, found?.subject], [sha256, client_subject]);
      assert.equal(new X509Certificate(found!.pem).fingerprint256, new X509Certificate(cert).fingerprint256);
    }
  });

  it('is ignored from every address that is not trusted', () => {
    const value = encodeURIComponent(certificates.client.cert);
    const trusted = ['10.1.0.1', '10.1.255.255', '::ffff:10.1.2.3', 'fd12::1', '192.0.2.7'];
    for (const address of trusted) assert.notEqual(certificateOf(requestFrom(address, value)), null, String(address));
    const others = ['10.2.0.1', '127.0.0.1', '::ffff:10.2.0.1', '2001:db8::1', '192.0.2.8', '', undefined];
    for (const address of others) assert.equal(certificateOf(requestFrom(address, value)), null, String(address));
  });

  it('is none when the header is absent, repeated, empty or no certificate', () => {
    // OpenSSL reads no further after the line break.
    const pem = encodeURIComponent(`${certificates.client.cert.trim()}\n`);
    const other = encodeURIComponent(`${certificates.other.cert.trim()}\n`);
    const der = (cert: string) => `:${new X509Certificate(cert).raw.toString('base64')}:`;
    for (const values of [
      [],
      [''],
      ['x'],
      ['%'],
      ['::'],
      [':AAAA:'],
      [pem.slice(0, 400)],
      [pem, pem],
      [pem, other],
      ['', pem],
      [`${pem}, ${other}`],
      [pem + other],
      [`${pem}, ${der(certificates.other.cert)}`],
      [`${der(certificates.client.cert)}, ${der(certificates.other.cert)}`],
    ]) {
      assert.equal(certificateOf(requestFrom('10.1.2.3', ...values)), null, String(values).slice(0, 40));
    }
  });

  it('is none where no proxy is configured', () => {
    const request = requestFrom('127.0.0.1', encodeURIComponent(certificates.client.cert));
    assert.equal(createCertificateReader(null)(request), null);
  });
});

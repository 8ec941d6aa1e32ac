/** A certificate with its private key, in PEM. */
export interface Certified {
  readonly key: string;
  readonly cert: string;
}

/** Certificates of third parties, generated in each test run. */
export interface ClientCertificates {
  /** The authority of `client` and `other`. */
  readonly authority: Certified;
  readonly client: Certified;
  /** Of another subject. */
  readonly other: Certified;
  /** With the subject of `client`, of no authority but itself. */
  readonly pretender: Certified;
}

/** The subject of `client`, as RFC 4514 writes it. */
export const client_subject = 'CN=tpp-1,O=Budget Co,C=GB';

const names = [
  { name: 'countryName', value: 'GB' },
  { name: 'organizationName', value: 'Budget Co' },
  { name: 'commonName', value: 'tpp-1' },
];

/** Generates the certificates. */
export async function clientCertificates(): Promise<ClientCertificates> {
  const authority = await make([{ name: 'commonName', value: 'Test authority' }], true);
  const [client, other, pretender] = await Promise.all([
    make(names, false, authority),
    make([...names.slice(0, 2), { name: 'commonName', value: 'tpp-2' }], false, authority),
    make(names, false),
  ]);
  return { authority, client, other, pretender };
}

async function make(attributes: typeof names, is_authority: boolean, ca?: Certified): Promise<Certified> {
  const { generate } = await import('selfsigned');
  const pems = await generate(attributes, {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: is_authority, critical: true },
      ...(is_authority ? [] : [{ name: 'extKeyUsage' as const, clientAuth: true }]),
    ],
    ...(ca === undefined ? {} : { ca }),
  });
  return { key: pems.private, cert: pems.cert };
}

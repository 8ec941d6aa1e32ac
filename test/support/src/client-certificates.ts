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

/** An authority for servers of a test run. */
export interface ServerAuthority {
  /** PEM. */
  readonly ca: string;
  /** Makes the certificate of a server with this name, and for 127.0.0.1 when asked. */
  issue(name: string, with_address?: boolean): Promise<Certified>;
}

/** Generates an authority. */
export async function serverAuthority(): Promise<ServerAuthority> {
  const authority = await make([{ name: 'commonName', value: 'Test authority of servers' }], true);
  return {
    ca: authority.cert,
    issue: (name, with_address = false) =>
      make([{ name: 'commonName', value: name }], false, authority, [
        {
          name: 'subjectAltName',
          altNames: [{ type: 2, value: name }, ...(with_address ? [{ type: 7 as const, ip: '127.0.0.1' }] : [])],
        },
        { name: 'extKeyUsage', serverAuth: true },
      ]),
  };
}

type Extensions = NonNullable<NonNullable<Parameters<typeof import('selfsigned')['generate']>[1]>['extensions']>;

async function make(
  attributes: typeof names,
  is_authority: boolean,
  ca?: Certified,
  extensions: Extensions = is_authority ? [] : [{ name: 'extKeyUsage', clientAuth: true }],
): Promise<Certified> {
  const { generate } = await import('selfsigned');
  const pems = await generate(attributes, {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'basicConstraints', cA: is_authority, critical: true }, ...extensions],
    ...(ca === undefined ? {} : { ca }),
  });
  return { key: pems.private, cert: pems.cert };
}

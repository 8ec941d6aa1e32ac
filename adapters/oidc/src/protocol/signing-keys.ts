import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'oidc-provider';
import type { AuthorisationServerPorts } from '../ports.ts';
import { no_links, type Records } from '../records.ts';

const model = 'SigningKey';
const generate = promisify(generateKeyPair);

/**
 * The keys that sign id_tokens and JARM answers, as the library takes them: those of the ring,
 * which sign by ES256, and beside each an RSA key for PS256, the newest first. An RSA key cannot be
 * derived from the ring. It is made once, sealed like the records, and the first that is stored
 * counts on every node.
 */
export async function readSigningKeys(
  { signing_keys }: Pick<AuthorisationServerPorts, 'signing_keys'>,
  records: Records,
): Promise<readonly JWK[]> {
  const rsa_keys: JWK[] = [];
  // One after another, so that only one thread makes keys.
  for (const { kid } of signing_keys) rsa_keys.push(await rsaKeyBeside(records, `PS256 beside ${kid}`));
  return [...rsa_keys, ...signing_keys.map((key) => ({ ...key }) as unknown as JWK)];
}

async function rsaKeyBeside(records: Records, id: string): Promise<JWK> {
  const find = () => records.read((tx) => records.find(tx, { model, id }));
  const known = await find();
  if (known !== null) return known.payload as unknown as JWK;
  // In a thread of its own: it takes a tenth of a second.
  const { privateKey } = await generate('rsa', { modulusLength: 2_048 });
  const made = { ...privateKey.export({ format: 'jwk' }), alg: 'PS256', use: 'sig' };
  const record = records.seal({ model, id }, made, no_links, null);
  const is_first = await records.run((tx) => tx.authorisation.putNew(record));
  return (is_first ? made : (await find())?.payload) as unknown as JWK;
}

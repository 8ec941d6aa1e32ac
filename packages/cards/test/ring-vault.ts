import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto';
import { Fault } from '@tallystick/kernel';
import { type CardVault, Pan } from '../src/index.ts';

/** A vault over a ring of named keys, newest first: AES-256-GCM, and a keyed index that no key change touches. */
export function ringVault(...key_ids: readonly [string, ...string[]]): CardVault {
  const keyOf = (key_id: string) => hash('sha256', `key ${key_id}`, 'buffer');
  const vault: CardVault = {
    seal(pan) {
      const [key_id] = key_ids;
      const nonce = hash('sha256', `${key_id} ${pan.reveal()}`, 'buffer').subarray(0, 12);
      const cipher = createCipheriv('aes-256-gcm', keyOf(key_id), nonce);
      const text = Buffer.concat([cipher.update(pan.reveal(), 'utf8'), cipher.final()]);
      const head = Buffer.from(`${key_id}:`);
      return {
        number_sealed: Buffer.concat([head, nonce, cipher.getAuthTag(), text]),
        number_key_id: key_id,
        number_index: vault.index(pan),
      };
    },
    open(number_sealed) {
      const sealed = Buffer.from(number_sealed);
      const key_id = sealed.subarray(0, sealed.indexOf(':')).toString();
      if (!key_ids.includes(key_id)) throw new Fault(`key ${key_id} is not in the ring`, { retryable: false });
      const body = sealed.subarray(key_id.length + 1);
      const decipher = createDecipheriv('aes-256-gcm', keyOf(key_id), body.subarray(0, 12));
      decipher.setAuthTag(body.subarray(12, 28));
      return new Pan(Buffer.concat([decipher.update(body.subarray(28)), decipher.final()]).toString());
    },
    index: (pan) => createHmac('sha256', 'index').update(pan.reveal()).digest(),
    cvc: (pan, expiry) =>
      String(createHmac('sha256', 'cvc').update(`${pan.reveal()} ${expiry}`).digest().readUInt32BE() % 1_000).padStart(
        3,
        '0',
      ),
    cvcMatches: (pan, expiry, cvc) => vault.cvc(pan, expiry) === cvc,
  };
  return vault;
}

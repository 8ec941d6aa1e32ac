import type { CardStore } from '@tallystick/cards';
import { Fault, type UnitOfWork } from '@tallystick/kernel';
import type { Tx } from '@tallystick/mikro-orm';
import type { Vault } from '@tallystick/vault';

/** The keys do not belong to the database: no card would be found, and no number could be read. */
export class WrongKeys extends Error {
  override readonly name = 'WrongKeys';
}

/**
 * Throws `WrongKeys` unless the keys belong to this database: the vault opens a card number, if
 * there is one, finds it by its index, and has the index key of the database. The first start
 * stores the fingerprint of this key.
 */
export async function assertKeysFit(
  unitOfWork: UnitOfWork<{
    readonly cards: Pick<CardStore, 'sealedByOtherKeys'>;
    readonly installation: Tx['installation'];
  }>,
  { card_vault, index_fingerprint }: Pick<Vault, 'card_vault' | 'index_fingerprint'>,
): Promise<void> {
  await unitOfWork.run(async (tx) => {
    // No key has an empty id, so this returns any card.
    const [sample] = await tx.cards.sealedByOtherKeys('', 1);
    if (sample !== undefined) assertReads(card_vault, sample.number);
    const made_with = await tx.installation.indexFingerprint(index_fingerprint);
    if (made_with === index_fingerprint) return;
    throw new WrongKeys(
      `the index key of the ring has the fingerprint ${index_fingerprint}, but this database was created with ${made_with}`,
    );
  });
}

function assertReads(
  vault: Vault['card_vault'],
  { number_sealed, number_key_id, number_index }: ReturnType<Vault['card_vault']['seal']>,
): void {
  try {
    if (Buffer.compare(vault.index(vault.open(number_sealed)), number_index) === 0) return;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new WrongKeys(
      `the key ring does not open the card numbers of this database, which were sealed with the key ${number_key_id}`,
    );
  }
  throw new WrongKeys('the index key of the ring does not find the card numbers of this database');
}

import { assert, type UnitOfWork } from '@tallystick/kernel';
import type { CardsTx } from '../issuing/ports.ts';
import type { CardVault } from './card-vault.ts';

export interface RotationOptions {
  /** The newest key of the vault's ring, which `seal` uses. */
  readonly key_id: string;
  /** Numbers per transaction; 200 when absent. */
  readonly batch_max?: number;
  /** Called after each committed batch with the total so far. */
  readonly progress?: (resealed: number) => void;
}

/**
 * Re-encrypts every card number with the newest key, in batches of one transaction each, and
 * returns how many.
 *
 * When it resolves, no number committed before is sealed by another key. Cards stay usable: numbers
 * in use, or held by another rotation, are skipped at first and waited for at the end. After an
 * interruption, another run continues. Rejects with a `Fault` when a number's key is not in the
 * ring; earlier batches stay committed.
 */
export async function rotateKeys(
  unit_of_work: UnitOfWork<Pick<CardsTx, 'cards'>>,
  vault: CardVault,
  { key_id, batch_max = 200, progress }: RotationOptions,
): Promise<number> {
  assert(batch_max >= 1, `a batch holds at least one number, not ${batch_max}`);
  let resealed = 0;
  let wait = false;
  for (;;) {
    const count = await unit_of_work.run(({ cards }) => resealBatch(cards, vault, key_id, batch_max, wait));
    if (count > 0) {
      resealed += count;
      progress?.(resealed);
    } else if (wait) {
      return resealed;
    }
    wait = count === 0;
  }
}

async function resealBatch(
  cards: CardsTx['cards'],
  vault: CardVault,
  key_id: string,
  batch_max: number,
  wait: boolean,
): Promise<number> {
  const batch = await cards.sealedByOtherKeys(key_id, batch_max, { wait });
  if (batch.length === 0) return 0;
  await cards.reseal(
    batch.map(({ card_id, number }) => {
      const sealed = vault.seal(vault.open(number.number_sealed));
      assert(sealed.number_key_id === key_id, `the vault seals with key ${sealed.number_key_id}, not ${key_id}`);
      return { card_id, number: sealed };
    }),
  );
  return batch.length;
}

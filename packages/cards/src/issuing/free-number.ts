import { Fault, type Random, Refusal } from '@tallystick/kernel';
import { toNumberSet } from '../numbers/by-number-index.ts';
import { accountRangeSize, cardNumberAt, drawCardNumber } from '../numbers/card-number.ts';
import type { CardVault } from '../numbers/card-vault.ts';
import type { Pan } from '../numbers/pan.ts';
import type { RealCard } from './card.ts';
import type { CardStore, RealCardStore } from './ports.ts';

/** Numbers that are drawn before the range counts as nearly used up. */
const draws_max = 10;

/** Numbers that one look-up compares with the numbers of all cards. */
const batch_max = 1_000;

/** Numbers that are compared for one card. They take about a second. */
const compared_max = 100_000;

interface NumberTx {
  readonly cards: Pick<CardStore, 'knownNumbers'>;
  readonly real_cards: Pick<RealCardStore, 'countIssued'>;
}

/**
 * Calls `take` with free numbers of the account range until it returns a value. It returns null
 * when the number was taken meanwhile.
 *
 * Numbers are drawn first. In a range that is nearly used up most draws fail. The search then looks
 * up the numbers of the range in their order, from a random number on, and draws among the free
 * ones of each look-up. So it also finds the last free number, and the number of one card does not
 * reveal the number of the next. Refuses (`account_range_used_up`) when no number is free. Throws a
 * retryable `Fault` when a range of over 100,000 numbers has so few free ones that none was met.
 */
export async function takeFreeNumber<Result>(
  tx: NumberTx,
  { vault, random }: { readonly vault: Pick<CardVault, 'index'>; readonly random: Random },
  { id, account_range }: Pick<RealCard, 'id' | 'account_range'>,
  take: (pan: Pan) => Promise<Result | null>,
): Promise<Result> {
  for (let draw = 0; draw < draws_max; draw += 1) {
    const taken = await take(drawCardNumber(account_range, random));
    if (taken !== null) return taken;
  }
  const used_up = `every number of the account range of real card ${id} belongs to a card`;
  const size = accountRangeSize(account_range);
  if ((await tx.real_cards.countIssued(account_range)) >= size) throw new Refusal('account_range_used_up', used_up);
  const start = random.below(size);
  for (let compared = 0; compared < Math.min(size, compared_max); compared += batch_max) {
    const pans = Array.from({ length: Math.min(batch_max, size) }, (_, at) =>
      cardNumberAt(account_range, (start + compared + at) % size),
    );
    const free = await keepFree(tx, vault, pans);
    while (free.length > 0) {
      const [pan] = free.splice(random.below(free.length), 1);
      const taken = await take(pan!);
      if (taken !== null) return taken;
    }
  }
  if (size <= compared_max) throw new Refusal('account_range_used_up', used_up);
  throw new Fault(`no free number of real card ${id} was found among ${compared_max}`, { retryable: true });
}

async function keepFree({ cards }: NumberTx, vault: Pick<CardVault, 'index'>, pans: readonly Pan[]): Promise<Pan[]> {
  const indexes = pans.map((pan) => vault.index(pan));
  const known = toNumberSet(await cards.knownNumbers(indexes));
  return pans.filter((_, at) => known.get(indexes[at]!) === undefined);
}

import { type AccountRangeUsage, accountRangeSize } from '@tallystick/cards';
import type { Metrics } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Logger } from 'pino';
import type { Job } from './jobs.ts';

/** The part of an account range in use from which on the log has a warning. */
const warned_ratio = 0.9;

/**
 * The job that measures how much of each real card's account range is used, by the cards of all
 * real cards in it. It counts all cards, so it runs rarely. Each process warns once of each real
 * card.
 */
export function accountRangeJob(
  { unitOfWork }: Pick<Persistence, 'unitOfWork'>,
  metrics: Pick<Metrics, 'accountRangeUsed'>,
  logger: Pick<Logger, 'warn'>,
): Job {
  const warned = new Set<number>();
  return {
    name: 'account ranges',
    every_ms: 600_000,
    async run() {
      const usage = await unitOfWork.read((tx) => tx.real_cards.usage());
      const cards_in = cardsInRanges(usage);
      for (const { id: rcn_id, company_id, account_range } of usage) {
        const cards = cards_in.get(account_range) ?? 0;
        const numbers = accountRangeSize(account_range);
        metrics.accountRangeUsed(rcn_id, cards / numbers);
        if (cards / numbers < warned_ratio || warned.has(rcn_id)) continue;
        warned.add(rcn_id);
        logger.warn({ rcn_id, company_id, cards, numbers }, 'the account range of a real card is nearly used up');
      }
    },
  };
}

/** The cards whose account range begins with these digits, by the digits. */
function cardsInRanges(usage: readonly AccountRangeUsage[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { account_range, cards } of usage) {
    for (let length = 1; length <= account_range.length; length += 1) {
      const digits = account_range.slice(0, length);
      sums.set(digits, (sums.get(digits) ?? 0) + cards);
    }
  }
  return sums;
}

import { exchange } from '../exchange.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';
import { hasCards, pickCard } from './cards.ts';

export const mails: readonly Activity[] = [
  { name: 'card details by mail', weight: 2, isPossible: hasCards, run: mailCard },
  {
    name: 'mail retried',
    weight: 1,
    isPossible: ({ committed }) => committed.mails.values().some(({ state }) => state === 'failed'),
    run: retryMail,
  },
];

async function mailCard(world: World): Promise<void> {
  const { id, company } = pickCard(world);
  const input = { email: `buyer${world.random.between(1, 9)}@example.com` };
  await exchange(world, {
    operation: 'other',
    company_id: company.id,
    input: { card_id: id, ...input },
    perform: (tally, options) => tally.company(company.id).cards.email(id, input, options),
  });
}

/** An operator sends a mail again that was given up. */
async function retryMail(world: World): Promise<void> {
  const failed = world.committed.mails.values().filter(({ state }) => state === 'failed');
  const { id } = world.random.pick(failed);
  await exchange(world, {
    operation: 'other',
    company_id: null,
    input: { retry_mail: id },
    perform: (tally, options) => tally.operator.mails.retry(id, options),
  });
}

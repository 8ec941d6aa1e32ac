import { exchange } from '../exchange.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';
import type { CardInWorld } from './cards.ts';
import type { WebhookInWorld } from './webhooks.ts';

/** A company as its clients know it. */
export interface CompanyInWorld {
  readonly id: number;
  readonly billing_currency: string;
  readonly cards: CardInWorld[];
  readonly webhooks: WebhookInWorld[];
}

const companies_max = 5;

export const companies: readonly Activity[] = [
  {
    name: 'new company',
    weight: 1,
    isPossible: (world) => world.companies.length < companies_max,
    run: addCompany,
  },
];

/** An operator adds a company with a real card. */
export async function addCompany(world: World): Promise<void> {
  const customer_number = String(world.nextId());
  const billing_currency = world.random.pick(['USD', 'EUR', 'JPY', 'KWD']);
  const created = await exchange(world, {
    operation: 'other',
    company_id: null,
    input: { customer_number, billing_currency },
    perform: async (tally, options) => {
      const { id } = await tally.operator.companies.create(
        { name: `Company ${customer_number}`, customer_number },
        options,
      );
      const real_card = { company_id: id, alias: 'Travel', billing_currency, account_range: '555555' };
      await tally.operator.realCards.create(real_card, options);
      return id;
    },
  });
  if (created?.kind !== 'done') return;
  world.companies.push({ id: Number(created.value), billing_currency, cards: [], webhooks: [] });
}

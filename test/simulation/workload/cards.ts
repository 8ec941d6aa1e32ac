import { exchange } from '../exchange.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';
import type { CompanyInWorld } from './companies.ts';

/** A card as its client knows it. */
export interface CardInWorld {
  readonly id: number;
  readonly company: CompanyInWorld;
  readonly card_number: string;
  readonly cvc: string;
  readonly expiry: string;
  is_canceled: boolean;
}

export const cards_per_company_max = 40;

const recurring_values = ['Continuous', 'Daily', 'Weekly', 'Monthly', 'Quarterly', 'Yearly'] as const;

export const hasCards = (world: World): boolean => world.companies.some(({ cards }) => cards.length > 0);

export const cards: readonly Activity[] = [
  {
    name: 'new card',
    weight: 6,
    isPossible: (world) => world.companies.some(({ cards }) => cards.length < cards_per_company_max),
    run: createCard,
  },
  { name: 'card update', weight: 4, isPossible: hasCards, run: updateCard },
  { name: 'card cancellation', weight: 1, isPossible: hasCards, run: cancelCard },
];

export function pickCard(world: World): CardInWorld {
  return world.random.pick(world.companies.filter(({ cards }) => cards.length > 0).flatMap(({ cards }) => cards));
}

async function createCard(world: World): Promise<void> {
  const company = world.random.pick(world.companies.filter(({ cards }) => cards.length < cards_per_company_max));
  const card = await issueCard(world, company);
  if (card !== null) company.cards.push(card);
}

/** Null: no answer came. */
export async function issueCard(world: World, company: CompanyInWorld): Promise<CardInWorld | null> {
  const { random } = world;
  const is_aging = random.happens(0.3);
  const input = {
    total_card_amount: random.between(1_000, 500_000),
    ...(random.happens(0.2) ? { per_transaction_min: random.between(1, 100) } : {}),
    ...(random.happens(0.2) ? { emails: [`buyer${company.id}@example.com`] } : {}),
    ...(is_aging
      ? {
          template_id: 2,
          authorization_hold_days: random.between(1, 30),
          aging_velocity_time_zone: random.pick([
            'America/New_York',
            'Europe/Berlin',
            'Australia/Lord_Howe',
            'Asia/Kolkata',
            'America/Santiago',
          ]),
        }
      : {
          recurring: random.pick(recurring_values),
          ...(random.happens(0.5) ? { transactions_max: random.between(1, 20) } : {}),
        }),
  };
  const created = await exchange(world, {
    operation: 'createCard',
    company_id: company.id,
    input,
    perform: async (tally, options) => {
      const shown = { ...options, show_card_number: true };
      const { id, card_number, cvc, expiry } = await tally.company(company.id).cards.issue(input, shown);
      return { id: Number(id), card_number: card_number!, cvc: cvc!, expiry };
    },
  });
  return created?.kind === 'done' ? { ...created.value, company, is_canceled: false } : null;
}

async function updateCard(world: World): Promise<void> {
  const { random } = world;
  const { id, company } = pickCard(world);
  const changes = random.happens(0.8)
    ? { total_card_amount: random.between(1_000, 500_000) }
    : { per_transaction_min: random.between(0, 500) };
  await exchange(world, {
    operation: 'updateCard',
    company_id: company.id,
    input: { card_id: id, changes },
    perform: (tally, options) => tally.company(company.id).cards.update(id, changes, options),
  });
}

async function cancelCard(world: World): Promise<void> {
  const card = pickCard(world);
  const { id, company } = card;
  const canceled = await exchange(world, {
    operation: 'cancelCard',
    company_id: company.id,
    input: { card_id: id },
    perform: (tally, options) => tally.company(company.id).cards.cancel(id, options),
  });
  if (canceled?.kind !== 'done') return;
  card.is_canceled = true;
  // Most purchases are not tried with a canceled card.
  if (world.random.happens(0.7)) company.cards.splice(company.cards.indexOf(card), 1);
}

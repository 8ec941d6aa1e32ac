import { exchange } from '../exchange.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';

/** A webhook as its client knows it. */
export interface WebhookInWorld {
  readonly id: number;
  readonly callback_url: string;
}

const webhooks_per_company_max = 3;
/** One for all, or one for each type that the workload causes. */
const type_choices = [[1], [2, 6], [7], [3, 11]];

export const webhooks: readonly Activity[] = [
  {
    name: 'new webhook',
    weight: 1,
    isPossible: (world) => world.companies.some(({ webhooks }) => webhooks.length < webhooks_per_company_max),
    run: createWebhook,
  },
  {
    name: 'webhook switched',
    weight: 1,
    isPossible: (world) => world.companies.some(({ webhooks }) => webhooks.length > 0),
    run: switchWebhook,
  },
];

async function createWebhook(world: World): Promise<void> {
  const { random } = world;
  const company = random.pick(world.companies.filter(({ webhooks }) => webhooks.length < webhooks_per_company_max));
  const callback_url = `https://hooks.example.com/${company.id}/${world.nextId()}`;
  const input = { callback_url, event_type_ids: random.pick(type_choices) };
  const from_ms = world.time.now_ms;
  const created = await exchange(world, {
    operation: 'other',
    company_id: company.id,
    input,
    perform: async (tally, options) => {
      const { id, secret } = await tally.company(company.id).webhooks.create(input, options);
      // It also signs when the answer is lost.
      world.history.webhook_secrets.push({ webhook_id: Number(id), secret: secret!, from_ms, until_ms: null });
      return Number(id);
    },
  });
  if (created?.kind === 'done') company.webhooks.push({ id: created.value as number, callback_url });
}

async function switchWebhook(world: World): Promise<void> {
  const { random } = world;
  const company = random.pick(world.companies.filter(({ webhooks }) => webhooks.length > 0));
  const { id } = random.pick(company.webhooks);
  const input = { status: random.happens(0.7) ? ('active' as const) : ('inactive' as const) };
  await exchange(world, {
    operation: 'other',
    company_id: company.id,
    input: { webhook_id: id, ...input },
    perform: (tally, options) => tally.company(company.id).webhooks.update(id, input, options),
  });
}

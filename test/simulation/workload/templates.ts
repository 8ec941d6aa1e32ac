import { exchange } from '../exchange.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';

export const templates: readonly Activity[] = [
  { name: 'new template', weight: 1, isPossible: (world) => world.companies.length > 0, run: requestTemplate },
];

/** A company asks for a template, which is completed offline. Sometimes the operator completes it early. */
async function requestTemplate(world: World): Promise<void> {
  const { random } = world;
  const { id: company_id } = random.pick(world.companies);
  const input = {
    name: `Template ${random.happens(0.2) ? 1 : world.nextId()}`,
    description: 'Purchases of a department',
    mcc_list: random.pick([['5812'], ['3000', '7011'], ['4722']]),
    mcc_rule: random.pick(['ALLOW', 'DENY'] as const),
    required_control: random.pick(['VELOCITY', 'AGING_VELOCITY'] as const),
  };
  const asked = await exchange(world, {
    operation: 'other',
    company_id,
    input,
    perform: (tally, options) => tally.company(company_id).templates.request(input, options),
  });
  if (asked?.kind !== 'done' || random.happens(0.7)) return;
  const { transaction_key } = asked.value as { readonly transaction_key: string };
  await exchange(world, {
    operation: 'other',
    company_id: null,
    input: { complete: transaction_key },
    async perform(tally, options) {
      const [template] = (await tally.company(company_id).templates.list({ filter: { transaction_key } })).items;
      return await tally.operator.templates.complete(template!.id, options);
    },
  });
}

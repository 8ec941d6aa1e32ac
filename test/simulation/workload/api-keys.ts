import { exchange } from '../exchange.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';

export const api_keys: readonly Activity[] = [
  { name: 'new API key', weight: 1, isPossible: (world) => world.companies.length > 0, run: createKey },
];

/** An operator makes a key, and sometimes revokes it after a while. */
async function createKey(world: World): Promise<void> {
  const { random } = world;
  const { id: company_id } = random.pick(world.companies);
  const input = { company_id, role: 'client' as const, name: `Key ${world.nextId()}` };
  const made = await exchange(world, {
    operation: 'other',
    company_id: null,
    input,
    perform: (tally, options) => tally.operator.keys.create(input, options),
  });
  if (made?.kind !== 'done' || random.happens(0.5)) return;
  if (!(await world.pauseUntilQuiet(random.wait(3_600_000)))) return;
  const { id } = made.value as { readonly id: string };
  await exchange(world, {
    operation: 'other',
    company_id: null,
    input: { revoke: id },
    perform: (tally, options) => tally.operator.keys.revoke(id, options),
  });
}

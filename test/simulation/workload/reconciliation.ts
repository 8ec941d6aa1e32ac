import { rebuild } from '@tallystick/reconciliation';
import type { Tallystick } from 'tallystick';
import { exchange, type Perform } from '../exchange.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';

const day_ms = 86_400_000;

export const reconciliation: readonly Activity[] = [
  { name: 'decision about an item', weight: 8, run: decideItem },
  { name: 'tolerance', weight: 1, run: setTolerance },
  { name: 'period closed', weight: 1, run: closePeriod },
  { name: 'period reopened', weight: 1, run: reopenPeriod },
  { name: 'rebuild', weight: 1, isPossible: ({ nodes }) => nodes.length > 0, run: rebuildItems },
];

async function callOf(world: World, input: Record<string, unknown>, perform: Perform<unknown>, company_id: number) {
  return await exchange(world, { operation: 'other', company_id, input, perform });
}

/** A person looks at the items that are not matched, and decides one a while later. */
async function decideItem(world: World): Promise<void> {
  const { random } = world;
  const { id } = random.pick(world.companies);
  const status = random.pick(['break', 'break', 'proposed', 'awaiting', 'matched', 'accepted', 'ignored'] as const);
  const seen = await callOf(
    world,
    { status },
    async (tally, options) => {
      const list = { ...options, filter: { status }, suggestions: true, limit: 20 };
      const { items } = await tally.company(id).reconciliation.items.list(list);
      return items.map(({ id, version, suggestions }) => ({ id, version, suggestions: suggestions ?? [] }));
    },
    id,
  );
  const items = (seen?.kind === 'done' ? seen.value : []) as readonly Seen[];
  if (items.length === 0) return;
  const item = random.pick(items);
  if (random.happens(0.3)) await world.pauseUntilQuiet(random.wait(day_ms));
  const is_versioned = random.happens(0.7);
  const told = { note: 'seen', reason: 'agreed', version: is_versioned ? item.version : null };
  const suggested = item.suggestions.length === 0 ? null : random.pick(item.suggestions);
  const possible: readonly Action[] = actions_of[status].filter((one) => one !== 'match' || suggested !== null);
  if (possible.length === 0) return;
  const action = random.pick(possible);
  const accept_difference = random.happens(0.5);
  const decide: Perform<unknown> = async (tally, options) => {
    const {
      id: decided,
      status,
      version,
    } = await decideBy(tally.company(id).reconciliation, action, item.id, told, suggested, {
      accept_difference,
      options,
    });
    return { decided, status, version };
  };
  const decided = await callOf(world, { item_id: item.id, action, ...told, suggested }, decide, id);
  world.reach(`${action}: ${decided?.kind ?? 'no answer'}`);
}

interface Seen {
  readonly id: string;
  readonly version: number;
  readonly suggestions: readonly Suggestion[];
}

interface Suggestion {
  readonly authorization_id: number | null;
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
}

type Action = 'match' | 'unmatch' | 'ignore' | 'accept' | 'confirm' | 'reopen';

const actions_of = {
  break: ['match', 'match', 'ignore', 'accept'],
  proposed: ['confirm', 'unmatch', 'ignore'],
  awaiting: ['match', 'ignore'],
  matched: ['unmatch', 'reopen'],
  accepted: ['reopen'],
  ignored: ['reopen'],
} as const satisfies Record<string, readonly Action[]>;

function decideBy(
  { items }: ReturnType<Tallystick['company']>['reconciliation'],
  action: Action,
  id: string,
  told: { readonly note: string; readonly reason: string; readonly version: number | null },
  suggested: Suggestion | null,
  {
    accept_difference,
    options,
  }: { readonly accept_difference: boolean; readonly options: Parameters<Perform<unknown>>[1] },
) {
  if (action === 'unmatch') return items.unmatch(id, told, options);
  if (action !== 'match') return items[action](id, told, options);
  const { authorization_id = null, clearing_ids = [], line_ids = [] } = suggested ?? {};
  return items.match(id, { ...told, accept_difference, with: { authorization_id, clearing_ids, line_ids } }, options);
}

async function setTolerance(world: World): Promise<void> {
  const { random } = world;
  const { id, billing_currency } = random.pick(world.companies);
  const input = { [billing_currency]: random.happens(0.3) ? null : random.between(1, 500) };
  await callOf(
    world,
    input,
    (tally, options) => tally.company(id).reconciliation.tolerances.update(input, options),
    id,
  );
}

async function closePeriod(world: World): Promise<void> {
  const { random } = world;
  const { id } = random.pick(world.companies);
  const day_at_ms = world.time.now_ms - random.between(1, 10) * day_ms;
  const input = { closed_through: new Date(day_at_ms).toISOString().slice(0, 10) };
  await callOf(world, input, (tally, options) => tally.company(id).reconciliation.periods.close(input, options), id);
}

async function reopenPeriod(world: World): Promise<void> {
  const { id } = world.random.pick(world.companies);
  await callOf(
    world,
    { reopened: id },
    async (tally, options) => {
      const { periods } = tally.company(id).reconciliation;
      const { items } = await periods.list(options);
      const newest = items.find(({ status }) => status !== 'reopened');
      if (newest !== undefined) await periods.reopen(newest.id, { note: 'late lines' }, options);
      return newest?.id ?? null;
    },
    id,
  );
}

/** An operator has the items computed again, beside everything else. */
async function rebuildItems(world: World): Promise<void> {
  const { id } = world.random.pick(world.companies);
  const { ports } = world.random.pick(world.nodes);
  await callOf(world, { rebuild: id }, () => rebuild(ports, { company_id: id, check_only: false }), id);
}

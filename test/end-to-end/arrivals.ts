import type { AuthorizationInput, ClearingInput } from '@tallystick/cards';
import type { SampleRecord, SampleSet, Scenario } from '@tallystick/samples';
import type { SampleWorld } from './sample-world.ts';

/** A message of a set, as it reaches the service. */
export type Arrival =
  | { readonly kind: 'authorization'; readonly message: AuthorizationInput }
  | { readonly kind: 'clearing'; readonly message: ClearingInput };

/** The messages and records of one scenario. */
export interface ScenarioArrivals {
  readonly scenario: Scenario;
  readonly authorizations: readonly Arrival[];
  readonly records: readonly SampleRecord[];
}

/** The scenarios of a set with what a service receives of them, each in its own order. */
export function arrivalsOf(set: SampleSet, { cardOf }: SampleWorld): readonly ScenarioArrivals[] {
  const records = new Map<string, SampleRecord[]>();
  for (const record of set.records(cardOf)) {
    const { transaction_id } = record.expected;
    const of_id = records.get(transaction_id) ?? [];
    of_id.push(record);
    records.set(transaction_id, of_id);
  }
  return Array.from(set.scenarios(), (scenario) => ({
    scenario,
    authorizations: scenario.authorizations.map(({ card, message }) => ({
      kind: 'authorization',
      message: { ...message, card_number: cardOf(card).card_number },
    })),
    records: scenario.clearings.flatMap(({ expected }) => records.get(expected.transaction_id)?.shift() ?? []),
  }));
}

/** The records that can come by message. */
export function messagesOf(records: readonly SampleRecord[]): readonly Arrival[] {
  return records.flatMap(({ message }) => (message === null ? [] : [{ kind: 'clearing', message }]));
}

/** Mixes lists by random numbers. Each list stays in its order. */
export function mixLists<Item>(lists: readonly (readonly Item[])[], random: () => number): readonly Item[] {
  const places = lists.flatMap((list, index) => list.map(() => index));
  for (let at = places.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [places[at], places[other]] = [places[other]!, places[at]!];
  }
  const taken = new Map<number, number>();
  return places.map((index) => {
    const next = taken.get(index) ?? 0;
    taken.set(index, next + 1);
    return lists[index]![next]!;
  });
}

/** Random numbers from 0 to 1, always the same for a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Sends messages in their order, `at_once` of them at the same time. */
export async function receive(world: SampleWorld, arrivals: readonly Arrival[], at_once: number): Promise<void> {
  for (let from = 0; from < arrivals.length; from += at_once) {
    await Promise.all(
      arrivals
        .slice(from, from + at_once)
        .map(async (arrival) =>
          arrival.kind === 'authorization' ? world.authorize(arrival.message) : world.clear(arrival.message),
        ),
    );
  }
}

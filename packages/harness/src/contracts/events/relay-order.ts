import { relayEvents, relayEventsOf } from '@tallystick/events';
import { assert } from '@tallystick/kernel';
import fc from 'fast-check';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, type PropertyRuns, rule } from '../rule.ts';
import { newCompany } from '../storage/storage.ts';
import {
  appendEventsIn,
  deliveriesOf,
  now_ms,
  register,
  relayAll,
  type WebhookStorage,
  type WebhookStorageTx,
} from '../webhooks/webhook-storage.ts';

/** A transaction that writes events, relays them, or prepares a change of a webhook. */
interface Act {
  readonly kind: 'write' | 'relay' | 'change';
  /** The place of the process and of the company in their lists. */
  readonly process: number;
  readonly company: number;
  /** The number of events that are written, or the most that are relayed. */
  readonly events: number;
  /** Reads of the transaction before the act, within it and after it, during which others run. */
  readonly reads_before: number;
  readonly reads_within: number;
  readonly reads_after: number;
}

/** Some transactions are held long enough for several others to begin and commit. */
const reads = fc.oneof(fc.nat({ max: 3 }), fc.integer({ min: 10, max: 40 }));

function actOf(...kinds: readonly Act['kind'][]): fc.Arbitrary<Act> {
  return fc.record({
    kind: fc.constantFrom(...kinds),
    process: fc.nat({ max: 1 }),
    // Most acts concern the first company, so that they compete.
    company: fc.constantFrom(0, 0, 0, 1),
    events: fc.integer({ min: 1, max: 4 }),
    reads_before: fc.nat({ max: 3 }),
    reads_within: reads,
    reads_after: reads,
  });
}

/** Concurrent callers, each of which makes its acts one after the other. */
const callers: fc.Arbitrary<readonly (readonly Act[])[]> = fc
  .tuple(
    fc.array(fc.array(actOf('write'), { minLength: 3, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
    fc.array(fc.array(actOf('relay', 'relay', 'change'), { minLength: 2, maxLength: 5 }), {
      minLength: 2,
      maxLength: 4,
    }),
  )
  .map(([writers, relays]) => [...writers, ...relays]);

/** A committed write: when its work had ended and it began to commit, and when it had committed. */
interface Write {
  readonly company_id: number;
  readonly event_ids: readonly number[];
  readonly began_to_commit: number;
  readonly committed: number;
}

/** Lets other transactions run: each read is a round trip where the storage has any. */
async function pause({ companies }: WebhookStorageTx, company_id: number, count: number): Promise<void> {
  for (let read = 0; read < count; read += 1) await companies.find(company_id);
}

/** Makes the acts of all callers. Returns the writes. */
async function make(
  processes: readonly WebhookStorage[],
  company_ids: readonly number[],
  acts_of_callers: readonly (readonly Act[])[],
): Promise<readonly Write[]> {
  const writes: Write[] = [];
  let tick = 0;

  async function write(company_id: number, { events, reads_before, reads_after }: Act, storage: WebhookStorage) {
    const { event_ids, began_to_commit } = await storage.unitOfWork.run(async (tx) => {
      await pause(tx, company_id, reads_before);
      const ids = await appendEventsIn(tx, company_id, events);
      await pause(tx, company_id, reads_after);
      tick += 1;
      return { event_ids: ids, began_to_commit: tick };
    });
    tick += 1;
    writes.push({ company_id, event_ids, began_to_commit, committed: tick });
  }

  async function relay(company_id: number, its: Act, storage: WebhookStorage) {
    await storage.unitOfWork.run(async (tx) => {
      await pause(tx, company_id, its.reads_before);
      const outbox = {
        ...tx.outbox,
        async activeWebhooks(ids: readonly number[]) {
          await pause(tx, company_id, its.reads_within);
          return await tx.outbox.activeWebhooks(ids);
        },
      };
      if (its.kind === 'relay') await relayEvents({ outbox }, now_ms, its.events);
      else {
        await relayEventsOf({ outbox }, company_id, now_ms);
        const { items } = await tx.webhooks.list(company_id, { limit: 1 });
        await tx.webhooks.find(company_id, items[0]!.id, { for_update: true });
      }
      await pause(tx, company_id, its.reads_after);
    });
  }

  const call = async (acts: readonly Act[]): Promise<void> => {
    for (const its of acts) {
      const storage = processes[its.process]!;
      const company_id = company_ids[its.company]!;
      await (its.kind === 'write' ? write(company_id, its, storage) : relay(company_id, its, storage));
    }
  };
  await Promise.all(acts_of_callers.map(call));
  return writes;
}

/**
 * The contract of every adapter of `Outbox` for the order of deliveries, together with the event
 * log that fills it.
 */
export function relayOrderContract(runs: PropertyRuns = { numRuns: 20 }): readonly ContractRule<WebhookStorage>[] {
  return [
    rule(
      'events of a company are numbered in the order of their commits, without a gap, whoever writes and relays',
      async (here) => {
        const there = await anotherOf(here);
        await relayAll(here);
        const property = fc.asyncProperty(callers, async (acts_of_callers) => {
          const company_ids = [await newCompany(here), await newCompany(here)];
          const webhooks = [await register(here, company_ids[0]!), await register(here, company_ids[1]!)];
          const writes = await make([here, there], company_ids, acts_of_callers);
          await relayAll(here);
          for (const { id, company_id } of webhooks) {
            const own = writes.filter((write) => write.company_id === company_id);
            const deliveries = (await deliveriesOf(here, id)).toSorted((a, b) => a.sequence - b.sequence);
            assertEqual(
              deliveries.map(({ sequence }) => sequence),
              own.flatMap(({ event_ids }) => event_ids).map((_, place) => place + 1),
              'the sequence numbers',
            );
            const sequence_of = new Map(deliveries.map(({ event_id, sequence }) => [event_id, sequence]));
            const sequences = own.map(({ event_ids }) => event_ids.map((event_id) => sequence_of.get(event_id)!));
            for (const numbers of sequences) {
              assertEqual(
                numbers,
                numbers.toSorted((a, b) => a - b),
                'the numbers of the events of one write',
              );
            }
            for (const [place, earlier] of own.entries()) {
              for (const [other_place, later] of own.entries()) {
                if (earlier.committed > later.began_to_commit) continue;
                const [last, first] = [Math.max(...sequences[place]!), Math.min(...sequences[other_place]!)];
                assert(
                  last < first,
                  `an event with number ${last} was committed before the transaction of number ${first} began to commit`,
                );
              }
            }
          }
        });
        // A race does not repeat, so a smaller example would take long and show little.
        await fc.assert(property, { ...runs, endOnFailure: true });
      },
    ),
  ];
}

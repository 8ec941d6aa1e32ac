import type { HostTransaction } from '@tallystick/kernel';
import type { SubscribableType, SubscribedEvent, SubscriptionTx, Tallystick } from 'tallystick';
import type { Machine } from '../machine.ts';
import type { World } from '../world.ts';

/** What a handler does with its events. */
export type HandlerConduct = 'handles' | 'rejects' | 'rejects_at_its_end' | 'is_slow' | 'is_slow_in_its_transaction';

/** The type of the events by which a handler records what it has handled. */
export const effect_type = 'ach.status.advice';

/** The subscriptions of the host: disjoint types, and none of an effect. */
export const subscriptions: readonly { readonly name: string; readonly event_types: readonly SubscribableType[] }[] = [
  { name: 'stock', event_types: ['virtualcard.created', 'virtualcard.deleted'] },
  { name: 'books', event_types: ['virtualcard.clearings', 'virtualcard.purchasetemplate.created'] },
];

/** The handler failed, as those of a host do. */
export class HandlerFailed extends Error {
  override readonly name = 'HandlerFailed';
}

/**
 * The handlers of a host, in every process. For each event they record another event in the
 * transaction of the handler, which names the subscription and the event.
 */
export class Subscribers {
  conductOf: () => HandlerConduct = () => 'handles';
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async subscribe(tally: Tallystick, machine: Machine): Promise<void> {
    for (const { name, event_types } of subscriptions) {
      await tally.subscribe(
        name,
        event_types,
        (events, tx) => this.#handle(name, events as readonly SubscribedEvent<'all'>[], tx, { tally, machine }),
        { from: 'beginning' },
      );
    }
  }

  async #handle(
    name: string,
    events: readonly SubscribedEvent<'all'>[],
    tx: SubscriptionTx,
    { tally, machine }: { readonly tally: Tallystick; readonly machine: Machine },
  ): Promise<void> {
    const { time, random, trace, reach } = this.#world;
    const conduct = this.conductOf();
    reach(`handler: ${conduct}`);
    trace(`${name} ${conduct} ${events.map(({ id }) => id).join(' ')}`);
    const pause = (ms: number) => new Promise<void>((resolve) => void time.after(ms, resolve, machine));
    if (conduct === 'rejects') throw new HandlerFailed('the handler fails');
    if (conduct === 'is_slow') await pause(random.between(1, 20_000));
    const host = await this.#transactionOf(tx);
    for (const [at, { id, company_id }] of events.entries()) {
      if (conduct === 'is_slow_in_its_transaction' && at === events.length - 1) await pause(random.between(1, 7_000));
      const effect = { company_id, event_type: effect_type, payload: { subscription: name, event_id: id } } as const;
      await tally.operator.events.record(effect, { tx: host, actor: name });
    }
    if (conduct === 'rejects_at_its_end') throw new HandlerFailed('the handler fails at its end');
  }

  /** Storage in memory has no statements that could be executed again, so it is held. */
  async #transactionOf(tx: SubscriptionTx): Promise<HostTransaction> {
    if (this.#world.storage.database_url !== 'sqlite::memory:') return tx.host;
    return { ...tx.host, handle: await tx.native() };
  }
}

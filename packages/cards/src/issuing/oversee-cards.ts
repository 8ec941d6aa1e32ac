import type { EventFilter, EventStore } from '@tallystick/events';
import type { Page, PageRequest } from '@tallystick/kernel';
import type { VirtualCard } from './card.ts';
import { card_event_types } from './card-event.ts';
import type { CardFilter, CardsTx } from './ports.ts';
import { type CardReading, findCard, readingsOf } from './read-cards.ts';
import { authorization_filters } from './search-authorizations.ts';

/** The newest messages with a code or reference whose cards an operator finds by it. */
export const referring_messages_max = 100;

/** What an operator knows of a card, or of a message about it. All of it must be met. */
export interface CardOversight extends Pick<CardFilter, 'last4' | 'metadata'> {
  /** Absent: all companies. */
  readonly company_id?: number;
  readonly id?: number;
  /** Of an authorization or a clearing of the card. */
  readonly approval_code?: string;
  readonly net_reference_number?: string;
}

/**
 * Lists cards of any company, newest first. A code or reference finds the cards of the newest
 * `referring_messages_max` messages with it, by their events.
 */
export async function listCardsOfAll(
  tx: { readonly cards: CardsTx['cards']; readonly events: Pick<EventStore, 'list'> },
  call: { readonly now_ms: number },
  { company_id: of_company, id, approval_code, net_reference_number, ...filter }: CardOversight,
  page: PageRequest,
): Promise<Page<CardReading>> {
  const company_id = of_company ?? null;
  const referring = Object.entries({ approval_code, net_reference_number }).flatMap(([name, value]): EventFilter[] =>
    value === undefined ? [] : [{ name: authorization_filters[name as 'approval_code'], kind: 'equals', value }],
  );
  let ids = id === undefined ? undefined : [id];
  if (referring.length > 0) {
    const { items } = await tx.events.list(company_id, referring, { limit: referring_messages_max });
    const referred = new Set(items.map(({ payload }) => Number(payload.vcn_id)));
    ids = ids?.filter((one) => referred.has(one)) ?? [...referred].filter(Number.isSafeInteger);
  }
  const { items, next } = await tx.cards.list(company_id, { ...filter, ...(ids && { ids }) }, page);
  return { items: await readingsOf(tx, call, items, { with_activity: false }), next };
}

/** Returns the card of any company. Refuses (`not_found`) an unknown card. */
export function findCardOfAny(tx: Parameters<typeof findCard>[0], id: number): Promise<VirtualCard> {
  return findCard(tx, { company_id: null }, id);
}

/** The filters of the events about a card: each event meets one of these lists. */
export function eventsOfCard({ id }: Pick<VirtualCard, 'id'>): readonly (readonly EventFilter[])[] {
  return [
    [{ name: 'payload.vcn_id', kind: 'equals', value: id }],
    ...card_event_types.map((value): readonly EventFilter[] => [
      { name: 'payload.id', kind: 'equals', value: String(id) },
      { name: 'event_type', kind: 'equals', value },
    ]),
  ];
}

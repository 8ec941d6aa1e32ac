import { type Call, type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import type { Authorization } from '../records/authorization.ts';
import type { Clearing } from '../records/clearing.ts';
import { type Balance, balanceOf, needsHoldEnds, no_hold_ends } from './balance.ts';
import type { VirtualCard } from './card.ts';
import type { CardFilter, CardsTx } from './ports.ts';

export const activity_max = 100;

/** A card at the call's "now", without its number. */
export interface CardReading {
  readonly card: VirtualCard;
  readonly balance: Balance;
  /**
   * The newest authorizations, newest first, without expired and released ones. Empty in a list
   * that did not request them.
   */
  readonly authorizations: readonly Authorization[];
  /** The newest clearings, newest first. Empty in a list that did not request them. */
  readonly clearings: readonly Clearing[];
}

type ReadTx = Pick<CardsTx, 'cards'>;
type FindTx = { readonly cards: Pick<CardsTx['cards'], 'find'> };

/**
 * Reads one card of the company with its newest activity. Refuses (`not_found`) an unknown card.
 */
export async function readCard(tx: ReadTx, call: Call, id: number): Promise<CardReading> {
  return readingOf(tx, call, await findCard(tx, call, id));
}

/** Lists the company's cards that meet the filter, newest first. */
export async function listCards(
  tx: ReadTx,
  call: Call,
  filter: CardFilter,
  page: PageRequest,
  options: { readonly with_activity: boolean },
): Promise<Page<CardReading>> {
  const { items, next } = await tx.cards.list(call.company_id, filter, page);
  return { items: await readingsOf(tx, call, items, options), next };
}

/**
 * Lists all messages about a card, also expired and declined ones, newest first. Refuses
 * (`not_found`) an unknown card.
 */
export async function listAuthorizations(
  tx: ReadTx,
  call: Call,
  id: number,
  page: PageRequest,
): Promise<{ readonly card: VirtualCard; readonly page: Page<Authorization> }> {
  const card = await findCard(tx, call, id);
  return { card, page: await tx.cards.authorizations(call.company_id, id, page) };
}

/** Lists all clearings of a card, newest first. Refuses (`not_found`) an unknown card. */
export async function listClearings(
  tx: ReadTx,
  call: Call,
  id: number,
  page: PageRequest,
): Promise<{ readonly card: VirtualCard; readonly page: Page<Clearing> }> {
  const card = await findCard(tx, call, id);
  return { card, page: await tx.cards.clearings(call.company_id, id, page) };
}

/** Returns the company's card; for null that of any company. Refuses (`not_found`) an unknown card. */
export async function findCard(
  tx: FindTx,
  call: { readonly company_id: number | null },
  id: number,
  options?: { readonly for_update: boolean },
): Promise<VirtualCard> {
  const card = await tx.cards.find(call.company_id, id, options);
  if (card === null) throw new Refusal('not_found', `there is no virtual card ${id}`);
  return card;
}

/** Refuses an action that a Canceled card does not allow. */
export function refuseCanceled(card: VirtualCard, done: string): void {
  if (card.status !== 'Canceled') return;
  throw new Refusal('validation_failed', `virtual card ${card.id} is Canceled and cannot be ${done}`);
}

export async function readingOf(tx: ReadTx, call: Call, card: VirtualCard): Promise<CardReading> {
  const [reading] = await readingsOf(tx, call, [card], { with_activity: true });
  return reading!;
}

export async function readBalance(tx: ReadTx, call: Call, card: VirtualCard): Promise<Balance> {
  const [balance] = await readBalances(tx, call, [card]);
  return balance!;
}

export async function readingsOf(
  tx: ReadTx,
  call: Pick<Call, 'now_ms'>,
  cards: readonly VirtualCard[],
  { with_activity }: { readonly with_activity: boolean },
): Promise<readonly CardReading[]> {
  const balances = await readBalances(tx, call, cards);
  const ids = with_activity ? cards.map(({ id }) => id) : [];
  const authorizations = ids.length > 0 ? await tx.cards.newestAuthorizations(ids, activity_max) : new Map();
  const clearings = ids.length > 0 ? await tx.cards.newestClearings(ids, activity_max) : new Map();
  return cards.map((card, at) => ({
    card,
    balance: balances[at]!,
    authorizations: expireDue(authorizations.get(card.id) ?? [], call.now_ms),
    clearings: clearings.get(card.id) ?? [],
  }));
}

/** Reads the ends of the holds of all cards at once. */
async function readBalances(
  tx: ReadTx,
  { now_ms }: Pick<Call, 'now_ms'>,
  cards: readonly VirtualCard[],
): Promise<readonly Balance[]> {
  const ids = cards.filter((card) => needsHoldEnds(card, now_ms)).map(({ id }) => id);
  const ends = ids.length === 0 ? new Map() : await tx.cards.holdEnds(ids, now_ms);
  return cards.map((card) => balanceOf(card, ends.get(card.id) ?? no_hold_ends, now_ms));
}

/**
 * An authorization without a clearing leaves the card when its hold ends (service specification
 * 2.2), even before a sweep marks it. The messages that changed it leave with it.
 */
function expireDue(authorizations: readonly Authorization[], now_ms: number): readonly Authorization[] {
  const ended = new Set<number>();
  for (const { id, root_id, status, hold_end_ms } of authorizations) {
    if (root_id === id && status === 'open' && hold_end_ms !== null && hold_end_ms <= now_ms) ended.add(id);
  }
  // A declined message changed nothing. It stays, even after the sweep has marked the
  // authorization.
  const isDue = ({ status, root_id }: Authorization) =>
    status === 'expired' || status === 'released' || (status !== 'declined' && root_id !== null && ended.has(root_id));
  return authorizations.filter((authorization) => !isDue(authorization));
}

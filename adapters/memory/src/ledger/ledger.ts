import {
  eventsNeeded,
  type Fold,
  type Ledger,
  type LedgerCard,
  type LedgerState,
  type Lookup,
  suspectNumbers,
  type VirtualCard,
  withoutDetails,
} from '@tallystick/cards';
import { type AuditMac, type Clock, checkDeadline, createSettleBy, type Timers, toHex } from '@tallystick/kernel';
import type { State } from '../storage/state.ts';
import type { Transactions } from '../storage/transactions.ts';
import { cardIdOf, countedClearings, loadRecords } from './load-records.ts';
import { writeChanges } from './write-changes.ts';

export interface MemoryLedger extends Ledger {
  /**
   * Runs a pass that has ended when the call returns. For tests without any other writer at the
   * same time: that is a `Violation`.
   */
  passNow<Result>(messages: readonly Lookup[], fold: Fold<Result>): Result;
}

/**
 * Returns the ledger on these transactions. A pass loads exactly the state that the port promises.
 */
export function memoryLedger(
  transactions: Transactions,
  clock: Clock,
  audit_mac: AuditMac,
  timers: Timers,
): MemoryLedger {
  const settleBy = createSettleBy(timers);

  function passOver<Result>(
    state: State,
    card_ids: readonly number[],
    messages: readonly Lookup[],
    fold: Fold<Result>,
  ): Result {
    const loaded = load(state, card_ids, messages, clock.nowMs());
    const { changes, result } = fold(loaded);
    writeChanges(state, changes, audit_mac);
    return result;
  }

  function pass<Result>(state: State, messages: readonly Lookup[], fold: Fold<Result>): Result {
    const card_ids = messages.flatMap((message) => cardIdOf(state, message) ?? []);
    return passOver(state, [...new Set(card_ids)], messages, fold);
  }

  return {
    pass: (messages, fold, bounds) =>
      settleBy(bounds?.deadline, (deadline) =>
        transactions.write((state) => {
          checkDeadline(deadline);
          bounds?.onHolding?.();
          return pass(state, messages, fold);
        }),
      ),
    passNow: (messages, fold) => transactions.writeNow((state) => pass(state, messages, fold)),
    passDue: (limit, fold) =>
      transactions.write((state) => {
        const due = dueCards(state, clock.nowMs());
        const card_ids = due.slice(0, limit).map(({ id }) => id);
        return passOver(state, card_ids, [], fold);
      }),
  };
}

/** Cards with ended holds, the earliest first. */
function dueCards({ cards }: State, now_ms: number): readonly VirtualCard[] {
  const end = ({ counters }: VirtualCard) => counters.next_hold_end_ms ?? Number.POSITIVE_INFINITY;
  return cards
    .values()
    .filter((card) => end(card) <= now_ms)
    .sort((a, b) => end(a) - end(b));
}

function load(state: State, card_ids: readonly number[], messages: readonly Lookup[], now_ms: number): LedgerState {
  const { authorizations, clearings, events } = state;
  const count = (wanted: Lookup['kind']) => messages.filter(({ kind }) => kind === wanted).length;
  return {
    now_ms,
    cards: card_ids.map((id) => ledgerCard(state, id)),
    ...loadRecords(state, card_ids, messages, now_ms),
    known_numbers: suspectNumbers(messages).filter((index) => state.card_ids.has(toHex(index))),
    authorization_ids: authorizations.freshIds(count('authorization')),
    clearing_ids: clearings.freshIds(count('clearing')),
    event_ids: events.freshIds(eventsNeeded(messages)),
  };
}

/** A card as a pass sees it. */
export function ledgerCard(state: State, id: number): LedgerCard {
  const { cards, companies, numbers, templates } = state;
  const {
    notified: _notified,
    supplier_id: _supplier_id,
    created_at_ms: _created_at_ms,
    canceled_at_ms: _canceled_at_ms,
    ...card
  } = withoutDetails(cards.get(id)!);
  const { mcc_rule, mcc_list, merchant_controls, version } = templates.get(card.template_id)!;
  const company = companies.get(card.company_id);
  return {
    ...card,
    number_index: numbers.get(id)!.number_index,
    template: { mcc_rule, mcc_list, merchant_controls, version },
    ...countedClearings(state, id),
    hold_days: company?.hold_days ?? null,
    company_status: company?.status ?? 'active',
    endpoint_version: company?.endpoint_version ?? 0,
  };
}

import type { AuthorizationChange, Counters, LedgerChanges, LedgerState } from '@tallystick/cards';
import { no_changes } from '@tallystick/cards';
import { type Money, money } from '@tallystick/kernel';
import { type PlantedBug, withChanges, withPasses, withState } from './planted-bug.ts';

type Count = 'held' | 'cleared' | 'uses';

/** Adds to the counters of a card that the pass writes. */
function addToCounters(changes: LedgerChanges, card_id: number, by: Partial<Record<Count, number>>): LedgerChanges {
  const counters = changes.counters.map((change) => {
    if (change.card_id !== card_id) return change;
    const added: Counters = {
      ...change.counters,
      held: money(change.counters.held + (by.held ?? 0)),
      cleared: money(change.counters.cleared + (by.cleared ?? 0)),
      uses: change.counters.uses + (by.uses ?? 0),
    };
    return { card_id, counters: added };
  });
  return { ...changes, counters };
}

/** What changed of an authorization compared with what the pass had loaded. */
function lowered(state: LedgerState, { id, held }: AuthorizationChange): number {
  const before = state.authorizations.find((row) => row.id === id);
  return before === undefined ? 0 : before.held - held;
}

export const hold_voided_twice: PlantedBug = {
  name: 'a hold voided twice',
  persistence: withChanges((changes, state) => {
    const voided = changes.authorizations_changed.find((row) => row.status === 'reversed' && lowered(state, row) > 0);
    return voided === undefined ? changes : addToCounters(changes, voided.card_id, { held: -lowered(state, voided) });
  }),
};

export const refund_applied_twice: PlantedBug = {
  name: 'a refund applied twice',
  persistence: withChanges((changes) => {
    const refund = changes.clearings_inserted.find((row) => row.clearing_type === 'CREDIT' && row.cleared_effect < 0);
    if (refund === undefined) return changes;
    const { card_id, cleared_effect: effect } = refund;
    const doubled = { ...refund, cleared_effect: money(2 * effect) };
    const clearings_inserted = changes.clearings_inserted.map((row) => (row === refund ? doubled : row));
    return addToCounters({ ...changes, clearings_inserted }, card_id, { cleared: effect });
  }),
};

export const drift_that_nets_to_zero: PlantedBug = {
  name: 'a drift that nets to zero',
  persistence: withChanges((changes) => {
    const [first] = changes.counters;
    return first === undefined ? changes : addToCounters(changes, first.card_id, { held: 1, cleared: -1 });
  }),
};

export const clearing_matched_twice: PlantedBug = {
  name: 'a clearing matched twice',
  persistence: withChanges((changes) => {
    const matched = changes.clearings_inserted.find(({ authorization_id }) => authorization_id !== null);
    if (matched === undefined) return changes;
    const authorizations_changed = changes.authorizations_changed.map((row) =>
      row.id === matched.authorization_id ? { ...row, cleared: row.cleared + matched.cleared_effect } : row,
    );
    return { ...changes, authorizations_changed };
  }),
};

/** The changes of a pass without the releases of holds: rows and counters keep the amounts. */
export const dropped_release: PlantedBug = {
  name: 'a dropped release',
  persistence: withChanges((changes, state) => {
    let kept = changes;
    const authorizations_changed = changes.authorizations_changed.map((row) => {
      const by = lowered(state, row);
      if (row.status !== 'reversed' || by <= 0) return row;
      kept = addToCounters(kept, row.card_id, { held: by });
      return { ...row, held: row.held + by };
    });
    return { ...kept, authorizations_changed };
  }),
};

export const window_in_local_time: PlantedBug = {
  name: 'a window that begins by a local clock',
  persistence: withChanges((changes, state) => {
    const day_ms = 86_400_000;
    const is_late = state.now_ms % day_ms < 5 * 3_600_000;
    const authorizations_inserted = changes.authorizations_inserted.map((row) =>
      is_late && row.root_id === row.id && row.window_start_ms > 0
        ? { ...row, window_start_ms: row.window_start_ms - day_ms }
        : row,
    );
    return { ...changes, authorizations_inserted };
  }),
};

export const hold_end_off_by_a_second: PlantedBug = {
  name: 'a hold that ends a second late after a change of the clocks',
  persistence: withChanges((changes, state) => {
    const authorizations_inserted = changes.authorizations_inserted.map((row) => {
      const zone = state.cards.find(({ id }) => id === row.card_id)?.aging_velocity_time_zone ?? null;
      if (zone === null || row.hold_end_ms === null) return row;
      const is_changed = hourIn(zone, row.hold_end_ms) !== hourIn(zone, row.hold_end_ms - 3 * 86_400_000);
      return is_changed ? { ...row, hold_end_ms: row.hold_end_ms + 1_000 } : row;
    });
    return { ...changes, authorizations_inserted };
  }),
};

function hourIn(timeZone: string, at_ms: number): string {
  return new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', minute: 'numeric' }).format(at_ms);
}

export const limit_checked_outside_the_lock: PlantedBug = {
  name: 'a limit checked outside the lock',
  persistence(persistence) {
    const totals = new Map<number, Money>();
    return withState((state) => ({
      ...state,
      cards: state.cards.map((card) => {
        // The largest total that anybody has seen, as if the card was read before it was lowered.
        const total_card_amount = money(Math.max(totals.get(card.id) ?? 0, card.total_card_amount * 3));
        totals.set(card.id, total_card_amount);
        const per_transaction_max = card.per_transaction_max_defaulted ? total_card_amount : card.per_transaction_max;
        return { ...card, total_card_amount, per_transaction_max };
      }),
    }))(persistence);
  },
};

export const limit_reached_too_early: PlantedBug = {
  name: 'a limit that is reached too early',
  persistence: withState((state) => ({
    ...state,
    cards: state.cards.map((card) => ({ ...card, total_card_amount: money(Math.ceil(card.total_card_amount / 2)) })),
  })),
};

export const canceled_card_approves: PlantedBug = {
  name: 'a canceled card that approves',
  persistence: withState((state) => ({
    ...state,
    cards: state.cards.map((card) => ({ ...card, status: 'Approved' })),
  })),
};

export const uses_are_not_limited: PlantedBug = {
  name: 'uses that are not limited',
  persistence: withState((state) => ({
    ...state,
    cards: state.cards.map((card) => ({ ...card, transactions_max: null })),
  })),
};

export const lost_update: PlantedBug = {
  name: 'a lost update of counters beside a pass',
  persistence(persistence) {
    let passes = 0;
    return withChanges((changes) => {
      passes += 1;
      return passes % 20 === 0 ? { ...changes, counters: [] } : changes;
    })(persistence);
  },
};

export const answer_before_durable: PlantedBug = {
  name: 'an answer before it is durable',
  persistence(persistence) {
    let passes = 0;
    return withPasses((state, fold) => {
      passes += 1;
      const folded = fold(state);
      return passes % 20 === 0 ? { ...folded, changes: no_changes } : folded;
    })(persistence);
  },
};

export const repeated_message_answered_anew: PlantedBug = {
  name: 'a pass that is not idempotent',
  persistence: withState((state) => ({
    ...state,
    authorizations: state.authorizations.map((row) =>
      row.decline_code === null ? { ...row, approval_code: `X${String(state.now_ms).slice(-5)}` } : row,
    ),
  })),
};

/** Messages are known by a number that is stored in another form, so that none repeats another. */
export const no_duplicate_check: PlantedBug = {
  name: 'a missing duplicate check',
  persistence: withPasses((state, fold) => {
    const known = new Set(state.authorizations.map(({ system_trace_audit_number: number }) => number));
    const inOtherForm = <Row extends { readonly system_trace_audit_number: string }>(row: Row): Row => ({
      ...row,
      system_trace_audit_number: `0${row.system_trace_audit_number}`,
    });
    const { changes, result } = fold({ ...state, authorizations: state.authorizations.map(inOtherForm) });
    const authorizations_inserted = changes.authorizations_inserted.map((row) =>
      known.has(row.system_trace_audit_number) ? inOtherForm(row) : row,
    );
    return { changes: { ...changes, authorizations_inserted }, result };
  }),
};

export const event_out_of_order: PlantedBug = {
  name: 'an event numbered out of order',
  persistence(persistence) {
    let gap: number | null = null;
    return withChanges((changes) => {
      const [first, ...others] = changes.events;
      if (first === undefined || others.length > 0) return changes;
      if (gap === null) {
        // Leaves a number out.
        gap = first.id;
        return { ...changes, events: [{ ...first, id: first.id + 1 }] };
      }
      const id = gap;
      gap = null;
      return { ...changes, events: [{ ...first, id }] };
    })(persistence);
  },
};

export const event_lost: PlantedBug = {
  name: 'a decision without its event',
  persistence: withChanges((changes) => ({ ...changes, events: changes.events.slice(1) })),
};

export const sweep_that_finds_nothing: PlantedBug = {
  name: 'a sweep that releases nothing',
  persistence(persistence) {
    const { ledger } = persistence;
    const passDue: typeof ledger.passDue = (limit, fold) =>
      ledger.passDue(limit, (state) => fold({ ...state, authorizations: [] }));
    return { ...persistence, ledger: { ...ledger, passDue } };
  },
};

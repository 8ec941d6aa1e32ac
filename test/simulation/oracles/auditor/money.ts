import type { Authorization, Clearing } from '@tallystick/cards';
import type { Invariant, Step } from './invariant.ts';

interface Sum {
  held: number;
  cleared: number;
  uses: number;
}

/** The rows that count in each window of a card, added up as they change. */
class WindowSums {
  readonly #sums = new Map<string, Sum>();

  static key(card_id: number, window_start_ms: number): string {
    return `${card_id}:${window_start_ms}`;
  }

  /** Adds what changed, and returns the windows that it concerns. */
  follow(step: Step): ReadonlySet<string> {
    const touched = new Set<string>();
    const add = (row: { card_id: number; window_start_ms: number }, sign: 1 | -1, sum: Sum) => {
      const key = WindowSums.key(row.card_id, row.window_start_ms);
      const before = this.of(key);
      touched.add(key);
      this.#sums.set(key, {
        held: before.held + sign * sum.held,
        cleared: before.cleared + sign * sum.cleared,
        uses: before.uses + sign * sum.uses,
      });
    };
    const addRoot = (row: Authorization, sign: 1 | -1) =>
      add(row, sign, { held: row.held, cleared: 0, uses: row.uses });
    const addClearing = (row: Clearing, sign: 1 | -1) =>
      add(row, sign, { held: 0, cleared: row.cleared_effect, uses: row.uses });
    for (const { before, after } of step.changes('authorizations')) {
      if (before !== undefined) addRoot(before, -1);
      if (after !== undefined) addRoot(after, 1);
    }
    for (const { before, after } of step.changes('clearings')) {
      if (before !== undefined) addClearing(before, -1);
      if (after !== undefined) addClearing(after, 1);
    }
    return touched;
  }

  of(key: string): Sum {
    return this.#sums.get(key) ?? { held: 0, cleared: 0, uses: 0 };
  }
}

/** What a card or a past window says of a window. */
function storedSum({ state }: Step, key: string): Sum {
  const [card_id = 0, window_start_ms = 0] = key.split(':').map(Number);
  const counters = state.cards.get(card_id)?.counters;
  if (counters?.window_start_ms === window_start_ms) return counters;
  const past = state.card_windows.get(JSON.stringify([card_id, window_start_ms]));
  return past ?? { held: 0, cleared: 0, uses: 0 };
}

export const counters_are_sums: Invariant = {
  name: 'counters are sums',
  says: 'the holds, the cleared amount and the uses of each window are the sums over its rows',
  begin() {
    const sums = new WindowSums();
    return {
      *step(step) {
        const touched = new Set(sums.follow(step));
        for (const { key, before, after } of step.changes('cards')) {
          for (const row of [before, after]) {
            if (row !== undefined) touched.add(WindowSums.key(key, row.counters.window_start_ms));
          }
        }
        for (const { before, after } of step.changes('card_windows')) {
          const row = after ?? before!;
          touched.add(WindowSums.key(row.card_id, row.window_start_ms));
        }
        for (const key of touched) {
          const right = sums.of(key);
          const stored = storedSum(step, key);
          for (const name of ['held', 'cleared', 'uses'] as const) {
            if (stored[name] !== right[name]) {
              yield `window ${key}: ${name} is ${stored[name]}, and its rows sum to ${right[name]}`;
            }
          }
        }
      },
    };
  },
};

const holding: ReadonlySet<string> = new Set(['open', 'partially_cleared']);

export const holds_are_of_open_authorizations: Invariant = {
  name: 'holds are of open authorizations',
  says: 'only an open or partially cleared authorization holds, and nobody holds less than nothing or more than authorized',
  begin: () => ({
    *step(step) {
      for (const { key, after } of step.changes('authorizations')) {
        if (after === undefined) continue;
        const { root_id, status, held, uses, authorized } = after;
        const what = `authorization ${key} (${status})`;
        if (held < 0 || held > authorized) yield `${what} holds ${held} of ${authorized}`;
        if (uses !== 0 && uses !== 1) yield `${what} counts as ${uses} uses`;
        if (held !== 0 && (root_id !== key || !holding.has(status))) yield `${what} holds ${held}`;
        if (uses !== 0 && (root_id !== key || status === 'declined')) yield `${what} counts as a use`;
      }
    },
  }),
};

/** The amount of a clearing on the limits of its card, by its message; null: the rate decides. */
function statedEffect(clearing: Clearing, limit_currency: string | null): number | null {
  if (clearing.cycle === 'second_presentment' || clearing.cycle === 'chargeback') return 0;
  const amount =
    limit_currency === null || limit_currency === clearing.billing_currency
      ? clearing.billing_amount
      : clearing.merchant_currency === limit_currency
        ? clearing.merchant_amount
        : null;
  return amount === null ? null : clearing.clearing_type === 'CREDIT' ? -amount : amount;
}

export const money_is_conserved: Invariant = {
  name: 'money is conserved',
  says: 'each clearing moves its own amount, and an authorization has cleared what its clearings sum to',
  begin() {
    const cleared = new Map<number, number>();
    const add = (root: number | null, effect: number) => {
      if (root !== null) cleared.set(root, (cleared.get(root) ?? 0) + effect);
    };
    return {
      *step(step) {
        const touched = new Set<number>();
        for (const { key, before, after } of step.changes('clearings')) {
          if (before !== undefined) add(before.authorization_id, -before.cleared_effect);
          if (after !== undefined) add(after.authorization_id, after.cleared_effect);
          for (const row of [before, after]) if (row?.authorization_id) touched.add(row.authorization_id);
          if (after === undefined) continue;
          const right = statedEffect(after, step.state.cards.get(after.card_id)?.currency ?? null);
          const seen = after.cleared_effect;
          if (right !== null && seen !== right) yield `clearing ${key} moves ${seen}, and its message says ${right}`;
          if (after.hold_effect < 0) yield `clearing ${key} releases ${after.hold_effect} from a hold`;
        }
        for (const { key, after } of step.changes('authorizations')) if (after !== undefined) touched.add(key);
        for (const id of touched) {
          const stored = step.state.authorizations.get(id)?.cleared;
          const right = cleared.get(id) ?? 0;
          if (stored !== right) yield `authorization ${id} has cleared ${stored}, and its clearings sum to ${right}`;
        }
      },
    };
  },
};

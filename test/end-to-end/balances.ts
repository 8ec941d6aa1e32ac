import { Temporal } from '@tallystick/kernel';
import { readRows, type ScratchDatabase } from '@tallystick/test-support';

/** The remaining balance and the uses of a card, computed from its rows. */
export interface Recomputed {
  readonly card_id: number;
  readonly available_balance: number;
  readonly uses: number;
}

interface CardRow {
  readonly id: number;
  readonly total_card_amount: number;
  readonly recurring: string | null;
  readonly authorization_hold_days: number | null;
  readonly aging_velocity_time_zone: string | null;
}

interface AuthorizationRow {
  readonly id: number;
  readonly card_id: number;
  readonly root_id: number | null;
  readonly message_type: string;
  readonly decline_code: string | null;
  readonly billing_amount: number;
  readonly decided_at_ms: number;
  readonly details: string;
}

interface ClearingRow {
  readonly card_id: number;
  readonly authorization_id: number | null;
  readonly clearing_type: string;
  readonly partial: number | boolean;
  readonly billing_amount: number;
  readonly recorded_at_ms: number;
}

/**
 * The balance of every card, from the recorded facts: the messages, their reasons, their times. It
 * reads none of the sums that the product stores: no counters of a card, no state of a hold, no
 * window, no effect of a clearing.
 *
 * It knows only what the tests send: purchases, full and partial reversals, and cleared debits.
 */
export async function recomputedBalances(
  database: ScratchDatabase,
  now_ms: number,
): Promise<ReadonlyMap<number, Recomputed>> {
  const cards = await readRows<CardRow>(
    database,
    'select id, total_card_amount, recurring, authorization_hold_days, aging_velocity_time_zone from tallystick_virtual_cards',
  );
  const messages = Map.groupBy(
    await readRows<AuthorizationRow>(
      database,
      'select id, card_id, root_id, message_type, decline_code, billing_amount, decided_at_ms, details from tallystick_authorizations',
    ),
    ({ card_id }) => card_id,
  );
  const clearings = Map.groupBy(
    await readRows<ClearingRow>(
      database,
      'select card_id, authorization_id, clearing_type, "partial", billing_amount, recorded_at_ms from tallystick_clearings',
    ),
    ({ card_id }) => card_id,
  );
  return new Map(
    cards.map((card) => [card.id, recomputed(card, messages.get(card.id) ?? [], clearings.get(card.id) ?? [], now_ms)]),
  );
}

function recomputed(
  card: CardRow,
  messages: readonly AuthorizationRow[],
  clearings: readonly ClearingRow[],
  now_ms: number,
): Recomputed {
  const this_window = windowName(card.recurring, now_ms);
  const purchases = messages.filter(({ id, root_id, decline_code }) => id === root_id && decline_code === null);
  let held = 0;
  let uses = 0;
  let cleared = 0;
  for (const purchase of purchases) {
    if (windowName(card.recurring, purchase.decided_at_ms) !== this_window) continue;
    const reversals = messages.filter((row) => row.root_id === purchase.id && row.message_type.startsWith('04'));
    const debits = clearings.filter(({ authorization_id }) => authorization_id === purchase.id);
    const reversed = reversals.some((row) => correctedTo(row) === null);
    if ((purchase.billing_amount > 0 && !reversed) || clearedSince(reversals, debits)) uses += 1;
    cleared += sum(debits.map(({ billing_amount }) => billing_amount));
    const done = reversed || debits.some(({ partial }) => !partial) || holdIsOver(card, purchase, now_ms);
    if (done) continue;
    const authorized = Math.min(purchase.billing_amount, ...reversals.map((row) => correctedTo(row) ?? 0));
    held += Math.max(0, authorized - sum(debits.map(({ billing_amount }) => billing_amount)));
  }
  for (const { authorization_id, clearing_type, billing_amount, recorded_at_ms } of clearings) {
    if (clearing_type !== 'DEBIT') throw new Error('the recomputation supports only debits');
    if (authorization_id !== null || windowName(card.recurring, recorded_at_ms) !== this_window) continue;
    cleared += billing_amount;
    uses += 1;
  }
  return { card_id: card.id, available_balance: card.total_card_amount - held - cleared, uses };
}

/**
 * Whether a debit came without a later full reversal. Then the card was used, even if amounts were
 * returned.
 */
function clearedSince(reversals: readonly AuthorizationRow[], debits: readonly ClearingRow[]): boolean {
  const in_full = reversals.filter((row) => correctedTo(row) === null);
  return debits.some(({ recorded_at_ms }) => in_full.every(({ decided_at_ms }) => decided_at_ms <= recorded_at_ms));
}

/** The corrected amount of a partial reversal; null for a full one. */
function correctedTo({ details }: AuthorizationRow): number | null {
  const { replacement_amounts } = JSON.parse(details) as { replacement_amounts?: { billing_amount: number } };
  return replacement_amounts?.billing_amount ?? null;
}

/**
 * Two instants are in the same window if their windows have the same name: service specification
 * 2.2, GMT.
 */
function windowName(recurring: string | null, at_ms: number): string {
  const day = Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO('UTC').toPlainDate();
  switch (recurring) {
    case 'Daily':
      return day.toString();
    case 'Weekly':
      return `${day.yearOfWeek} week ${day.weekOfYear}`;
    case 'Monthly':
      return day.toPlainYearMonth().toString();
    case 'Quarterly':
      return `${day.year} quarter ${Math.ceil(day.month / 3)}`;
    case 'Yearly':
      return String(day.year);
    default:
      return 'ever';
  }
}

/**
 * The hold ends at 00:00:01 of the local day that is this number of days after the authorization: of
 * aging velocity, else 30 days in UTC.
 */
function holdIsOver(card: CardRow, { decided_at_ms }: AuthorizationRow, now_ms: number): boolean {
  const days = card.authorization_hold_days ?? 30;
  const time_zone = card.aging_velocity_time_zone ?? 'UTC';
  const end = Temporal.Instant.fromEpochMilliseconds(decided_at_ms)
    .toZonedDateTimeISO(time_zone)
    .toPlainDate()
    .add({ days })
    .toZonedDateTime({ timeZone: time_zone, plainTime: '00:00:01' });
  return end.epochMilliseconds <= now_ms;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

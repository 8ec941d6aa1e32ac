import { money, type Steps } from '@tallystick/kernel';
import {
  type Act,
  type AuthorizedPurchase,
  type CardLine,
  type ClearedAmount,
  composeItems,
  type FrozenRecords,
  findCoveringSets,
  frozenRecordsOf,
  type HandPairs,
  type ItemContent,
  type ItemGroup,
  leftoversOf,
  offersByRecord,
  pairingsOf,
  pairRecords,
  type ReconciliationRecords,
  recordsOfAct,
  type StatementKeySetting,
  standingActs,
  startOf,
  statement_key_default,
  statementKeyOf,
  type Tolerances,
} from '../src/index.ts';
import { ignoredRecords } from '../src/items/ignored-records.ts';

/** The day on which the purchases of tests are authorized. */
export const day = '2026-03-02';

export const reference = '74123456061000000000017';

export const no_hands: HandPairs = { pins: [], bars: [] };

export const nothing_frozen: FrozenRecords = frozenRecordsOf([], new Map(), new Map(), new Map());

export function purchase(change: Partial<AuthorizedPurchase> = {}): AuthorizedPurchase {
  return {
    id: 1,
    company_id: 1,
    card_id: 1,
    currency: 'USD',
    authorized: money(1_000),
    status: 'open',
    uncleared_status: null,
    hold_end_ms: startOf('2026-03-09'),
    decided_at_ms: startOf(day),
    merchant_name: 'Paper and Ink',
    billing_amount: money(1_000),
    merchant_amount: money(1_000),
    merchant_currency: 'USD',
    approval_code: 'A1B2C3',
    merchant_id: 'M1',
    net_reference_number: 'MCCAAAAAA0302',
    transaction_date_time_ms: startOf(day),
    ...change,
  };
}

/** What a test states of a record. The statement key follows from the reference and the setting. */
type Change<Fields extends { readonly statement_key: string | null }> = Partial<Omit<Fields, 'statement_key'>>;

/** The exact and final clearing of `purchase()`, settled on the next day. */
export function clearing(
  change: Change<ClearedAmount> = {},
  setting: StatementKeySetting = statement_key_default,
): ClearedAmount {
  const id = change.id ?? 1;
  const row = {
    id,
    company_id: 1,
    card_id: 1,
    currency: 'USD',
    transaction_id: `T${id}`,
    authorization_id: 1,
    clearing_id: null,
    cycle: 'first_presentment' as const,
    class: 'exact' as const,
    match_rule: 3,
    is_chosen: false,
    review: false,
    is_tie: false,
    partial: false,
    amount: money(1_000),
    settlement_date: '2026-03-03',
    acquirer_reference: reference,
    merchant_name: 'Paper and Ink',
    recorded_at_ms: startOf('2026-03-03') + id,
    merchant_amount: null,
    merchant_currency: null,
    approval_code: 'A1B2C3',
    merchant_id: 'M1',
    net_reference_number: 'MCCAAAAAA0302',
    ...change,
  };
  return { ...row, statement_key: statementKeyOf(row.acquirer_reference, setting) };
}

/** The line of `clearing()`, booked on the day of its settlement. */
export function line(change: Change<CardLine> = {}, setting: StatementKeySetting = statement_key_default): CardLine {
  const id = change.id ?? 1;
  const row = {
    id,
    company_id: 1,
    account_id: 1,
    currency: 'USD',
    amount: money(1_000),
    is_fee: false,
    bai_code: '821',
    booking_date: '2026-03-03',
    bank_reference: `B${id}`,
    acquirer_reference: reference,
    text: '',
    standing: null,
    statement_line_id: null,
    recorded_at_ms: startOf('2026-03-04') + id,
    ...change,
  };
  return { ...row, statement_key: statementKeyOf(row.acquirer_reference, setting) };
}

export function fee(change: Change<CardLine> = {}): CardLine {
  return line({ id: 2, bai_code: '825', is_fee: true, amount: money(30), ...change });
}

/** The items of these records on a day at noon. Statements cover everything. */
export function itemsOf(
  records: Partial<ReconciliationRecords>,
  { on = '2026-03-04', ...change }: Partial<ItemGroup> & { readonly on?: string } = {},
): readonly ItemContent[] {
  const all = { purchases: [], clearings: [], lines: [], ...records };
  return resultOf(
    composeItems({
      records: all,
      pairings: pairRecords(all, no_hands),
      bars: [],
      offers: new Map(),
      decisions: new Map(),
      accepted: new Set(),
      untolerated: new Set(),
      tolerances: new Map(),
      frozen: nothing_frozen,
      touched: new Set(),
      coverage: new Map([['USD', '2026-01-01']]),
      now_ms: startOf(on) + 12 * 60 * 60 * 1_000,
      ...change,
    }),
  );
}

/** All items of a company, composed at once. No period is closed. */
export function composeAll({
  records,
  acts,
  tolerances = new Map(),
  ...circumstances
}: Pick<ItemGroup, 'records' | 'coverage' | 'now_ms'> & {
  readonly acts: readonly Act[];
  readonly tolerances?: Tolerances;
}): readonly ItemContent[] {
  const { hands, ...standing } = standingActs(acts);
  const touched = new Set(acts.flatMap(recordsOfAct));
  const paired = pairRecords(records, hands);
  const ignored = ignoredRecords(standing, { records, pairings: paired, frozen: nothing_frozen });
  const { applied, offers } = resultOf(findCoveringSets(leftoversOf(records, paired, ignored), hands.bars));
  const pairings = [...paired, ...applied.flatMap(pairingsOf)];
  const by_record = offersByRecord(offers);
  return resultOf(
    composeItems({
      records,
      pairings,
      bars: hands.bars,
      offers: by_record,
      ...standing,
      tolerances,
      frozen: nothing_frozen,
      touched,
      ...circumstances,
    }),
  );
}

export function resultOf<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The only item of these records. */
export function itemOf(...of: Parameters<typeof itemsOf>): ItemContent {
  const [item, ...others] = itemsOf(...of);
  if (item === undefined || others.length > 0) throw new Error(`not one item, but ${others.length + 1}`);
  return item;
}

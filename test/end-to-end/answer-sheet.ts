import type { CardOf, ExpectedClearing, SampleSet } from '@tallystick/samples';
import { type Row, readRows, type ScratchDatabase } from '@tallystick/test-support';

/** The most differences that are collected. */
const differences_max = 20;

interface AuthorizationRow extends Row {
  readonly id: number;
  readonly card_id: number;
  readonly trace_id: string;
  readonly status: string;
  readonly held: number;
  readonly cleared: number;
  readonly uses: number;
}

interface ClearingRow extends Row {
  readonly id: number;
  readonly card_id: number;
  readonly transaction_id: string;
  readonly acquirer_reference_data: string | null;
  readonly settlement_date: string;
  readonly clearing_type: string;
  readonly cycle: string;
  readonly match_rule: number;
  readonly class: string;
  readonly review: number | boolean;
  readonly authorization_id: number | null;
  readonly clearing_id: number | null;
}

/**
 * Compares a database with the answer sheet of a set that arrived in it completely: every
 * authorization, clearing, card and quarantined record, and nothing else. Returns what differs, in
 * words; empty if nothing does.
 */
export async function differencesFrom(
  database: ScratchDatabase,
  set: SampleSet,
  cardOf: CardOf,
  { by_message_only = false }: { readonly by_message_only?: boolean } = {},
): Promise<readonly string[]> {
  const differences: string[] = [];
  const compare = (what: string, found: unknown, expected: unknown): void => {
    const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
    if (is !== should && differences.length < differences_max) differences.push(`${what}: ${is}, not ${should}`);
  };

  const authorizations = await readRows<AuthorizationRow>(
    database,
    'select id, card_id, trace_id, status, held, cleared, uses from tallystick_authorizations where id = root_id',
  );
  const trace_ids = new Map(authorizations.map(({ id, trace_id }) => [id, trace_id]));
  const by_trace = new Map(authorizations.map((row) => [`${row.card_id} ${row.trace_id}`, row]));
  let count = 0;
  for (const { card, trace_id, scenario, status, held, cleared, uses } of set.expectedAuthorizations()) {
    count += 1;
    const row = by_trace.get(`${cardOf(card).vcn_id} ${trace_id}`);
    const found = row && { status: row.status, held: row.held, cleared: row.cleared, uses: row.uses };
    compare(`authorization ${trace_id} of ${scenario}`, found, { status, held, cleared, uses });
  }
  compare('authorizations', authorizations.length, count);

  const clearings = await readRows<ClearingRow>(
    database,
    `select id, card_id, network_financial_transaction_id as transaction_id, acquirer_reference_data,
       settlement_date, clearing_type, cycle, match_rule, "class", review, authorization_id, clearing_id from tallystick_clearings`,
  );
  const by_key = new Map(clearings.map((row) => [keyOf(row.card_id, row), row]));
  const keys = new Map<string, string>();
  const quarantined = new Map<string, number>();
  const applied = new Set<string>();
  for (const { expected, message } of set.records(cardOf)) {
    if (expected.quarantine !== null) {
      if (message === null && by_message_only) continue;
      quarantined.set(expected.quarantine, (quarantined.get(expected.quarantine) ?? 0) + 1);
      continue;
    }
    const key = keyOf(cardOf(expected.card!).vcn_id, expected);
    applied.add(key);
    keys.set(expected.transaction_id, key);
    if (expected.duplicate_of !== null) continue;
    const row = by_key.get(key);
    const found = row && {
      rule: row.match_rule,
      class: row.class,
      review: Boolean(row.review),
      authorization: row.authorization_id === null ? null : trace_ids.get(row.authorization_id),
      earlier: row.clearing_id,
    };
    const { rule, class: its_class, review, authorization, earlier } = expected;
    const earlier_key = earlier === null ? null : keys.get(earlier);
    const earlier_id = earlier_key === null || earlier_key === undefined ? null : (by_key.get(earlier_key)?.id ?? null);
    compare(`clearing ${expected.transaction_id} of ${expected.scenario}`, found, {
      rule,
      class: its_class,
      review,
      authorization,
      earlier: earlier_id,
    });
  }
  compare('clearings', clearings.length, applied.size);

  const reasons = await readRows<{ reason: string; count: number }>(
    database,
    `select reason, count(*) as count from tallystick_quarantine where status = 'quarantined' group by reason`,
  );
  compare(
    'quarantined records',
    Object.fromEntries(reasons.map(({ reason, count: times }) => [reason, times]).sort()),
    Object.fromEntries([...quarantined].sort()),
  );

  const rows = await readRows<{ id: number; held: number; cleared: number; uses: number }>(
    database,
    'select id, held, cleared, uses from tallystick_virtual_cards',
  );
  const cards = new Map(rows.map((row) => [row.id, row]));
  for (const { card, held, cleared, uses } of set.expectedCards()) {
    const row = cards.get(cardOf(card).vcn_id);
    const found = row && { held: row.held, cleared: row.cleared, uses: row.uses };
    compare(`card ${card}`, found, { held, cleared, uses });
  }
  return differences;
}

/**
 * What identifies a clearing on its card in a set, whichever way it came. A format without acquirer
 * reference data has the transaction ids of the network.
 */
export function keyOf(
  vcn_id: number,
  clearing: Pick<ExpectedClearing, 'settlement_date' | 'acquirer_reference_data'> & {
    readonly transaction_id: string;
    readonly clearing_type: string;
    readonly cycle: string;
  },
): string {
  const { acquirer_reference_data, transaction_id, settlement_date, clearing_type, cycle } = clearing;
  return `${vcn_id} ${acquirer_reference_data ?? transaction_id} ${settlement_date} ${clearing_type} ${cycle}`;
}

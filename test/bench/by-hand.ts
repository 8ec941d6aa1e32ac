import type { AuthorizationMessage } from '@tallystick/cards';
import Database from 'better-sqlite3';

/**
 * Hand-written code without the service: better-sqlite3, prepared statements, group commit, the
 * same rows into the same tables.
 */
export interface ByHand {
  /**
   * Resolves with the answer as JSON, or null if declined, once the rows are durable. The event's
   * payload has the decision, too.
   */
  decide(message: AuthorizationMessage): Promise<string | null>;
  close(): void;
}

const day_ms = 86_400_000;
const hold_days = 30;

interface CardRow {
  readonly id: number;
  readonly company_id: number;
  readonly rcn_id: number;
  readonly alias: string;
  readonly billing_currency: string;
  readonly status: string;
  readonly last4: string;
  readonly per_transaction_min: number;
  readonly per_transaction_max: number;
  readonly total_card_amount: number;
  readonly transactions_max: number | null;
  readonly valid_starting_on: string;
  readonly valid_ending_on: string;
  readonly held: number;
  readonly cleared: number;
  readonly uses: number;
  readonly next_hold_end_ms: number | null;
}

/**
 * Opens the database and prepares its statements. The file at `path` must have the service's
 * tables. `keys`: authorizations are found by the tree of keys, the best layout known. `indexes`:
 * they are found by indexes of the table, and no key is written. `gather` calls back when the
 * messages of a group commit have arrived.
 */
export function byHand(
  path: string,
  layout: 'keys' | 'indexes' = 'keys',
  gather: (decide: () => void) => void = (decide) => queueMicrotask(() => queueMicrotask(decide)),
): ByHand {
  const database = new Database(path);
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.pragma('cache_size = -65536');
  database.pragma('mmap_size = 268435456');
  database.pragma('wal_autocheckpoint = 4000');
  const find = database.prepare<[Uint8Array], CardRow>(`
    select v.id, v.company_id, v.rcn_id, r.alias, r.billing_currency, v.status, v.last4, v.per_transaction_min,
      v.per_transaction_max, v.total_card_amount, v.transactions_max, v.valid_starting_on, v.valid_ending_on, v.held,
      v.cleared, v.uses, v.next_hold_end_ms
    from tallystick_virtual_cards v join tallystick_real_cards r on r.id = v.rcn_id where v.number_index = ?`);
  const copies = database.prepare<[number, string, string], { id: number; approval_code: string | null }>(
    layout === 'keys'
      ? `select a.id, a.approval_code from tallystick_authorization_keys k cross join tallystick_authorizations a on a.id = k.authorization_id
           where k.card_id = ? and k.key >= ? and k.key < ?`
      : 'select id, approval_code from tallystick_authorizations where card_id = ? and trace_id in (?, ?)',
  );
  const insert_keys = database.prepare(`insert into tallystick_authorization_keys (card_id, key, authorization_id)
    values (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?)`);
  const spend = database.prepare('update tallystick_virtual_cards set held = held + ?, uses = uses + 1 where id = ?');
  const set_end = database.prepare('update tallystick_virtual_cards set next_hold_end_ms = ? where id = ?');
  const insert_authorization = database.prepare(`
    insert into tallystick_authorizations (company_id, card_id, root_id, message_type, incremental, trace_id,
      system_trace_audit_number, transaction_date_time_ms, decided_at_ms, decline_code, approval_code, billing_amount,
      merchant_amount, merchant_currency, mcc, merchant_id, net_reference_number, window_start_ms, status, authorized,
      held, cleared, uses, hold_end_ms, request_id, details, facts, event_id)
    values (?, ?, (select coalesce(max(id), 0) + 1 from tallystick_authorizations), ?, 0, ?, ?, ?, ?, null, ?, ?, ?, ?, ?, ?, ?,
      0, 'open', ?, ?, 0, 1, ?, ?, ?, ?, (select coalesce(max(id), 0) + 1 from tallystick_events))`);
  const insert_event = database.prepare(`
    insert into tallystick_events (company_id, event_type, created_at_ms, merchant_amount, billing_amount,
      transaction_date_time_ms, approval_code, net_reference_number, card_number, financial_network_code,
      mcc_description, mcc, merchant_name, merchant_id, rcn_alias, rcn_id, transaction_type, vcn_id, payload_id, status, request_id,
      payload)
    values (?, 'virtualcard.realtime.auths', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'Authorization Request', ?, ?,
      'open', ?, ?)`);

  const insert_outbox = database.prepare(
    'insert into tallystick_event_outbox (event_id, company_id, event_type) values (?, ?, ?)',
  );

  function decideNow(message: AuthorizationMessage): string | null {
    const now_ms = Date.now();
    const today = new Date(now_ms).toISOString().slice(0, 10);
    const card = find.get(message.number_index);
    if (card === undefined || card.status !== 'Approved') return null;
    const { trace_id } = message;
    const traces = layout === 'keys' ? ([`m${trace_id}|`, `m${trace_id}}`] as const) : ([trace_id, trace_id] as const);
    const copy = copies.get(card.id, ...traces);
    if (copy !== undefined) return JSON.stringify(payloadOf(message, card, copy.id, copy.approval_code));
    const amount = message.billing_amount;
    if (today < card.valid_starting_on || today > card.valid_ending_on) return null;
    if (amount < card.per_transaction_min || amount > card.per_transaction_max) return null;
    if (card.transactions_max !== null && card.uses >= card.transactions_max) return null;
    if (card.held + card.cleared + amount > card.total_card_amount) return null;
    const approval_code = Math.floor(Math.random() * 36 ** 6)
      .toString(36)
      .toUpperCase()
      .padStart(6, '0');
    const hold_end_ms = (Math.floor(now_ms / day_ms) + hold_days) * day_ms + 1_000;
    spend.run(amount, card.id);
    if (card.next_hold_end_ms === null) set_end.run(hold_end_ms, card.id);
    const { lastInsertRowid } = insert_authorization.run(
      card.company_id,
      card.id,
      message.message_type,
      message.trace_id,
      message.system_trace_audit_number,
      message.transaction_date_time_ms,
      now_ms,
      approval_code,
      amount,
      message.merchant_amount,
      message.merchant_currency,
      message.mcc,
      message.merchant_id,
      message.net_reference_number,
      amount,
      amount,
      hold_end_ms,
      message.request_id,
      JSON.stringify(message.details),
      JSON.stringify(factsOf(card, amount)),
    );
    const id = Number(lastInsertRowid);
    if (layout === 'keys') {
      const { message_type, system_trace_audit_number, transaction_date_time_ms, net_reference_number } = message;
      const at = sortable(id);
      const keys = [
        `m${trace_id}|${message_type}${system_trace_audit_number}|${transaction_date_time_ms.toString(16)}`,
        `p${at}`,
        `a${approval_code}|${at}`,
        `n${net_reference_number?.slice(3, 9)}|${at}`,
        `h${sortable(hold_end_ms)}${at}`,
      ];
      insert_keys.run(keys.flatMap((key) => [card.id, key, id]));
    }
    const payload = payloadOf(message, card, id, approval_code);
    const answer = JSON.stringify(payload);
    const stored = JSON.stringify([0, ...Object.values(payload), decisionOf(card, amount)]);
    const event = insert_event.run(
      card.company_id,
      now_ms,
      message.merchant_amount,
      amount,
      message.transaction_date_time_ms,
      approval_code,
      message.net_reference_number,
      payload.card_number,
      payload.financial_network_code,
      payload.mcc_description,
      message.mcc,
      payload.merchant_name,
      message.merchant_id,
      card.alias,
      card.rcn_id,
      card.id,
      String(id),
      message.request_id,
      stored,
    );
    insert_outbox.run(event.lastInsertRowid, card.company_id, 'virtualcard.realtime.auths');
    return answer;
  }

  const decideAll = database.transaction((batch: readonly Waiting[]) => batch.map(({ message }) => decideNow(message)));
  let queue: Waiting[] = [];

  return {
    decide: (message) =>
      new Promise((resolve) => {
        queue.push({ message, resolve });
        if (queue.length > 1) return;
        gather(() => {
          const batch = queue;
          queue = [];
          const answers = decideAll.immediate(batch);
          for (const [at, waiting] of batch.entries()) waiting.resolve(answers[at] ?? null);
        });
      }),
    close: () => void database.close(),
  };
}

function sortable(value: number): string {
  const digits = value.toString(16);
  return `${digits.length.toString(16)}${digits}`;
}

interface Waiting {
  readonly message: AuthorizationMessage;
  readonly resolve: (answer: string | null) => void;
}

/** The facts that an authorization keeps: one of a card of limits for all time. */
function factsOf(card: CardRow, asked: number) {
  return [1, 1, asked, null, card.held, card.cleared, card.uses, card.total_card_amount, card.transactions_max];
}

function decisionOf({ total_card_amount, cleared, held, transactions_max, uses }: CardRow, asked: number) {
  const facts = [
    { name: 'asked', value: asked },
    { name: 'available_after', value: total_card_amount - cleared - held - asked },
    ...(transactions_max === null ? [] : [{ name: 'uses_left', value: transactions_max - uses - 1 }]),
  ];
  return { code: 'V', reason: 'no reason to decline applies', facts };
}

function payloadOf(message: AuthorizationMessage, card: CardRow, id: number, approval_code: string | null) {
  const { details } = message;
  return {
    id,
    company_id: card.company_id,
    vcn_id: card.id,
    rcn_id: card.rcn_id,
    rcn_alias: card.alias,
    card_number: `************${card.last4}`,
    message_type_indicator: 'Authorization Request',
    transaction_type: 'Authorization Request',
    trace_id: message.trace_id,
    system_trace_audit_number: message.system_trace_audit_number,
    transaction_date_time: new Date(message.transaction_date_time_ms).toISOString(),
    billing_amount: message.billing_amount,
    billing_currency: card.billing_currency,
    merchant_amount: message.merchant_amount,
    merchant_currency: message.merchant_currency,
    merchant_id: message.merchant_id,
    merchant_name: details.merchant_name ?? null,
    merchant_city: details.merchant_city ?? null,
    merchant_state_or_country_code: details.merchant_state_or_country_code ?? null,
    mcc: message.mcc,
    mcc_description: details.mcc_description ?? null,
    net_reference_number: message.net_reference_number,
    acquirer_ica: details.acquirer_ica ?? null,
    advice_reason_code: null,
    card_holder_transaction_type_code: null,
    financial_network_code: details.financial_network_code ?? null,
    pos_transaction_status: null,
    purchase_request_company_guid: null,
    purchase_request_issuer_guid: null,
    settlement_date: details.settlement_date ?? null,
    replacement_amounts: { billing_amount: null, settlement_amount: null, transaction_amount: null },
    status: 'open',
    decline_reason: null,
    broken_reason: null,
    vcn_response: 'Valid',
    issuer_response: 'Approved',
    response_code: '00',
    approval_code,
  };
}

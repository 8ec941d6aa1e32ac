import { createHmac } from 'node:crypto';
import { newState, type State } from '@tallystick/memory';
import { type History, newHistory } from '../../history.ts';
import type { Observed } from './invariant.ts';

export const start_ms = Date.UTC(2026, 1, 27, 12);
export const day_ms = 24 * 60 * 60 * 1_000;
const minute_ms = 60_000;

/** A small state in which everything holds, written by hand, and what was seen of it from outside. */
export interface SoundWorld extends Observed {
  readonly history: History;
  now_ms: number;
  /** The tables as they are now. A test writes to them. */
  state: State;
}

export const secret = 'a secret of sixteen characters';
export const callback_url = 'https://hooks.example.com/cards';

export function auditMac(text: string): string {
  return createHmac('sha256', 'audit').update(text).digest('hex');
}

/** Rows are as short as the auditor reads them. */
function put(table: { set(key: never, row: never): unknown }, key: number | string, row: unknown): void {
  table.set(key as never, row as never);
}

/** Changes a row of a table, whatever it is. */
export function change(table: unknown, key: number | string, changes: object): void {
  const of_any = table as { get(key: never): object; set(key: never, row: never): unknown };
  put(of_any, key, { ...of_any.get(key as never), ...changes });
}

export function insert(table: unknown, key: number | string, row: unknown): void {
  put(table as { set(key: never, row: never): unknown }, key, row);
}

export function remove(table: unknown, key: number | string): void {
  (table as { delete(key: never): boolean }).delete(key as never);
}

export const counters = {
  window_start_ms: Date.UTC(2026, 1, 1),
  held: 700,
  cleared: 300,
  uses: 2,
  next_hold_end_ms: Date.UTC(2026, 2, 29) + 1_000,
  code_failures: 0,
  code_failures_on: null,
};

export const card = {
  id: 1,
  company_id: 1,
  status: 'Approved',
  recurring: 'Monthly',
  currency: null,
  per_transaction_min: 0,
  per_transaction_max: 1_000,
  total_card_amount: 1_000,
  transactions_max: 2,
  authorization_hold_days: null,
  aging_velocity_time_zone: null,
  valid_starting_on: '2026-01-01',
  valid_ending_on: '2028-01-31',
  template_id: 1,
  last4: '4242',
  emails: ['ada@example.com'],
  notified: true,
  counters,
};

export const root = {
  id: 1,
  company_id: 1,
  card_id: 1,
  root_id: 1,
  message_type: '0100',
  trace_id: 'T1',
  system_trace_audit_number: '000001',
  transaction_date_time_ms: start_ms,
  decided_at_ms: start_ms,
  decline_code: null,
  approval_code: 'A1B2C3',
  billing_amount: 700,
  merchant_amount: 700,
  merchant_currency: 'USD',
  mcc: '5411',
  details: {},
  request_id: 'r1',
  reduced_at_ms: null,
  window_start_ms: counters.window_start_ms,
  status: 'open',
  authorized: 700,
  held: 700,
  cleared: 0,
  uses: 1,
  hold_end_ms: counters.next_hold_end_ms,
};

export const clearing = {
  id: 1,
  company_id: 1,
  card_id: 1,
  authorization_id: null,
  clearing_id: null,
  network_financial_transaction_id: 'N1',
  paired_transaction_id: null,
  cycle: 'first_presentment',
  clearing_type: 'DEBIT',
  billing_amount: 300,
  billing_currency: 'USD',
  merchant_amount: 300,
  merchant_currency: 'USD',
  recorded_at_ms: start_ms,
  reduced_at_ms: null,
  window_start_ms: counters.window_start_ms,
  cleared_effect: 300,
  hold_effect: 0,
  uses: 1,
};

const event = (id: number, event_type: string) => ({
  id,
  company_id: 1,
  event_type,
  payload: { id: 1 },
  previous: null,
  created_at_ms: start_ms,
  request_id: null,
});

export const message = {
  card_number: '5555550000000000',
  message_type_indicator: 'Authorization Request',
  trace_id: 'T1',
  system_trace_audit_number: '000001',
  transaction_date_time: new Date(start_ms).toISOString(),
  billing_amount: 700,
  billing_currency: 'USD',
  merchant_amount: 700,
  merchant_currency: 'USD',
  mcc: '5411',
};

export const answer = {
  id: 1,
  response_code: '00',
  vcn_response: 'Valid',
  issuer_response: 'Approved',
  approval_code: 'A1B2C3',
  fault: false,
};

export const delivery = {
  id: 1,
  company_id: 1,
  webhook_id: 1,
  event_id: 1,
  sequence: 1,
  event_type: 'virtualcard.created',
  state: 'pending',
  attempts: 0,
  round: 1,
  round_started_at_ms: null,
  round_attempts: 0,
  due_at_ms: start_ms,
  created_at_ms: start_ms,
  finished_at_ms: null,
};

export const item = {
  id: 5,
  company_id: 1,
  status: 'break',
  kind: 'unauthorized',
  class: 'force_post',
  authorization_ids: [],
  clearing_ids: [1],
  line_ids: [1],
  authorized: null,
  cleared: 300,
  stated: 300,
  fees: 0,
  difference: 0,
  currency: 'USD',
  due_date: '2026-02-27',
};

export const cell = {
  currency: 'USD',
  status: 'break',
  kind: 'unauthorized',
  class: 'force_post',
  due_date: '2026-02-27',
  count: 1,
  sum: 300,
};

const item_of_root = {
  ...item,
  id: 4,
  status: 'awaiting',
  kind: null,
  class: null,
  authorization_ids: [1],
  clearing_ids: [],
  line_ids: [],
  authorized: 700,
  cleared: null,
  stated: null,
  difference: -700,
};

const cell_of_root = {
  ...cell,
  status: 'awaiting',
  kind: null,
  class: null,
  due_date: null,
  sum: 700,
};

export const consent = {
  id: 1,
  consent_id: 'consent-1',
  kind: 'account_access',
  client_id: 'aisp',
  status: 'AwaitingAuthorisation',
  created_at_ms: start_ms,
  expiration_date_time: null,
  expires_at_ms: null,
  authorised_at_ms: null,
  withdrawn_at_ms: null,
  stopped_at_ms: null,
  tokens_revoked_at_ms: null,
  tokens_end_at_ms: null,
  deleted_at_ms: null,
};

export const token = {
  id: 1,
  model: 'RefreshToken',
  id_hash: 'h',
  consent_id: 'consent-1',
  expires_at_ms: start_ms + 90 * day_ms,
  ends_by: 'service',
};

/** A request as the receiver gets it, with a signature of this body. */
export function received(body: string, signed_body = body) {
  const timestamp = String(start_ms / 1_000);
  const signature = createHmac('sha256', secret)
    .update(`${timestamp}\nPOST\n${callback_url}\n${signed_body}`)
    .digest('hex');
  const headers = { 'webhook-id': 'd1', 'x-webhook-sequence': '1', 'x-timestamp': timestamp, 'x-signature': signature };
  return { at_ms: start_ms, callback_url, headers, body, status: 500 };
}

/** The body of the first delivery. */
export const body: string = JSON.stringify({
  data: {
    date: new Date(start_ms).toISOString(),
    'event-id': 1,
    payload: { id: 1 },
    previous: null,
    type: 'virtualcard.created',
  },
});

/** Before anything happens: a webhook for new cards. */
export function prepare(state: State): void {
  insert(state.webhooks, 1, { id: 1, company_id: 1, status: 'active', callback_url, event_type_ids: [2] });
}

/** A purchase, a clearing, a statement, a consent, and what else is new. */
export function begin(state: State, history: History): void {
  insert(state.companies, 1, { id: 1, status: 'active', hold_days: null });
  insert(state.cards, 1, card);
  insert(state.authorizations, 1, root);
  insert(state.clearings, 1, clearing);
  const types = ['virtualcard.created', 'virtualcard.realtime.auths', 'virtualcard.clearings'];
  for (const [at, event_type] of types.entries()) {
    insert(state.events, at + 1, event(at + 1, event_type));
    insert(state.outbox, at + 1, { id: at + 1, company_id: 1, event_type });
  }
  insert(state.mails, 1, { id: 1, card_id: 1, recipient: 'ada@example.com', state: 'pending', due_at_ms: start_ms });
  insert(state.accounts, 1, { id: 1, number: '1000000001' });
  insert(state.imports, 1, {
    id: 1,
    name: 'feb.bai',
    status: 'running',
    note: null,
    records: 4,
    applied: 0,
    duplicates: 0,
    quarantined: 0,
    lease: { token: 'p1', until_machine_ms: start_ms + minute_ms },
  });
  insert(state.statements, 1, {
    id: 1,
    account_id: 1,
    as_of: '2026-02-27',
    position: 0,
    opening_balance: 1_000,
    closing_balance: 700,
    import_id: 1,
  });
  insert(state.statement_lines, 1, {
    id: 1,
    account_id: 1,
    statement_id: 1,
    place: 1,
    amount: -300,
    booking_date: '2026-02-27',
    bai_code: '821',
  });
  insert(state.reconciliation_items, 5, item);
  insert(state.reconciliation_items, 4, item_of_root);
  insert(state.reconciliation_cells, 'a cell', { company_id: 1, cell });
  insert(state.reconciliation_cells, 'another cell', { company_id: 1, cell: cell_of_root });
  insert(state.consents, 1, consent);
  insert(state.templates, 9, { id: 9, status: 'PENDING', completes_at_ms: start_ms + 5_000 });
  insert(state.idempotency_records, '["k","1"]', {
    claimed_at_ms: start_ms,
    request_sha256: new Uint8Array([1]),
    answer_sealed: null,
  });
  writeAuditEntry(state, 1);
  history.calls.push(
    {
      operation: 'authorize',
      request_id: 'r1',
      company_id: null,
      input: message,
      sent_at_ms: start_ms,
      outcome: { kind: 'done', at_ms: start_ms, value: answer },
    },
    {
      operation: 'releaseHold',
      request_id: 'r2',
      company_id: 1,
      input: { card_id: 1, authorization_id: 1 },
      sent_at_ms: start_ms,
      outcome: { kind: 'done', at_ms: start_ms, value: null },
    },
  );
  history.webhook_secrets.push({ webhook_id: 1, secret, from_ms: start_ms, until_ms: null });
  history.bank_statements.push({
    account_number: '1000000001',
    as_of: '2026-02-27',
    opening_balance: 1_000,
    closing_balance: 700,
    lines: [{ bank_reference: null, booking_date: '2026-02-27', amount: -300, bai_code: '821' }],
  });
  history.files.push({ at_ms: start_ms, name: 'feb.bai', format: 'bai2', transaction_ids: [], is_truncated: false });
}

export function writeAuditEntry(state: State, id: number, request_id = 'r2'): void {
  const entry = {
    company_id: 1,
    actor: 'user:1',
    action: 'hold.released',
    object: 'authorization:1',
    request_id,
    source_address: null,
    details: {},
    at_ms: start_ms,
  };
  const { company_id, actor, action, object, source_address, details, at_ms } = entry;
  const content = [
    'entry',
    'writer',
    id,
    company_id,
    actor,
    action,
    object,
    request_id,
    source_address,
    JSON.stringify(details),
    at_ms,
  ];
  insert(state.audit, id, entry);
  insert(state.audit_hashes, id, { content_hash: auditMac(JSON.stringify(content)), number: null, link: null });
}

/** What happens afterwards: everything due is done. */
export function settle(state: State, history: History): void {
  insert(state.webhook_sequences, 1, 1);
  for (const id of [1, 2, 3]) remove(state.outbox, id);
  insert(state.deliveries, 1, delivery);
  change(state.mails, 1, { state: 'sent', due_at_ms: null, finished_at_ms: start_ms });
  history.mails.push({
    at_ms: start_ms,
    to: 'ada@example.com',
    subject: 'Your virtual card ending in 4242',
    text: '',
    html: '',
    is_confirmed: true,
  });
  change(state.imports, 1, { status: 'completed', applied: 1, lease: null });
  change(state.consents, 1, { status: 'Authorised', authorised_at_ms: start_ms });
  insert(state.authorisation_records, 1, token);
  change(state.templates, 9, { status: 'ACTIVE' });
  insert(state.events, 4, { ...event(4, 'virtualcard.purchasetemplate.created'), payload: { id: 9 } });
  insert(state.outbox, 4, { id: 4, company_id: 1, event_type: 'virtualcard.purchasetemplate.created' });
  change(state.idempotency_records, '["k","1"]', { answer_sealed: new Uint8Array([2]) });
  const { content_hash } = state.audit_hashes.get(1)!;
  const link = auditMac(JSON.stringify(['link', '', 1, content_hash]));
  change(state.audit_hashes, 1, { number: 1, link });
  change(state.audit_chain, 1, { number: 1, link });
  history.token_uses.push({
    at_ms: start_ms,
    consent_id: 'consent-1',
    grant: 'refresh',
    issued_at_ms: start_ms,
    is_accepted: true,
  });
}

/** The third step: the first attempt fails, and its receiver has seen it. */
export function attempt(state: State, history: History): void {
  remove(state.outbox, 4);
  const failed = {
    attempts: 1,
    round_attempts: 1,
    round_started_at_ms: start_ms,
    due_at_ms: start_ms + 10 * minute_ms,
  };
  change(state.deliveries, 1, failed);
  insert(state.delivery_attempts, 1, { delivery_id: 1, number: 1, at_ms: start_ms, status: 500 });
  history.deliveries.push(received(body));
}

export function newWorld(): SoundWorld {
  return {
    history: newHistory(),
    now_ms: start_ms,
    state: newState(),
    ids_follow_commits: true,
    kept_days: {
      deliveries: 30,
      delivery_attempts: 30,
      events: 30,
      mails: 30,
      audit_entries: 30,
      consents: 30,
      authorizations: 30,
      clearings: 30,
    },
    audit_mac: auditMac,
    nowMs() {
      return this.now_ms;
    },
    committed() {
      return this.state;
    },
  };
}

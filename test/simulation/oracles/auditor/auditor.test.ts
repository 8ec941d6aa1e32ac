import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { State } from '@tallystick/memory';
import { draftOf } from '../../databases/state-of-rows.ts';
import type { History } from '../../history.ts';
import { Auditor, type Finding } from './auditor.ts';
import { invariants } from './invariants.ts';
import * as sound from './sound-world.ts';

const { change, insert, remove, day_ms, start_ms } = sound;

type Write = (state: State, history: History) => void;

/** The stages of the sound world, each one step. */
const stages = { prepare: sound.prepare, begin: sound.begin, settle: sound.settle, attempt: sound.attempt };

type Stage = keyof typeof stages | 'afterwards';

/** Runs the world, with something planted in the step of a stage. */
function findingsOf(planted_at?: Stage, plant: Write = () => {}, later_ms = 0): readonly Finding[] {
  const world = sound.newWorld();
  const auditor = new Auditor(world);
  const findings: Finding[] = [];
  for (const stage of ['prepare', 'begin', 'settle', 'attempt', 'afterwards'] as const) {
    const draft = draftOf(world.state);
    if (stage !== 'afterwards') stages[stage](draft, world.history);
    if (stage === 'afterwards') world.now_ms += later_ms;
    if (stage === planted_at) plant(draft, world.history);
    world.state = draft;
    findings.push(...auditor.checkStep());
  }
  return [...findings, ...auditor.checkEnd()];
}

const books = {
  name: 'books',
  event_types: ['virtualcard.created'],
  company_id: null,
  created_at_ms: start_ms,
  lease_until_machine_ms: null,
  lease: null,
};

/** What is wrong, in the step of which stage, and which invariant must find it. */
const planted: readonly (readonly [invariant: string, what: string, at: Stage, plant: Write, later_ms?: number])[] = [
  [
    'counters are sums',
    'a hold voided twice',
    'begin',
    ({ cards }) => change(cards, 1, { counters: { ...sound.counters, held: 0 } }),
  ],
  [
    'counters are sums',
    'a past window with a use of nobody',
    'afterwards',
    ({ card_windows }) =>
      insert(card_windows, '[1,5]', { card_id: 1, window_start_ms: 5, held: 0, cleared: 0, uses: 1 }),
  ],
  [
    'holds are of open authorizations',
    'an expired hold that holds',
    'afterwards',
    ({ authorizations }) => change(authorizations, 1, { status: 'expired' }),
  ],
  [
    'money is conserved',
    'a clearing counted twice',
    'afterwards',
    ({ clearings }) => change(clearings, 1, { cleared_effect: 600 }),
  ],
  [
    'money is conserved',
    'a cleared amount without a clearing',
    'afterwards',
    ({ authorizations }) => change(authorizations, 1, { cleared: 1 }),
  ],
  [
    'limits hold online',
    'a purchase above the maximum',
    'begin',
    ({ cards }) => change(cards, 1, { per_transaction_max: 699 }),
  ],
  [
    'limits hold online',
    'a purchase of a currency that the card does not allow',
    'begin',
    ({ cards }) => change(cards, 1, { currency: 'EUR' }),
  ],
  [
    'limits hold online',
    'a purchase before the card is valid',
    'begin',
    ({ cards }) => change(cards, 1, { valid_starting_on: '2026-02-28' }),
  ],
  [
    'limits hold online',
    'a purchase of a code that the template denies',
    'begin',
    ({ templates }) => change(templates, 1, { mcc_list: ['5411'] }),
  ],
  ['limits hold online', 'more than is available', 'afterwards', (state, { calls }) => approve(state, calls, 400, 1)],
  ['limits hold online', 'one use too many', 'afterwards', (state, { calls }) => approve(state, calls, 1, 1, 2_000)],
  [
    'one effect per message',
    'a message recorded twice',
    'afterwards',
    ({ authorizations }) => insert(authorizations, 2, { ...sound.root, id: 2, root_id: 2 }),
  ],
  [
    'one effect per message',
    'a message that nobody sent',
    'afterwards',
    ({ authorizations }) => insert(authorizations, 2, { ...sound.root, id: 2, trace_id: 'T9' }),
  ],
  [
    'one effect per message',
    'a clearing recorded twice',
    'afterwards',
    ({ clearings }) => insert(clearings, 2, { ...sound.clearing, id: 2 }),
  ],
  [
    'answers are stored',
    'an answer before it was durable',
    'afterwards',
    (_state, { calls }) => answered(calls, { ...sound.answer, id: 7 }),
  ],
  [
    'answers are stored',
    'another answer to a repeated message',
    'afterwards',
    (_state, { calls }) => answered(calls, { ...sound.answer, vcn_response: 'CVC2 mismatch' }),
  ],
  [
    'windows tile time',
    'a window that begins a second late',
    'begin',
    ({ authorizations }) => change(authorizations, 1, { window_start_ms: sound.counters.window_start_ms + 1_000 }),
  ],
  [
    'holds end on their day',
    'a hold that ends a second late',
    'begin',
    ({ authorizations }) => change(authorizations, 1, { hold_end_ms: sound.root.hold_end_ms + 1_000 }),
  ],
  [
    'ended holds hold nothing',
    'a card that forgets its next end',
    'afterwards',
    ({ cards }) => change(cards, 1, { counters: { ...sound.counters, next_hold_end_ms: null } }),
  ],
  ['ended holds hold nothing', 'a hold that nobody sweeps', 'afterwards', () => {}, 31 * day_ms],
  [
    'every change has its event',
    'a decision without its event',
    'begin',
    ({ events, outbox }) => [remove(events, 2), remove(outbox, 2)],
  ],
  [
    'every change has its event',
    'an event of nothing',
    'afterwards',
    ({ events }) => insert(events, 5, { id: 5, company_id: 1, event_type: 'virtualcard.deleted', payload: { id: 1 } }),
  ],
  [
    'events are in order',
    'an event numbered before the last',
    'settle',
    ({ events }) => insert(events, 0, { id: 0, company_id: 1, event_type: 'ach.status', payload: { id: 1 } }),
  ],
  [
    'every event is delivered',
    'an event that left the outbox without a delivery',
    'settle',
    ({ deliveries }) => remove(deliveries, 1),
  ],
  [
    'every event is delivered',
    'a delivery to an inactive webhook',
    'prepare',
    ({ webhooks }) => change(webhooks, 1, { status: 'inactive' }),
  ],
  [
    'every event is delivered',
    'an event that nobody relays',
    'attempt',
    ({ outbox }) => insert(outbox, 4, { id: 4, company_id: 1, event_type: 'virtualcard.purchasetemplate.created' }),
  ],
  [
    'sequences have no gap',
    'a sequence with a gap',
    'settle',
    ({ deliveries }) => change(deliveries, 1, { sequence: 2 }),
  ],
  [
    'retries follow the schedule',
    'a retry at the wrong minute',
    'attempt',
    ({ deliveries }) => change(deliveries, 1, { due_at_ms: start_ms + 11 * 60_000 }),
  ],
  [
    'retries follow the schedule',
    'a failure taken for a success',
    'attempt',
    ({ deliveries }) => change(deliveries, 1, { state: 'succeeded', due_at_ms: null }),
  ],
  [
    'receivers get what was committed',
    'a signature of another body',
    'attempt',
    (_state, { deliveries }) => deliveries.push(sound.received(sound.body, '{}')),
  ],
  [
    'receivers get what was committed',
    'a body that is not the event',
    'attempt',
    (_state, { deliveries }) => deliveries.push(sound.received('{"data":{}}')),
  ],
  [
    'receivers get what was committed',
    'a delivery that was not committed',
    'begin',
    (_state, { deliveries }) => deliveries.push(sound.received(sound.body)),
  ],
  [
    'attempts were made',
    'an attempt that nobody saw',
    'attempt',
    ({ delivery_attempts }) => change(delivery_attempts, 1, { status: 503 }),
  ],
  [
    'subscriptions have one effect',
    'an event that is never handled',
    'afterwards',
    ({ subscriptions }) => insert(subscriptions, 'books', { ...books, after_id: 0 }),
  ],
  [
    'subscriptions have one effect',
    'a position past an event without an effect',
    'afterwards',
    ({ subscriptions }) => insert(subscriptions, 'books', { ...books, after_id: 99 }),
  ],
  [
    'subscriptions have one effect',
    'an event that is handled twice',
    'afterwards',
    ({ events }) => {
      const payload = { subscription: 'books', event_id: 1 };
      insert(events, 90, { ...events.get(1)!, id: 90, event_type: 'ach.status.advice', payload });
    },
  ],
  [
    'mails are sent once',
    'a mail sent after it was recorded',
    'afterwards',
    (_state, { mails }) => mails.push({ ...mails[0]! }),
  ],
  [
    'mails are sent once',
    'a mail with a number',
    'settle',
    (_state, { mails }) => mails.push({ ...mails[0]!, text: '5555 5500 0000 0000' }),
  ],
  ['mails are sent once', 'an address without a mail', 'begin', ({ mails }) => remove(mails, 1)],
  [
    'templates become active once',
    'a template that goes back',
    'afterwards',
    ({ templates }) => change(templates, 9, { status: 'PENDING' }),
  ],
  [
    'statements tie out',
    'a line counted twice',
    'begin',
    ({ statement_lines }) => insert(statement_lines, 2, { ...statement_lines.get(1)!, id: 2, place: 2 }),
  ],
  [
    'statements tie out',
    'a statement that opens elsewhere',
    'afterwards',
    ({ statements }) =>
      insert(statements, 2, { ...statements.get(1)!, id: 2, position: 1, opening_balance: 5, closing_balance: 5 }),
  ],
  [
    'each line is booked once',
    'two lines in one place',
    'afterwards',
    ({ statement_lines }) => insert(statement_lines, 2, { ...statement_lines.get(1)!, id: 2 }),
  ],
  [
    'truncated files apply nothing',
    'a cut file that is applied',
    'settle',
    (_state, { files }) => files.push({ ...files[0]!, is_truncated: true }),
  ],
  [
    'files are applied whole',
    'a clearing of a file that is nowhere',
    'settle',
    (_state, { files }) => files.push({ ...files[0]!, transaction_ids: ['N2'] }),
  ],
  [
    'files are applied whole',
    'a clearing recorded twice, by two ids',
    'afterwards',
    ({ clearings }) => {
      change(clearings, 1, { acquirer_reference_data: '2'.repeat(23) });
      insert(clearings, 2, { ...clearings.get(1)!, id: 2, network_financial_transaction_id: 'N2' });
    },
  ],
  [
    'each record is in one item',
    'a record in two items',
    'afterwards',
    ({ reconciliation_items }) => insert(reconciliation_items, 6, { ...sound.item, id: 6, line_ids: [] }),
  ],
  [
    'each record is in one item',
    'a clearing in no item',
    'begin',
    ({ reconciliation_items, reconciliation_cells }) => [
      remove(reconciliation_items, 5),
      remove(reconciliation_cells, 'a cell'),
    ],
  ],
  [
    'the bridge closes',
    'an amount that is not that of the records',
    'begin',
    ({ reconciliation_items }) => change(reconciliation_items, 5, { stated: 301 }),
  ],
  [
    'summaries count items',
    'two errors of a cell that net to zero in the whole',
    'begin',
    ({ reconciliation_cells }) =>
      change(reconciliation_cells, 'a cell', { cell: { ...sound.cell, status: 'matched' } }),
  ],
  [
    'consents move forward',
    'a rejected consent that is authorised',
    'begin',
    ({ consents }) => change(consents, 1, { status: 'Rejected' }),
  ],
  [
    'no token outlives its consent',
    'a token of a withdrawn consent',
    'afterwards',
    ({ consents }) => change(consents, 1, { withdrawn_at_ms: start_ms }),
  ],
  [
    'no token outlives its consent',
    'a token accepted after the end',
    'afterwards',
    (_state, { token_uses }) => token_uses.push({ ...token_uses[0]!, at_ms: start_ms + 91 * day_ms }),
  ],
  [
    'reads are permitted',
    'a read of an account that the user may not view',
    'afterwards',
    (_state, { token_uses }) =>
      token_uses.push({ ...token_uses[0]!, read: { resource: 'accounts', account_number: 'of another' } }),
  ],
  [
    'a lease excludes others',
    'an import taken over while its holder writes',
    'settle',
    ({ imports }) => change(imports, 1, { lease: { token: 'p2', until_machine_ms: start_ms + 1 } }),
  ],
  [
    'a key keeps its answer',
    'a forgotten answer',
    'afterwards',
    ({ idempotency_records }) => remove(idempotency_records, '["k","1"]'),
  ],
  ['the audit chain verifies', 'a changed entry', 'afterwards', ({ audit }) => change(audit, 1, { actor: 'user:2' })],
  [
    'the audit chain verifies',
    'a removed entry',
    'afterwards',
    ({ audit, audit_hashes }) => [remove(audit, 1), remove(audit_hashes, 1)],
  ],
  [
    'the audit chain verifies',
    'an entry that is never sealed',
    'afterwards',
    (state) => sound.writeAuditEntry(state, 2),
  ],
  ['acts are audited', 'an act without its entry', 'begin', (state) => sound.writeAuditEntry(state, 1, 'another')],
  ['only old rows are removed', 'an event removed while it is young', 'afterwards', ({ events }) => remove(events, 1)],
  [
    'only old rows are removed',
    'a hold that is reduced',
    'afterwards',
    ({ authorizations }) => change(authorizations, 1, { reduced_at_ms: start_ms }),
  ],
];

/** A second purchase that the card cannot afford, with what a service would write. */
function approve(
  { authorizations, cards, events }: State,
  calls: History['calls'],
  amount: number,
  uses: number,
  total = 1_000,
): void {
  const trace_id = 'T2';
  const message = { ...sound.message, trace_id };
  calls.push({
    operation: 'authorize',
    request_id: 'r3',
    company_id: null,
    input: message,
    sent_at_ms: start_ms,
    outcome: null,
  });
  insert(authorizations, 2, {
    ...sound.root,
    id: 2,
    root_id: 2,
    trace_id,
    billing_amount: amount,
    merchant_amount: amount,
    authorized: amount,
    held: amount,
  });
  const counters = { ...sound.counters, held: sound.counters.held + amount, uses: sound.counters.uses + uses };
  change(cards, 1, { counters, total_card_amount: total });
  insert(events, 5, { id: 5, company_id: 1, event_type: 'virtualcard.realtime.auths', payload: { id: 2 } });
}

function answered(calls: History['calls'], value: typeof sound.answer): void {
  const outcome = { kind: 'done', at_ms: start_ms, value } as const;
  calls.push({
    operation: 'authorize',
    request_id: 'r4',
    company_id: null,
    input: sound.message,
    sent_at_ms: start_ms,
    outcome,
  });
}

describe('the auditor', () => {
  test('finds nothing in a sound world', () => {
    assert.deepEqual(findingsOf(), []);
  });

  for (const [invariant, what, at, plant, later_ms] of planted) {
    test(`${invariant}: finds ${what}`, () => {
      const names = findingsOf(at, plant, later_ms).map((finding) => finding.invariant);
      assert.ok(names.includes(invariant), `found only: ${names.join(', ') || 'nothing'}`);
    });
  }

  test('has a planted fault for every invariant', () => {
    const found = new Set(planted.map(([invariant]) => invariant));
    assert.deepEqual(
      invariants.map(({ name }) => name).filter((name) => !found.has(name)),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { clearing_formats } from '@tallystick/clearing-files';
import { createSampleSet } from '@tallystick/samples';
import { statement_formats } from '@tallystick/statement-files';
import { sandbox_keys } from '@tallystick/test-support';
import type { Service } from '../http/service.ts';
import { deposit } from '../open-banking/bank.ts';
import type { Found, TurnMeter } from './turns.ts';

/** How many records a file has, and how many items wait: those of several transactions. */
const records = 1_000;

/** How many clearings a file has. */
const clearings_count = 500;

/** Few cards, so that a clearing has more neighbours than are read. */
const cards_count = 4;

/**
 * Sends files of every kind, and asks for what brings items up to date. A round differs from the ones
 * before, so that nothing is known already.
 */
export async function* bulkWork(service: Service, meter: TurnMeter, round: number): AsyncGenerator<Found> {
  const send = async (
    role: keyof typeof sandbox_keys,
    method: string,
    path: string,
    status: number,
    type?: string,
    body?: string | Uint8Array,
  ) => {
    const headers: Record<string, string> = { Authorization: `Bearer ${sandbox_keys[role]}` };
    if (type !== undefined) headers['Content-Type'] = type;
    const sent = await meter.send({ url: service.url + path, method, headers, body });
    assert.equal(sent.status, status, `${method} ${path}: ${sent.text}`);
    return sent;
  };
  const done = (what: string, { turn_ms }: { readonly turn_ms: number }): Found => ({ what, turn_ms });

  for (const [what, text] of recordFiles(round)) {
    yield done(
      `POST /bank/v1/records: ${what}`,
      await send('bank', 'POST', '/bank/v1/records', 200, 'application/x-ndjson', text),
    );
  }
  yield done(
    'GET /v1/reconciliation/summary: items wait',
    await send('client', 'GET', '/v1/reconciliation/summary', 200),
  );
  await upToDate(service);
  yield done(
    'GET /v1/reconciliation/items',
    await send('client', 'GET', '/v1/reconciliation/items?page[limit]=100', 200),
  );
  yield done('GET /v1/reconciliation/items.csv', await send('client', 'GET', '/v1/reconciliation/items.csv', 200));
  const table = await openBreaks(service);
  const decisions = '/v1/reconciliation/decisions';
  yield done(
    'a table of decisions, dry',
    await send('client', 'POST', `${decisions}?dry_run=true`, 200, 'text/csv', table),
  );
  yield done('a table of decisions', await send('client', 'POST', decisions, 200, 'text/csv', table));
  yield done('a table of wrong decisions', await send('client', 'POST', decisions, 400, 'text/csv', wrongTable()));
  const closing = JSON.stringify({ data: { closed_through: `2030-03-${10 + round}` } });
  yield done(
    'POST /v1/reconciliation/periods',
    await send('client', 'POST', '/v1/reconciliation/periods', 200, 'application/json', closing),
  );
  const { id } = (await service.send('GET', '/v1/reconciliation/periods')).json.data[0];
  yield done(
    'DELETE /v1/reconciliation/periods/{id}',
    await send('client', 'DELETE', `/v1/reconciliation/periods/${id}`, 204),
  );
  for await (const [what, bytes] of importFiles(service, round)) {
    yield done(
      what,
      await send('operator', 'POST', `/operator/v1/imports?name=${round}`, 200, 'application/octet-stream', bytes),
    );
  }
  await upToDate(service);
  yield done(
    'POST /bank/v1/records: lines that no reference leads to a clearing',
    await send('bank', 'POST', '/bank/v1/records', 200, 'application/x-ndjson', leftoverLines(round)),
  );
  yield done(
    'GET /v1/reconciliation/summary: items are left over',
    await send('client', 'GET', '/v1/reconciliation/summary', 200),
  );
}

async function upToDate({ send }: Service): Promise<void> {
  for (let count = -1; ; ) {
    const { json } = await send('GET', '/v1/reconciliation/summary');
    const now = JSON.stringify(json.data);
    if (now.length === count) return;
    count = now.length;
  }
}

function lines(recordAt: (index: number) => unknown, count = records): string {
  return Array.from({ length: count }, (_, index) => `${JSON.stringify(recordAt(index))}\n`).join('');
}

/** Reports of every kind of record, and of lines that are none. */
function recordFiles(round: number): readonly (readonly [what: string, text: string])[] {
  const creditor = { creditor_scheme_name: 'UK.OBIE.IBAN', creditor_identification: 'GB29NWBK60161331926819' };
  const account = deposit;
  return [
    ['empty objects', '{}\n'.repeat(350_000)],
    ['long lines', lines(() => Array.from({ length: 9_000 }, () => 'xx'), 20)],
    [
      'lines with many names',
      lines(() => Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`name_${at}`, 0])), 20),
    ],
    ['lines that are too long', `${'x'.repeat(100_000)}\n`.repeat(10)],
    ['long texts', lines((at) => ({ kind: 'balance', account, booked: at, currency: '4111 1111 '.repeat(6_000) }), 20)],
    [
      'transactions',
      lines((at) => ({
        kind: 'transaction',
        account,
        bank_reference: `T-${round}-${at}`,
        booking_date: `2030-03-${10 + round}`,
        amount: -1_250 - at,
        bai_code: '821',
        text: `PAPER SHOP 4111 1111 ${at}`,
        acquirer_reference: `5${String(round * 1_000_000 + at).padStart(16, '0')}`,
      })),
    ],
    [
      'direct debits',
      lines((at) => ({ kind: 'direct_debit', account, mandate_reference: `M${at}`, status: 'active', name: 'Water' })),
    ],
    [
      'standing orders',
      lines((at) => ({
        kind: 'standing_order',
        account,
        reference: `S${at}`,
        status: 'active',
        frequency: 'EvryDay',
        ...creditor,
      })),
    ],
    [
      'users',
      lines((at) => ({
        kind: 'user',
        user_id: `user-${at}`,
        company_id: 1,
        name: 'Alex',
        status: 'active',
        viewable_accounts: [account],
      })),
    ],
    ['profiles', lines((at) => ({ kind: 'profile', account, nickname: `Name ${at}` }))],
    ['balances', lines((at) => ({ kind: 'balance', account, booked: at }))],
  ];
}

/** Card lines on the days of the clearings. Each may be one of a set with any of them. */
function leftoverLines(round: number): string {
  const recordAt = (at: number) => ({
    kind: 'transaction',
    account: deposit,
    bank_reference: `L-${round}-${at}`,
    booking_date: '2030-02-02',
    amount: -1_250 - at,
    bai_code: '821',
    text: `PAPER SHOP ${at}`,
  });
  return lines(recordAt, 200);
}

/** The table of all breaks, each to be ignored. */
async function openBreaks({ send }: Service): Promise<string> {
  const { text } = await send('GET', '/v1/reconciliation/items.csv?filter[status]=break');
  const [head = '', ...rows] = text.trimEnd().split('\n');
  return [head, ...rows.map((row) => row.trimEnd().replace(/,,$/, ',ignore,seen'))].join('\n');
}

function wrongTable(): string {
  return `id,version,decision,note\n${'x,y,z,\n'.repeat(20_000)}`;
}

/** Files of clearings on cards that exist, and of statements, in each format. */
async function* importFiles(
  service: Service,
  round: number,
): AsyncGenerator<readonly [what: string, bytes: Uint8Array]> {
  const cards = await cardsOf(service);
  const cardOf = (card: number) => cards[card]!;
  for (const [at, { name: format, write }] of clearing_formats.entries()) {
    if (write === undefined) continue;
    const set = createSampleSet({
      cards: cards_count,
      records: clearings_count,
      seed: round * 10 + at,
      format,
      day: '2030-02-01',
    });
    const clearings = Iterator.from(set.records(cardOf)).map(({ written }) => written);
    const sequence = round * 10 + at + 1;
    const file = write({ sequence, created_on: '2030-03-15', mode: 'production', clearings });
    yield [`an import of ${format}`, Buffer.concat([...file])];
  }
  for (const [at, { name: format, writeStatements }] of statement_formats.entries()) {
    if (writeStatements === undefined) continue;
    const day = '2030-01-15';
    const set = createSampleSet({
      cards: cards_count,
      records: clearings_count,
      seed: 1_000 + round * 10 + at,
      format: 'cdf3',
      day,
      statements: true,
    });
    const statements = [...set.statements(`9${String(round * 10 + at).padStart(9, '0')}`)];
    yield [
      `an import of ${format}`,
      Buffer.concat([...writeStatements({ sequence: 1, created_on: '2030-03-15', statements })]),
    ];
  }
}

const issued = new WeakMap<Service, readonly { readonly vcn_id: number; readonly card_number: string }[]>();

async function cardsOf(service: Service) {
  const known = issued.get(service);
  if (known !== undefined) return known;
  const cards: { vcn_id: number; card_number: string }[] = [];
  while (cards.length < cards_count) {
    const body = { data: { total_card_amount: 1_000_000 }, show_card_number: true };
    const { id, card_number } = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
    cards.push({ vcn_id: Number(id), card_number });
  }
  issued.set(service, cards);
  return cards;
}

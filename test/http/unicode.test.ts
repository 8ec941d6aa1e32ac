import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { database_names, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { type Reply, type Service, startService } from './service.ts';

type Fields = Readonly<Record<string, unknown>>;

const printable = fc.constantFrom(
  'a',
  'Z',
  '7',
  ' ',
  'é',
  'e\u0301',
  '鍵',
  '\u{1F4B3}',
  '\u{10FFFF}',
  '\uFFFD',
  '\uE000',
);
const control = fc.constantFrom(
  '\u0001',
  '\n',
  '\t',
  '\u001f',
  '\u007f',
  '\u0085',
  '\u200d',
  '\u202e',
  '\ufeff',
  '\u2028',
);
/** Any character that a request may have. */
const character = fc.oneof(
  printable,
  control,
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => one !== '\0'),
);
/** Long runs of digits are left out, because a card number in a text is masked. */
const text = fc
  .array(character, { minLength: 1, maxLength: 40 })
  .map((characters) => characters.join(''))
  .filter((one) => (one.match(/\d/g) ?? []).length < 12);
/** Thirteen characters, often with a character outside the BMP where a part begins or ends. */
const reference = fc.oneof(
  text,
  fc
    .array(
      printable.filter((one) => one !== 'e\u0301'),
      { minLength: 12, maxLength: 14 },
    )
    .map((all) => all.join('')),
);

const optional_texts = ['acquirer_ica', 'mcc_description', 'merchant_id', 'merchant_name'] as const;
const clearing_texts = [...optional_texts, 'acquirer_reference_data', 'exchange_rate'] as const;
const authorization_texts = [
  ...optional_texts,
  'advice_reason_code',
  'financial_network_code',
  'merchant_city',
  'merchant_state_or_country_code',
  'pos_transaction_status',
  'purchase_request_company_guid',
  'purchase_request_issuer_guid',
  'transaction_type',
] as const;

function textsOf(names: readonly string[]): fc.Arbitrary<Fields> {
  return fc.record(Object.fromEntries(names.map((name) => [name, text])), { requiredKeys: [] });
}

/** A text that no database stores, somewhere in it. */
const unstorable = fc
  .tuple(
    fc.string({ maxLength: 5 }),
    fc.constantFrom('\0', '\ud83d', '\udc00', '\udc00\ud83d'),
    fc.string({ maxLength: 5 }),
  )
  .map((parts) => parts.join(''));

for (const database of database_names) {
  describe(`text in requests, over ${database}`, () => {
    let service: Service;
    let card: { readonly id: string; readonly card_number: string };
    let serial = 0;
    const cleanups: (() => unknown)[] = [];

    before(async () => {
      service = await startService({ after: (cleanup: () => unknown) => cleanups.push(cleanup) }, database);
      const body = { data: { total_card_amount: 1_000_000_000 }, show_card_number: true };
      card = (await ok(service.send('POST', '/v1/virtualcards', { body }))).data;
    });

    after(async () => {
      for (const cleanup of cleanups.toReversed()) await cleanup();
    });

    const clear = (fields: Fields): Promise<Reply> => {
      serial += 1;
      const data = {
        vcn_id: card.id,
        network_financial_transaction_id: `N${serial}`,
        billing_amount: 1,
        billing_currency: 'USD',
        clearing_type: 'DEBIT',
        settlement_date: '2030-03-16',
        ...fields,
      };
      return service.send('POST', '/network/v1/clearings', { key: 'network', body: { data } });
    };
    const authorize = (fields: Fields): Promise<Reply> => {
      serial += 1;
      const data = {
        card_number: card.card_number,
        message_type_indicator: '0100',
        trace_id: `T${serial}`,
        system_trace_audit_number: '1',
        transaction_date_time: '2030-03-15T10:00:00Z',
        billing_amount: 1,
        billing_currency: 'USD',
        merchant_amount: 1,
        merchant_currency: 'USD',
        mcc: '5734',
        ...fields,
      };
      return service.send('POST', '/network/v1/authorizations', { key: 'network', body: { data } });
    };
    const first = async (path: string): Promise<Fields> => {
      return (await ok(service.send('GET', `${path}?page[limit]=1`))).data[0];
    };

    it('a message of the network is stored and shown character by character, also in its event', async () => {
      const sent = fc.tuple(textsOf(clearing_texts), textsOf(authorization_texts), reference, text, text);
      await fc.assert(
        fc.asyncProperty(sent, async ([cleared, authorized, net_reference_number, trace_id, audit_number]) => {
          serial += 1;
          const of_authorization = {
            ...authorized,
            net_reference_number,
            trace_id: `${trace_id}${serial}`,
            system_trace_audit_number: audit_number,
          };
          const of_clearing = {
            ...cleared,
            net_reference_number,
            network_financial_transaction_id: `${trace_id}${serial}`,
          };
          for (const [send, fields, path] of [
            [authorize, of_authorization, 'authorizations'],
            [clear, of_clearing, 'clearings'],
          ] as const) {
            const reply = await send(fields);
            assert.equal(reply.status, 200, reply.text);
            assertShows(reply.json.data, fields);
            assertShows(await first(`/v1/virtualcards/${card.id}/${path}`), fields);
            assertShows((await first('/v1/events')).payload as Fields, fields);
          }
        }),
        propertyParameters({ short: 25, full: 75 }),
      );
    });

    it('a card has its metadata and network data character by character, and its metadata finds it', async () => {
      const objects = fc.dictionary(text, text, { noNullPrototype: true });
      await fc.assert(
        fc.asyncProperty(objects, objects, async (metadata, network_data) => {
          serial += 1;
          const data = { total_card_amount: 5, metadata: { ...metadata, serial }, network_data };
          const { id } = (await ok(service.send('POST', '/v1/virtualcards', { body: { data } }))).data;
          const read = (await ok(service.send('GET', `/v1/virtualcards/${id}`))).data;
          assert.deepEqual(read.metadata, data.metadata);
          assert.deepEqual(read.network_data, network_data);
          // A list takes at most ten filters.
          const filters = [['serial', String(serial)] as const, ...Object.entries(metadata).slice(0, 9)].map(
            ([key, value]) => `filter[${encodeURIComponent(`metadata.${key}`)}]=${encodeURIComponent(value)}`,
          );
          const found = (await ok(service.send('GET', `/v1/virtualcards?${filters.join('&')}`))).data;
          assert.deepEqual(
            found.map((one: { id: string }) => one.id),
            [id],
          );
        }),
        propertyParameters({ short: 15, full: 45 }),
      );
    });

    it('a text that no database stores is refused by its path, wherever it is, and changes nothing', async () => {
      const places: readonly (readonly [string, (bad: string) => Promise<Reply>])[] = [
        ...clearing_texts.map((name) => [`data.${name}`, (bad: string) => clear({ [name]: bad })] as const),
        ...authorization_texts.map((name) => [`data.${name}`, (bad: string) => authorize({ [name]: bad })] as const),
        ['data.net_reference_number', (bad) => clear({ net_reference_number: bad })],
        ['data.trace_id', (bad) => authorize({ trace_id: bad })],
        ['data.unknown[0].deep', (bad) => authorize({ unknown: [{ deep: bad }] })],
        ['data', (bad) => clear({ [bad]: 1 })],
        ['data.metadata', (bad) => issue({ metadata: { [bad]: 1 } })],
        ['data.metadata.a[1]', (bad) => issue({ metadata: { a: [1, bad] } })],
        ['data.network_data.a', (bad) => issue({ network_data: { a: bad } })],
        ['data.emails[0]', (bad) => issue({ emails: [bad] })],
      ];
      const issue = (fields: Fields): Promise<Reply> =>
        service.send('POST', '/v1/virtualcards', { body: { data: { total_card_amount: 1, ...fields } } });
      const newest_before = await first('/v1/events');
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...places), unstorable, async ([path, send], bad) => {
          const reply = await send(bad);
          assert.equal(reply.status, 400, reply.text);
          assert.deepEqual(
            reply.json.fields.map((field: { path: string }) => field.path),
            [path],
          );
        }),
        propertyParameters({ short: 60, full: 180 }),
      );
      assert.deepEqual(await first('/v1/events'), newest_before);
    });

    it('a network reference of thirteen characters matches, and one of another length matches by no reference rule', async () => {
      const cases: readonly (readonly [string, string, number])[] = [
        ['ab\u{1F600}defghi0315', 'ab\u{1F600}defghi0315', 3],
        ['MCCab\u{1F600}def0315', 'MCCab\u{1F600}def0315', 3],
        ['MCCabcde\u{1F600}0315', 'XYZabcde\u{1F600}0315', 4],
        ['ab\u{1F600}', 'ab\u{1F600}', 8],
        ['MCCabcdef\u{1F600}', 'MCCabcdef\u{1F600}', 8],
        ['MCCabcdef03155', 'MCCabcdef03155', 8],
        ['MCCabcde\u{1F600}031', 'MCCabcde\u{1F600}031', 8],
      ];
      for (const [authorized, cleared, rule] of cases) {
        // An amount of its own, and no merchant: rules 5 and 6 find nothing.
        const amount = 1_000 + serial;
        const amounts = { billing_amount: amount, merchant_amount: amount };
        const reply = await authorize({ net_reference_number: authorized, ...amounts });
        assert.equal(reply.json.data.status, 'open', reply.text);
        const { approval_code, id } = reply.json.data;
        const { json, status } = await clear({ net_reference_number: cleared, approval_code, billing_amount: amount });
        assert.equal(status, 200);
        assert.deepEqual([json.data.match_rule, json.data.authorization_id], [rule, rule === 8 ? null : id], cleared);
      }
    });
  });
}

function assertShows(shown: Fields, sent: Fields): void {
  for (const [name, value] of Object.entries(sent)) assert.equal(shown[name], value, name);
}

async function ok(reply: Promise<Reply>) {
  const { status, text: answer, json } = await reply;
  assert.equal(status, 200, answer);
  return json;
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  type Reply,
  readRows,
  send,
  startServer,
  tlsReceiver,
} from '@tallystick/test-support';
import { issue, purchase } from '../end-to-end/purchases.ts';
import { type Place, rowsAsPlaces } from '../end-to-end/traces.ts';
import { Company, moveClock } from './company.ts';

describe('a card number in an event of another system', () => {
  for (const name of database_names) {
    it(`is unmasked in no event, no delivery and nowhere in the event log: ${name}`, async (t) => {
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const server = await startServer({ database_url: database.database_url });
      t.after(() => server.stop());
      const receiver = await tlsReceiver();
      t.after(() => receiver.close());
      const company = await Company.found(server.url, 'masked');
      await company.registers(`${receiver.origin}/hooks`);

      const state = {
        id: 1,
        card_number: '4111111111111111',
        notes: [{ text: 'for 4111-1111-1111-1111', number: 4111111111111111 }],
      };
      const masked = '************1111';
      const shown = { id: 1, card_number: masked, notes: [{ text: `for ${masked}`, number: masked }] };
      const id = await company.hears(state, 'ach.status', state);
      await moveClock(server.url);

      const event = await company.ask('GET', `/v1/events/${id}`);
      assert.deepEqual([event.payload, event.previous], [shown, shown]);
      const found = await company.ask('GET', `/v1/events?filter[payload.card_number]=${masked}`);
      assert.deepEqual(found, [event]);
      const [delivered] = receiver.received.map(({ body }) => JSON.parse(body).data);
      assert.deepEqual([delivered.payload, delivered.previous], [shown, shown]);
      const rows = await readRows(database, 'select * from tallystick_events');
      assert.equal(rows.length, 1);
      assert.doesNotMatch(JSON.stringify(rows), /4111-?1111/);
      assert.doesNotMatch(server.output(), /4111-?1111/);
    });
  }
});

/**
 * The digits of other scripts as ASCII, without everything that is neither a letter nor a digit.
 */
function withoutSeparators(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const between = (gap: string) => (number: string) => [...number].join(gap);
const inFours = (gap: string) => (number: string) => number.match(/\p{Nd}{4}/gu)!.join(gap);

/** The notations of a number in free text. */
const notations: Readonly<Record<string, (number: string) => string>> = {
  'one run': (number) => number,
  spaces: inFours(' '),
  dots: inFours('.'),
  slashes: inFours('/'),
  underscores: inFours('_'),
  colons: inFours(':'),
  'no-break spaces': inFours('\u00a0'),
  'thin spaces and dashes': inFours('\u2009\u2014\u2009'),
  'zero-width characters': between('\u200b\u2060'),
  'single digits': between(' - '),
  'full-width digits': (number) => number.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  'Arabic digits': (number) =>
    inFours('.')(number.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))),
};

describe('the number of a card in texts, in any notation', () => {
  for (const name of database_names) {
    it(`is readable in no row, event, webhook, answer and log line, and costs no match: ${name}`, async (t) => {
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const server = await startServer({ database_url: database.database_url, env: { LOG_LEVEL: 'trace' } });
      t.after(() => server.stop());
      const receiver = await tlsReceiver();
      t.after(() => receiver.close());
      const { url } = server;
      await send(url, 'POST', '/v1/webhooks', {
        body: { data: { callback_url: `${receiver.origin}/hooks`, event_type_ids: [1] } },
      });
      const { id, card_number, expiry } = await issue(url, { total_card_amount: 1_000_000 });
      const answers: Place[] = [];
      const ask = async (status: number, key: string, method: string, path: string, data: object): Promise<Reply> => {
        const reply = await send(url, method, path, { key, body: { data } });
        assert.equal(reply.status, status, `${path} ${JSON.stringify(data)}: ${reply.text}`);
        answers.push({ name: `answer of ${path}`, bytes: Buffer.from(reply.text) });
        return reply;
      };
      const clearing = {
        billing_amount: 10,
        billing_currency: 'USD',
        clearing_type: 'DEBIT',
        settlement_date: '2030-03-16',
      };

      for (const [at, [notation, write]] of Object.entries(notations).entries()) {
        const text = `Ink ${write(card_number)} x`;
        const auth = (change: object) =>
          ask(200, 'network', 'POST', '/network/v1/authorizations', purchase(card_number, 10, { expiry, ...change }));
        const texts = { merchant_name: text, merchant_city: text, mcc_description: text };
        const { data: decided } = (await auth({ ...texts, merchant_id: `M-${at}` })).json;
        await auth({ message_type_indicator: '0120', merchant_name: text });
        const of_transaction = { ...clearing, merchant_id: `M-${at}`, approval_code: decided.approval_code };
        const cleared = await ask(200, 'network', 'POST', '/network/v1/clearings', {
          ...of_transaction,
          vcn_id: id,
          network_financial_transaction_id: `N-${at}`,
          merchant_name: text,
        });
        assert.equal(cleared.json.data.authorization_id, decided.id, notation);
        await ask(404, 'network', 'POST', '/network/v1/clearings', {
          ...clearing,
          vcn_id: 999_999,
          network_financial_transaction_id: `Q-${at}`,
          merchant_name: text,
        });

        const details = { metadata: { a: text, b: [{ c: text }] }, network_data: { Purpose: text } };
        await ask(200, 'client', 'PATCH', `/v1/virtualcards/${id}`, details);
        const filter = `/v1/virtualcards?filter[metadata.a]=${encodeURIComponent(text)}`;
        const found = await send(url, 'GET', filter);
        assert.deepEqual(
          found.json.data.map((card: { id: string }) => card.id),
          [id],
          `metadata in ${notation} is found by the text that was sent`,
        );
        const template = { mcc_list: ['5734'], mcc_rule: 'ALLOW', required_control: 'VELOCITY' };
        await ask(200, 'client', 'POST', '/v1/content/virtualcard-templates', {
          ...template,
          name: `${at} ${text}`,
          description: text,
        });
        const state = { note: text, deep: [{ text }], number: Number(card_number) };
        await ask(200, 'operator', 'POST', '/operator/v1/events', {
          company_id: 1,
          event_type: 'ach.status',
          payload: state,
          previous: state,
        });
        await ask(200, 'operator', 'PATCH', '/operator/v1/companies/1', { name: `${at} ${text}` });
        await ask(200, 'operator', 'POST', '/operator/v1/realcards', {
          company_id: 1,
          alias: `${at} ${text}`,
          billing_currency: 'USD',
          account_range: '54545455',
          is_default: false,
        });
        await ask(200, 'operator', 'POST', '/operator/v1/keys', { role: 'network', name: `${at} ${text}` });
        const held = (await auth({})).json.data.id;
        await ask(200, 'client', 'POST', `/v1/virtualcards/${id}/authorizations/${held}/release`, { note: text });

        for (const field of ['trace_id', 'system_trace_audit_number', 'merchant_id', 'net_reference_number']) {
          const bad = purchase(card_number, 10, { [field]: write(card_number) });
          const refused = await ask(400, 'network', 'POST', '/network/v1/authorizations', bad);
          assert.deepEqual(
            refused.json.fields.map(({ path }: { path: string }) => path),
            [`data.${field}`],
          );
        }
        await ask(400, 'network', 'POST', '/network/v1/clearings', {
          ...clearing,
          vcn_id: id,
          network_financial_transaction_id: write(card_number),
        });
        await ask(400, 'client', 'PATCH', `/v1/virtualcards/${id}`, { metadata: { [write(card_number)]: 1 } });
      }
      await moveClock(url);
      assert.ok(receiver.received.length > Object.keys(notations).length * 5, 'there were deliveries to search');

      const places: Place[] = [
        ...answers,
        ...(await rowsAsPlaces(database)),
        ...receiver.received.map(({ body }) => ({ name: 'webhook', bytes: Buffer.from(body) })),
        { name: 'log', bytes: Buffer.from(server.output()) },
      ];
      const traces = places.filter(({ bytes }) => withoutSeparators(bytes.toString()).includes(card_number));
      assert.deepEqual(
        traces.map(({ name: place }) => place),
        [],
      );
      const planted = Object.values(notations).filter(
        (write) => !withoutSeparators(write(card_number)).includes(card_number),
      );
      assert.equal(planted.length, 0, 'the search finds every notation');
    });
  }
});

describe('a reference that looks like a card number', () => {
  it('is stored, shown and matched as it was sent', async (t) => {
    const database = await migratedDatabase('sqlite');
    t.after(() => database.dispose());
    const server = await startServer({ database_url: database.database_url });
    t.after(() => server.stop());
    const { card_number, id } = await issue(server.url, { total_card_amount: 1_000_000 });
    const references = ['4111111111111111', '5454545400000000', '378282246310005', '24303123456789012345678'];
    for (const reference of references) {
      const names = { trace_id: reference, merchant_id: reference, net_reference_number: reference };
      const data = purchase(card_number, 10, names);
      const decided = await send(server.url, 'POST', '/network/v1/authorizations', { key: 'network', body: { data } });
      assert.equal(decided.status, 200, decided.text);
      assert.deepEqual([decided.json.data.trace_id, decided.json.data.merchant_id], [reference, reference]);
      const clearing = {
        vcn_id: id,
        network_financial_transaction_id: reference,
        merchant_id: reference,
        acquirer_reference_data: reference,
        billing_amount: 10,
        billing_currency: 'USD',
        clearing_type: 'DEBIT',
        settlement_date: '2030-03-16',
      };
      const body = { data: clearing };
      const cleared = await send(server.url, 'POST', '/network/v1/clearings', { key: 'network', body });
      assert.equal(cleared.json.data.authorization_id, decided.json.data.id, cleared.text);
      assert.equal(cleared.json.data.acquirer_reference_data, reference);
    }
  });
});

describe('a card number of a wrong type', () => {
  it('is 400 naming the field, also with an idempotency key, and is shown nowhere', async (t) => {
    const database = await migratedDatabase('sqlite');
    t.after(() => database.dispose());
    const server = await startServer({ database_url: database.database_url, env: { LOG_LEVEL: 'trace' } });
    t.after(() => server.stop());
    const { card_number, id } = await issue(server.url, { total_card_amount: 1_000_000 });
    const digits = card_number;
    const wrong: readonly unknown[] = [
      Number(digits),
      [digits],
      [`*${digits}`],
      { number: digits },
      { toString: digits },
      true,
      null,
      '',
      digits.slice(0, 11),
    ];
    const clearing = {
      network_financial_transaction_id: 'N-type',
      billing_amount: 10,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
    };
    for (const [at, value] of wrong.entries()) {
      const requests = [
        ['authorizations', purchase('', 10, { card_number: value })],
        ['clearings', { ...clearing, card_number: value }],
        // A null beside vcn_id is no number.
        ...(value === null ? [] : [['clearings', { ...clearing, vcn_id: id, card_number: value }] as const]),
      ] as const;
      for (const [index, [path, data]] of requests.entries()) {
        for (const headers of [{}, { 'Idempotency-Key': `wrong-${at}-${index}` }]) {
          const sending = { key: 'network', body: { data }, headers };
          const reply = await send(server.url, 'POST', `/network/v1/${path}`, sending);
          const paths = reply.json.fields?.map((field: { path: string }) => field.path);
          assert.deepEqual([reply.status, paths], [400, ['data.card_number']], reply.text);
          assert.ok(!reply.text.includes(digits), reply.text);
        }
      }
    }
    assert.ok(!server.output().includes(digits));
  });
});

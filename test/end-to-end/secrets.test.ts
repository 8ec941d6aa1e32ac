import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { Writable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { logOptions } from '@tallystick/koa';
import {
  database_names,
  type Reply,
  type ScratchDatabase,
  type Sending,
  scratchDatabase,
  send,
  serverEnvironment,
  sqliteFile,
  startServer,
  test_keys,
} from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import pg from 'pg';
import pino from 'pino';
import { readConfig } from '../../apps/server/src/configuration/config.ts';
import { closeContainer, createContainer, tokens } from '../../apps/server/src/container.ts';
import { type Card, type Message, purchase } from './purchases.ts';
import { encodingsOf, filesAsPlaces, findTraces, type Place, rowsAsPlaces } from './traces.ts';

/** Numbers that no card has, inside and outside the sandbox's account range. */
const strangers = ['5454545400000000', '4111111111111111'];

for (const name of database_names) {
  describe(`a server that logs everything, ${name}`, () => {
    it('writes the number of a card nowhere except in the answers that requested it', async (t) => {
      const database = await scratchDatabase(name);
      t.after(() => database.dispose());
      const server = await startServer({ database_url: database.database_url, env: { LOG_LEVEL: 'trace' } });
      t.after(() => server.kill());

      const { cards, guarded, shown } = await useEverything(server.url);
      const numbers = [...cards.map(({ card_number }) => card_number), ...strangers];
      const places = [...guarded, ...(await stored(database))];
      assert.deepEqual(findTraces([...places, { name: 'log', bytes: Buffer.from(server.output()) }], numbers), []);
      for (const { card_number } of cards) {
        assert.notDeepEqual(findTraces(shown, [card_number]), [], 'the search finds a number that is shown');
      }

      await server.stop();
      assert.ok(server.output().includes('"route":"/network/v1/authorizations"'), 'there was something to search');
      const in_the_end = [...(await stored(database)), { name: 'log', bytes: Buffer.from(server.output()) }];
      assert.deepEqual(findTraces(in_the_end, numbers), [], 'after the server has ended');
    });
  });
}

describe('the code of a card', () => {
  it('is nowhere except in the answers that requested it, and a code that the network sent is nowhere', async (t) => {
    const sentinel = 'SENTINEL-OF-A-CODE';
    const sent_cvc = '0461';
    const database = await scratchDatabase('sqlite');
    t.after(() => database.dispose());
    const { url, log } = await serverWithCodes(t, database, () => sentinel);
    const { cards, guarded, shown } = await useEverything(url, sent_cvc);
    assert.ok(cards.every(({ cvc }) => cvc === sentinel));
    assert.notDeepEqual(findTraces(shown, [sentinel]), []);
    const places = [...guarded, ...(await stored(database)), { name: 'log', bytes: Buffer.from(log()) }];
    assert.deepEqual(findTraces(places, [sentinel, ...cards.map(({ card_number }) => card_number)]), []);
    // Four digits occur by chance. The search is for a value that consists of exactly these.
    assert.deepEqual(
      places.filter(({ bytes }) => bytes.toString('latin1') === sent_cvc || bytes.includes(`"${sent_cvc}"`)),
      [],
    );
  });
});

describe('the search', () => {
  const number = '5454540123456781';

  it('finds a number in every encoding, at any place in a SQLite file', async (t) => {
    const database = await scratchDatabase('sqlite');
    t.after(() => database.dispose());
    for (const [name, planted] of plants(number)) {
      using file = new DatabaseSync(sqliteFile(database));
      file.exec('create table planted (filler, bytes)');
      file.prepare('insert into planted values (?, ?)').run('x'.repeat(50), planted);
      assertFound(await rowsAsPlaces(database), name);
      assertFound(filesAsPlaces(database), name);
      file.exec('drop table planted; vacuum');
      assert.deepEqual(findTraces(filesAsPlaces(database), [number]), [], `${name} was there because it was planted`);
    }
  });

  if (database_names.includes('postgres')) {
    it('finds a number in every encoding in the rows of Postgres', async (t) => {
      const database = await scratchDatabase('postgres');
      t.after(() => database.dispose());
      const client = new pg.Client({ connectionString: database.database_url });
      client.on('error', () => {});
      t.after(() => client.end());
      await client.connect();
      await client.query('create table planted (bytes bytea)');
      for (const [name, planted] of plants(number)) {
        await client.query('insert into planted values ($1)', [planted]);
        assertFound(await rowsAsPlaces(database), name);
        await client.query('delete from planted');
      }
      assert.deepEqual(findTraces(await rowsAsPlaces(database), [number]), []);
    });
  }

  function assertFound(places: readonly Place[], name: string): void {
    const found = findTraces(places, [number]);
    assert.ok(
      found.some((trace) => trace.includes(`as ${name}`)),
      `${name} was not found: ${found}`,
    );
  }
});

/** The number in each notation, computed by other means than those of the search. */
function* plants(number: string): Generator<readonly [string, Buffer]> {
  const text = (value: string) => Buffer.from(value);
  const le = Buffer.alloc(32);
  for (const [at, digit] of [...number].entries()) le.writeUInt16LE(digit.charCodeAt(0), at * 2);
  const be = Buffer.alloc(32);
  for (const [at, digit] of [...number].entries()) be.writeUInt16BE(digit.charCodeAt(0), at * 2);
  const nibbles = (digits: string) =>
    Buffer.from(Array.from({ length: digits.length / 2 }, (_, at) => Number(`0x${digits.slice(at * 2, at * 2 + 2)}`)));
  yield ['ASCII', text(`{"card":"${number}"}`)];
  yield ['UTF-16LE', le];
  yield ['UTF-16BE', be];
  yield ['hex', text([...number].map((digit) => digit.charCodeAt(0).toString(16)).join(''))];
  yield ['BCD', nibbles(number)];
  yield ['BCD, odd', nibbles(`7${number}2`)];
  for (const [offset, before] of ['', 'a', 'ab'].entries()) {
    yield [`base64 at ${offset}`, text(btoa(`${before}${number}xyz`))];
    yield [
      `base64 of BCD at ${offset}`,
      text(Buffer.concat([text(before), nibbles(number), text('xyz')]).toString('base64')),
    ];
  }
  yield ['groups with " "', text('5454 5401 2345 6781')];
  yield ['groups with "-"', text('5454-5401-2345-6781')];
}

it('plants every encoding that is searched for', () => {
  const planted = new Set([...plants('5454540123456781')].map(([name]) => name));
  for (const { name } of encodingsOf('5454540123456781')) {
    // For digits, both hex texts are the same.
    assert.ok(planted.has(name) || name === 'HEX', name);
  }
});

async function stored(database: ScratchDatabase): Promise<readonly Place[]> {
  return [...(await rowsAsPlaces(database)), ...(database.name === 'sqlite' ? filesAsPlaces(database) : [])];
}

/**
 * The server of apps/server in this process, with another deriver of codes and a log that can be
 * read. Its cards have the same numbers in each run. Otherwise the last four digits of one, which
 * may be shown, could by chance equal the code that is searched for.
 */
async function serverWithCodes(
  t: TestContext,
  database: ScratchDatabase,
  deriveCvc: () => string,
): Promise<{ readonly url: string; readonly log: () => string }> {
  const config = readConfig(serverEnvironment({ database_url: database.database_url }) as Record<string, string>);
  const container = createContainer(config);
  let log = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  let drawn = 0;
  const below = (bound: number): number => {
    drawn += 7_919;
    return drawn % bound;
  };
  const vault = createVault(parseKeyRing(test_keys), { deriveCvc });
  (await container.rebind(tokens.vault)).toConstantValue({ ...vault, random: { ...vault.random, below } });
  (await container.rebind(tokens.logger)).toConstantValue(pino(logOptions('trace'), sink));
  const http = createServer((await container.getAsync(tokens.http_app)).callback());
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    await closeContainer(container);
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, log: () => log };
}

interface Used {
  readonly cards: readonly Card[];
  /** Answers that must not contain a number. */
  readonly guarded: readonly Place[];
  /** Answers that were requested to contain a number. */
  readonly shown: readonly Place[];
}

/** A client and a network that perform every valid operation, and many invalid ones. */
async function useEverything(url: string, wrong_cvc = '0000'): Promise<Used> {
  const guarded: Place[] = [];
  const shown: Place[] = [];
  const ask = async (places: Place[], method: string, path: string, sending: Sending): Promise<Reply> => {
    const reply = await send(url, method, path, sending);
    const headers = JSON.stringify([...reply.headers]);
    places.push({ name: `answer ${reply.status} to ${method} ${path}`, bytes: Buffer.from(headers + reply.text) });
    return reply;
  };
  const show = (method: string, path: string, sending: Sending = {}) => ask(shown, method, path, sending);
  const guard = (method: string, path: string, sending: Sending = {}) => ask(guarded, method, path, sending);
  const refused = async (method: string, path: string, sending: Sending = {}): Promise<void> => {
    const reply = await guard(method, path, sending);
    assert.ok(reply.status >= 400 && reply.status < 500, `${method} ${path} ${reply.status}: ${reply.text}`);
  };
  const authorize = (data: Message) => guard('POST', '/network/v1/authorizations', { key: 'network', body: { data } });
  const clear = (data: Message) => guard('POST', '/network/v1/clearings', { key: 'network', body: { data } });

  const cards: Card[] = [];
  for (const control of [{}, { authorization_hold_days: 3, aging_velocity_time_zone: 'Europe/Berlin' }]) {
    const create = {
      body: {
        data: { total_card_amount: 100_000, emails: ['someone@example.com'], metadata: { trip: 'Oslo' }, ...control },
        show_card_number: true,
      },
      headers: { 'Idempotency-Key': `create ${cards.length}`.replace(' ', '-') },
    };
    const created = await show('POST', '/v1/virtualcards', create);
    assert.equal(created.status, 200, created.text);
    assert.equal((await show('POST', '/v1/virtualcards', create)).text, created.text);
    cards.push(created.json.data);
  }

  for (const { id, card_number, cvc, expiry } of cards) {
    const card_path = `/v1/virtualcards/${id}`;
    await show('GET', `${card_path}?show_card_number=true`);
    await show('PATCH', card_path, { body: { data: { metadata: { trip: 'Rome' } }, show_card_number: true } });
    await guard('GET', card_path);
    await guard('PATCH', card_path, { body: { data: { total_card_amount: 90_000 } } });
    const mailed = await guard('POST', `${card_path}/email`, {
      body: { data: { email: 'other@example.com' } },
      headers: { 'Idempotency-Key': `mail-${id}` },
    });
    assert.equal(mailed.status, 200, mailed.text);

    // The correct data of the network's messages.
    const right = /^\d{3}$/.test(cvc) ? { cvc, expiry } : { expiry };
    const first = purchase(card_number, 3_000, right);
    const approved = await authorize(first);
    assert.equal(approved.json.data.response_code, '00', approved.text);
    await authorize(first);
    await authorize({ ...purchase(card_number, 500), trace_id: first.trace_id, incremental: true });
    const wrong = await authorize(purchase(card_number, 100, { cvc: wrong_cvc === '0000' ? '9999' : wrong_cvc }));
    assert.equal(wrong.json.data.decline_reason, 'C');
    await authorize(purchase(card_number, 100, { expiry: '2001-01' }));
    await authorize(purchase(card_number, 100, { message_type_indicator: '0120', approval_code: 'ABC123' }));
    const gone = purchase(card_number, 700);
    await authorize(gone);
    await authorize({ ...gone, message_type_indicator: '0400' });
    await authorize(purchase(card_number, 700, { message_type_indicator: '0420' }));

    // The number in fields where it does not belong, in requests that are accepted anyway.
    for (const field of ['merchant_name', 'merchant_city', 'mcc_description', 'purchase_request_issuer_guid']) {
      const taken = await authorize(purchase(card_number, 10, { [field]: `${field} ${card_number}` }));
      assert.equal(taken.status, 200, taken.text);
    }
    const clearing = {
      network_financial_transaction_id: `NFT-${id}`,
      billing_amount: 2_500,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
      approval_code: approved.json.data.approval_code,
      merchant_id: first.merchant_id,
      merchant_name: `Paper ${card_number}`,
    };
    const cleared = await clear({ ...clearing, card_number });
    assert.equal(cleared.status, 200, cleared.text);
    await clear({ ...clearing, card_number });
    const by_id = { ...clearing, network_financial_transaction_id: `NFT-${id}-2`, vcn_id: id };
    assert.equal((await clear({ ...by_id, merchant_name: `Ink ${card_number}` })).status, 200);

    // The number in fields where it does not belong, in requests that are refused.
    for (const field of id === cards[0]!.id ? [...wrong_fields, card_number] : []) {
      await refused('POST', '/v1/virtualcards', { body: { data: { total_card_amount: 0, [field]: card_number } } });
      const as_number = { total_card_amount: 0, [field]: Number(card_number) };
      await refused('POST', '/v1/virtualcards', { body: { data: as_number } });
      await refused('PATCH', card_path, { body: { data: { per_transaction_max: 0.5, [field]: card_number } } });
    }
    for (const field of ['billing_amount', 'billing_currency', 'mcc', 'message_type_indicator', 'expiry', 'cvc']) {
      const bad = { ...purchase(card_number, 10), [field]: card_number };
      await refused('POST', '/network/v1/authorizations', { key: 'network', body: { data: bad } });
      await refused('POST', '/network/v1/clearings', {
        key: 'network',
        body: { data: { ...clearing, card_number, settlement_date: card_number, [field]: card_number } },
      });
    }
    for (const field of ['trace_id', 'system_trace_audit_number', 'merchant_id', 'net_reference_number']) {
      const bad = { ...purchase(card_number, 10), [field]: `x${card_number}` };
      await refused('POST', '/network/v1/authorizations', { key: 'network', body: { data: bad } });
    }
    for (const field of ['network_financial_transaction_id', 'acquirer_reference_data', 'merchant_id']) {
      const bad = { ...clearing, card_number, [field]: card_number };
      await refused('POST', '/network/v1/clearings', { key: 'network', body: { data: bad } });
    }
    const spaced = card_number.replace(/(\d{4})(?=\d)/g, '$1 ');
    for (const unreadable of [Number(card_number), spaced, `${card_number}0000`, [card_number], { n: card_number }]) {
      const bad = { ...purchase('', 10), card_number: unreadable };
      await refused('POST', '/network/v1/authorizations', { key: 'network', body: { data: bad } });
    }
    await refused('POST', `${card_path}/email`, { body: { data: { email: card_number } } });
    await refused('POST', '/v1/virtualcards', { body: `{"data":{"total_card_amount":${card_number}` });
    await refused('POST', '/v1/virtualcards', { body: { [card_number]: card_number } });
    await refused('POST', '/v1/virtualcards', { body: { data: card_number } });
    await refused('POST', '/v1/virtualcards', {
      body: { data: {} },
      headers: { 'Content-Type': `text/${card_number}` },
    });
    await refused('POST', '/v1/virtualcards', { body: ' '.repeat(2 ** 20) + card_number });
    await refused('POST', '/v1/content/virtualcard-templates', {
      body: { name: 'x', mcc_list: [card_number], mcc_rule: card_number },
    });
    await refused('GET', `/v1/virtualcards/${card_number}`);
    await refused('GET', `/v1/${card_number}`);
    await refused('GET', `/v1/events/${card_number}`);
    await refused('GET', `/v1/events?filter[${card_number}]=1`);
    await refused('GET', `/v1/events?filter[payload.merchant_amount]=${card_number}x`);
    await refused('GET', `/v1/events?page[limit]=${card_number}`);
    await refused('GET', `/v1/events?page[after]=${card_number}`);
    await guard('GET', `/v1/virtualcards?${card_number}=${card_number}`);
    await guard('GET', `/v1/events?filter[payload.card_number]=${card_number}&page[limit]=1`);
    await refused('GET', '/v1/virtualcards', { key: card_number });
    await refused('GET', '/v1/virtualcards', { key: `tly_test_1_${card_number}` });
    const strange_headers = { 'X-Request-Id': card_number, 'User-Agent': card_number, Prefer: card_number };
    await refused('POST', '/v1/virtualcards', { body: { data: {} }, headers: strange_headers });
    const signed = { 'X-Signature': card_number, 'X-Timestamp': card_number };
    await refused('POST', '/v1/virtualcards', { body: { data: {} }, headers: signed });
    const again = { body: { data: { total_card_amount: 1 } }, headers: { ...strange_headers } };
    assert.equal((await guard('POST', '/v1/virtualcards', again)).status, 200);
  }

  for (const stranger of strangers) {
    const unknown = await authorize(purchase(stranger, 100, { cvc: wrong_cvc, merchant_name: `Shop ${stranger}` }));
    assert.equal(unknown.json.data.decline_reason, 'I');
    await refused('POST', '/network/v1/clearings', {
      key: 'network',
      body: {
        data: {
          card_number: stranger,
          network_financial_transaction_id: 'NFT-none',
          billing_amount: 1,
          billing_currency: 'USD',
          clearing_type: 'DEBIT',
          settlement_date: '2030-03-16',
        },
      },
    });
  }
  await guard('DELETE', `/v1/virtualcards/${cards[0]!.id}`);
  await authorize(purchase(cards[0]!.card_number, 100));
  for (const path of [
    '/v1/events?page[limit]=100',
    '/v1/virtualcards?show_realtime_auths=true',
    `/v1/virtualcards/${cards[1]!.id}/authorizations`,
    `/v1/virtualcards/${cards[1]!.id}/clearings`,
    '/v1/realcards',
    '/metrics',
  ]) {
    assert.equal((await guard('GET', path)).status, 200, path);
  }
  return { cards, guarded, shown };
}

const wrong_fields = [
  'total_card_amount',
  'per_transaction_max',
  'transactions_max',
  'currency',
  'recurring',
  'valid_for',
  'valid_starting_on',
  'template_id',
  'rcn_id',
  'supplier_id',
  'authorization_hold_days',
  'aging_velocity_time_zone',
  'emails',
  'network_data',
  'metadata',
];

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatementHead } from '@tallystick/accounts';
import { statementFile } from '@tallystick/harness';
import type { StatementFileContent } from '@tallystick/imports';
import { statement_formats } from '@tallystick/statement-files';
import { database_names } from '@tallystick/test-support';
import { type Reply, type Service, startService } from './service.ts';

const path = '/bank/v1/accounts';
const bank = { key: 'bank' } as const;

function open({ send }: Service, data: object, key: string = 'bank'): Promise<Reply> {
  const body = { data: { company_id: 1, number: '1000000001', currency: 'USD', kind: 'deposit', ...data } };
  return send('POST', path, { key, body });
}

/** A statement file of the account, in which each amount is a line. */
function statementBytes(
  format: string,
  number: string,
  opening: number,
  amounts: readonly number[],
  text = 'PURCHASE',
): Buffer {
  const records = statementFile({ number }, [
    {
      as_of: '2030-03-14',
      opening,
      lines: amounts.map((amount) => ({ amount, bai_code: amount < 0 ? '821' : '824' })),
    },
  ]);
  const head = records.flatMap((record) => (record.kind === 'statement' ? [record.head] : []))[0]! as StatementHead;
  const lines = records.flatMap((record) => (record.kind === 'line' ? [{ ...record.line, text }] : []));
  const content: StatementFileContent = {
    sequence: 1,
    created_on: '2030-03-15',
    statements: [{ head: { ...head, currency: 'USD', reference: 'S1' }, lines }],
  };
  return Buffer.concat([...statement_formats.find(({ name }) => name === format)!.writeStatements!(content)]);
}

function upload({ send }: Service, bytes: Buffer): Promise<Reply> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  return send('POST', '/operator/v1/imports?name=statement', { key: 'operator', body: bytes, headers });
}

for (const database of database_names) {
  describe(`accounts over ${database}`, () => {
    it('are opened by the bank, read by their number, and listed newest first', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const opened = await open(service, { name: 'Travel' });
      assert.equal(opened.status, 200, opened.text);
      const { data: account } = opened.json;
      assert.deepEqual(account, {
        id: '1000000001',
        company_id: 1,
        number: '1000000001',
        currency: 'USD',
        kind: 'deposit',
        name: 'Travel',
        first_statement: null,
        last_statement: null,
        created_at: '2030-03-15T10:00:00.000Z',
        type: 'account',
        url: '/bank/v1/accounts/1000000001',
      });
      assert.deepEqual((await send('GET', account.url, bank)).json.data, account);
      assert.equal((await open(service, { number: 'ceid2000000001', kind: 'card' })).status, 200);
      const listed = (await send('GET', `${path}?page[limit]=1`, bank)).json;
      assert.deepEqual([listed.data[0].number, listed.data.length], ['ceid2000000001', 1]);
      const next = (await send('GET', listed.links.next, bank)).json;
      assert.deepEqual([next.data[0].number, next.links.next], ['1000000001', null]);
      assert.deepEqual((await send('GET', `${path}?filter[company_id]=2`, bank)).json.data, []);
    });

    it('are refused with a taken number, and with each invalid field', async (t) => {
      const service = await startService(t, database);
      await open(service, {});
      const taken = await open(service, { currency: 'EUR' });
      assert.deepEqual([taken.status, taken.json.code], [409, 'conflict']);
      assert.match(taken.json.error, /"1000000001" belongs to another account/);
      for (const [name, value] of [
        ['company_id', 999],
        ['number', 'with_underscore'],
        ['number', '-/'],
        ['number', 'x'.repeat(35)],
        ['currency', 'XQQ'],
        ['kind', 'savings'],
        ['name', ' '],
      ] as const) {
        const refused = await open(service, { number: '2', [name]: value });
        assert.equal(refused.status, 400, `${name}: ${refused.text}`);
        assert.equal(refused.json.fields[0].path, `data.${name}`);
      }
      for (const [kind, number, problem] of [
        ['card', '2000000009', /must begin with ceid/],
        ['card', 'CEID2000000009', /must begin with ceid/],
        ['card', 'ceid4111111111111111', /must not contain the number of a card/],
        ['deposit', 'ceid2000000009', /must not begin with ceid/],
      ] as const) {
        const refused = await open(service, { kind, number });
        assert.deepEqual([refused.status, refused.json.fields[0].path], [400, 'data.number'], refused.text);
        assert.match(refused.json.error, problem);
        assert.doesNotMatch(refused.text, /4111111111111111/);
      }
      const misspelt = await open(service, { curency: 'USD' });
      assert.match(misspelt.json.error, /did you mean currency/);
    });

    it('receive the lines of statement files, once, and a statement of an unknown account waits for it', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      for (const [at, format] of (['bai2', 'camt053', 'mt940'] as const).entries()) {
        const number = `300000000${at}`;
        const file = statementBytes(format, number, 1_000, [-250, 100]);
        const held = (await upload(service, file)).json.data;
        assert.deepEqual([held.status, held.problem?.code, held.format], ['held', 'unknown_account', format]);
        const release = await send('POST', `${held.url}/release`, { key: 'operator', body: { data: { note: 'n' } } });
        assert.deepEqual([release.status, release.json.code], [409, 'conflict']);
        assert.equal((await open(service, { number })).status, 200);
        const applied = (await upload(service, file)).json.data;
        assert.deepEqual(
          [applied.id, applied.status, applied.statements, applied.applied],
          [held.id, 'completed', 1, 2],
          JSON.stringify(applied),
        );
        const spaced = (await upload(service, statementBytes(format, number, 1_000, [-250, 100], 'other text'))).json
          .data;
        assert.deepEqual(
          [spaced.status, spaced.applied, spaced.duplicates],
          ['completed', 0, 2],
          spaced.problem?.message,
        );
        const { first_statement, last_statement } = (await send('GET', `${path}/${number}`, bank)).json.data;
        assert.deepEqual(first_statement, { as_of: '2030-03-14', balance: 1_000 });
        assert.deepEqual(last_statement, { as_of: '2030-03-14', balance: 850 });
      }
    });
  });
}

describe('accounts', () => {
  it('are stored by the letters and digits of the number that the bank writes, and named by them', async (t) => {
    const service = await startService(t);
    for (const [written, number] of [
      ['19-2000123/0800', '1920001230800'],
      ['20041010 / 12.34567', '200410101234567'],
      ['at61 1904 3002 3457 3201', 'AT611904300234573201'],
    ] as const) {
      const opened = await open(service, { number: written });
      assert.deepEqual([opened.status, opened.json.data?.id], [200, number], opened.text);
      const taken = await open(service, { number });
      assert.ok(taken.json.error.includes(`"${number}" belongs to another account`), taken.text);
      const record = JSON.stringify({ kind: 'balance', account: written, booked: 5, as_of: '2030-03-14T10:00:00Z' });
      const headers = { 'Content-Type': 'application/x-ndjson' };
      const reported = await service.send('POST', '/bank/v1/records', {
        key: 'bank',
        body: Buffer.from(record),
        headers,
      });
      assert.equal(reported.json.data.applied, 1, reported.text);
    }
    const unknown = await service.send('GET', `${path}/001212345678`, bank);
    assert.match(unknown.json.error, /no account "001212345678"/);
  });

  it('are for the bank', async (t) => {
    const service = await startService(t);
    for (const key of ['client', 'network', 'operator'] as const) {
      assert.equal((await open(service, {}, key)).status, 403);
      assert.equal((await service.send('GET', path, { key })).status, 403);
      assert.equal((await service.send('GET', `${path}/1`, { key })).status, 403);
    }
    assert.equal((await service.send('GET', `${path}/unknown`, bank)).status, 404);
  });

  it('of another company are unknown to a key of the bank that serves one company', async (t) => {
    const service = await startService(t);
    const other = await service.send('POST', '/operator/v1/companies', {
      key: 'operator',
      body: { data: { name: 'Other', customer_number: '9' } },
    });
    const company_id = Number(other.json.data.id);
    await open(service, { number: 'a1' });
    const key_body = { data: { role: 'bank', name: 'n', company_id } };
    const made = await service.send('POST', '/operator/v1/keys', { key: 'operator', body: key_body });
    const key_text: string = made.json.data.key;
    assert.equal((await open(service, { number: 'b1' }, key_text)).status, 400);
    assert.equal((await open(service, { number: 'b1', company_id }, key_text)).status, 200);
    assert.equal((await service.send('GET', `${path}/a1`, { key: key_text })).status, 404);
    assert.equal((await service.send('GET', `${path}/b1`, { key: key_text })).status, 200);
    const listed = (await service.send('GET', path, { key: key_text })).json.data;
    assert.deepEqual(
      listed.map(({ id }: { readonly id: string }) => id),
      ['b1'],
    );
    const filtered = await service.send('GET', `${path}?filter[company_id]=1`, { key: key_text });
    assert.deepEqual(filtered.json.data, []);
  });

  it('do not take the number of a card', async (t) => {
    const service = await startService(t);
    const body = { data: { total_card_amount: 5_000 }, show_card_number: true };
    const { card_number } = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
    const refused = await open(service, { number: card_number });
    assert.equal(refused.status, 400);
    assert.ok(!refused.text.includes(card_number));
  });
});

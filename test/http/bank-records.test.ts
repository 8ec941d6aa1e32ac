import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { newLine } from '@tallystick/harness';
import { money } from '@tallystick/kernel';
import { database_names, readRows, sandbox_keys } from '@tallystick/test-support';
import { buy, issueCard, newReference, openAccount } from './reconciliation-world.ts';
import { type Reply, type Service, startService } from './service.ts';

const path = '/bank/v1/records';
const bank = { key: 'bank' } as const;
const account = '1000000001';

async function withAccount(service: Service): Promise<Service> {
  const data = { company_id: 1, number: account, currency: 'USD', kind: 'deposit' };
  const reply = await service.send('POST', '/bank/v1/accounts', { ...bank, body: { data } });
  assert.equal(reply.status, 200, reply.text);
  return service;
}

const typed = { 'Content-Type': 'application/x-ndjson' };

function sendBody({ send }: Service, body: string | Uint8Array, key: string = 'bank'): Promise<Reply> {
  return send('POST', path, { key, body: Buffer.from(body), headers: typed });
}

function report(service: Service, records: readonly unknown[], key?: string): Promise<Reply> {
  return sendBody(service, records.map((record) => `${JSON.stringify(record)}\n`).join(''), key);
}

const transaction = (reference: string, differing: object = {}) => ({
  kind: 'transaction',
  account,
  bank_reference: reference,
  booking_date: '2030-03-14',
  amount: -1_250,
  bai_code: '821',
  text: 'PAPER SHOP',
  ...differing,
});

const creditor = {
  creditor_scheme_name: 'UK.OBIE.PAN',
  creditor_identification: '4539578763621486',
  creditor_name: 'Harbour',
};

const one_of_each = [
  {
    kind: 'user',
    user_id: 'alex',
    company_id: 1,
    name: 'Alex',
    status: 'active',
    eligible_services: ['aisp'],
    viewable_accounts: [account],
  },
  { kind: 'profile', account, scheme_name: 'UK.OBIE.IBAN', identification: 'GB29NWBK60161331926819' },
  { kind: 'balance', account, booked: 700, as_of: '2030-03-15T09:00:00Z' },
  transaction('T1', { balance_after: 700 }),
  { kind: 'direct_debit', account, mandate_reference: 'M1', status: 'active', name: 'Water', frequency: 'Monthly' },
  {
    kind: 'standing_order',
    account,
    reference: 'S1',
    status: 'active',
    frequency: 'IntrvlMnthDay:01:28',
    next_payment_on: '2030-04-28',
    next_payment_amount: 100,
    ...creditor,
  },
  {
    kind: 'scheduled_payment',
    account,
    reference: 'P1',
    status: 'pending',
    scheduled_on: '2030-03-15',
    amount: 5,
    ...creditor,
  },
];

const counts = ({ json }: Reply) => {
  const { lines, applied, duplicates, rejected } = json.data;
  return [lines, applied, duplicates, rejected];
};

async function listed({ send }: Service, rest: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const reply = await send('GET', `/bank/v1/accounts/${account}/${rest}`, bank);
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data;
}

for (const database of database_names) {
  describe(`records of the bank over ${database}`, () => {
    it('of every kind are applied, and a repeat changes nothing', async (t) => {
      const service = await withAccount(await startService(t, database));
      const first = await report(service, one_of_each);
      assert.deepEqual(first.json.data, { lines: 7, applied: 7, duplicates: 0, rejected: 0, errors: [] }, first.text);
      const read = async () => [
        (await service.send('GET', '/bank/v1/users/alex', bank)).json,
        (await service.send('GET', `/bank/v1/accounts/${account}/profile`, bank)).json,
        (await service.send('GET', `/bank/v1/accounts/${account}/balance`, bank)).json,
        ...(await Promise.all(
          ['transactions', 'direct-debits', 'standing-orders', 'scheduled-payments'].map((rest) =>
            listed(service, rest),
          ),
        )),
      ];
      const after = await read();
      assert.ok(
        after.every((found) => !Array.isArray(found) || found.length === 1),
        JSON.stringify(after),
      );
      assert.ok(!JSON.stringify(after).includes('4539578763621486'));
      const [only] = await listed(service, 'transactions');
      assert.deepEqual(
        [only!.bank_reference, only!.value_date, only!.amount, only!.balance_after, only!.currency],
        ['T1', '2030-03-14', -1_250, 700, 'USD'],
      );
      assert.deepEqual(counts(await report(service, one_of_each)), [7, 6, 1, 0]);
      assert.deepEqual(await read(), after);
    });

    it('are duplicates of the lines of statements with their content, and problems under a known reference', async (t) => {
      const service = await withAccount(await startService(t, database));
      await service.persistence.unitOfWork.run(async ({ accounts }) => {
        const owner = (await accounts.findByNumber(account))!;
        const dates = { booking_date: '2030-03-14', value_date: '2030-03-14' };
        const payment = { ...dates, statement_id: 1, bank_reference: 'T1' };
        await accounts.recordLines([
          newLine(owner, { ...payment, place: 1 }),
          newLine(owner, { ...payment, place: 2, amount: money(-50), bai_code: '825' }),
          newLine(owner, { ...payment, place: 3, amount: money(-50), bai_code: '825', occurrence: 2 }),
        ]);
      });
      const fee = transaction('T1', { amount: -50, bai_code: '825' });
      const changed = [
        transaction('T1'),
        transaction('T1', { amount: -50 }),
        transaction('T1', { amount: -50, bai_code: '825', booking_date: '2030-03-15' }),
      ];
      const repeated = [transaction('T2'), transaction('T2'), transaction('T2', { amount: -1 })];
      const reply = await report(service, [fee, ...changed, ...repeated]);
      assert.deepEqual(counts(reply), [7, 1, 2, 4], reply.text);
      assert.deepEqual(
        reply.json.data.errors.map(({ line, path }: { readonly line: number; readonly path: string }) => [line, path]),
        [2, 3, 4, 7].map((line) => [line, 'bank_reference']),
      );
    });

    it('are applied once when they are sent several times at once', async (t) => {
      const service = await withAccount(await startService(t, database));
      const records = Array.from({ length: 1_500 }, (_, at) => transaction(`T${at}`));
      const others = records.toReversed();
      const mandates = Array.from({ length: 200 }, (_, at) => ({ ...one_of_each[4], mandate_reference: `M${at}` }));
      const replies = await Promise.all([
        report(service, [...mandates, ...records]),
        report(service, [...others, ...mandates.toReversed()]),
        report(service, [...records, ...mandates]),
      ]);
      for (const { status, text } of replies) assert.equal(status, 200, text);
      assert.ok(replies.every(({ json }) => json.data.rejected === 0));
      const sum = (name: string) => replies.reduce((total, { json }) => total + json.data[name], 0);
      assert.deepEqual([sum('applied'), sum('duplicates')], [1_500 + 3 * 200, 3_000]);
      const [lines] = await readRows<{ n: number | string }>(
        service.database,
        'select count(*) as n, min(statement_id) as s from tallystick_statement_lines',
      );
      assert.equal(Number(lines!.n), 1_500);
      const [debits] = await readRows<{ n: number | string }>(
        service.database,
        'select count(*) as n from tallystick_direct_debits',
      );
      assert.equal(Number(debits!.n), 200);
    });

    it('that change a profile several times date its status from the last change', async (t) => {
      const service = await withAccount(await startService(t, database));
      const since_2020 = { kind: 'profile', account, status: 'Enabled', status_updated_at: '2020-01-01T00:00:00Z' };
      const becomes = (status: string) => ({ kind: 'profile', account, status });
      const updatedAt = async () =>
        (await service.send('GET', `/bank/v1/accounts/${account}/profile`, bank)).json.data.status_updated_at;
      assert.deepEqual(counts(await report(service, [since_2020, becomes('Enabled')])), [2, 2, 0, 0]);
      assert.equal(await updatedAt(), '2020-01-01T00:00:00.000Z', 'the status is as it was');
      assert.deepEqual(counts(await report(service, [becomes('Disabled'), becomes('Enabled')])), [2, 2, 0, 0]);
      assert.equal(await updatedAt(), '2030-03-15T10:00:00.000Z', 'the status was another in between');
    });

    it('with the id of a user of another company stop no other user, and the last line of a user holds', async (t) => {
      const service = await withAccount(await startService(t, database));
      const operator = { key: 'operator' } as const;
      const body = { data: { name: 'Other', customer_number: '9' } };
      const made = await service.send('POST', '/operator/v1/companies', { ...operator, body });
      const other = Number(made.json.data.id);
      const user = (user_id: string, company_id: number, name: string) => ({
        kind: 'user',
        user_id,
        company_id,
        name,
        status: 'active',
      });
      await report(service, [user('alex', 1, 'Alex')]);
      const lines = [
        user('zoe', other, 'Zoe'),
        user('alex', other, 'Another'),
        user('blair', 1, 'Blair'),
        user('zoe', 1, 'Another'),
        user('zoe', other, 'Zoe Two'),
      ];
      const reply = await report(service, lines);
      assert.deepEqual(counts(reply), [5, 3, 0, 2], reply.text);
      assert.deepEqual(
        reply.json.data.errors.map(({ line, path }: { line: number; path: string }) => [line, path]),
        [
          [2, 'user_id'],
          [4, 'user_id'],
        ],
      );
      const { data } = (await service.send('GET', '/bank/v1/users', bank)).json;
      assert.deepEqual(
        data.map(({ id, name }: { id: string; name: string }) => [id, name]),
        [
          ['alex', 'Alex'],
          ['zoe', 'Zoe Two'],
          ['blair', 'Blair'],
        ],
      );
      const [entry] = await readRows<{ details: string }>(
        service.database,
        `select details from tallystick_audit_entries where action = 'bank_records.reported' and object = 'company:${other}'`,
      );
      assert.deepEqual(JSON.parse(entry!.details), { user: 2 });
    });

    it('pass an identification from one account to another in the order of the lines', async (t) => {
      const service = await withAccount(await startService(t, database));
      const others = ['1000000002', '1000000003'];
      for (const number of others) {
        const data = { company_id: 1, number, currency: 'USD', kind: 'deposit' };
        await service.send('POST', '/bank/v1/accounts', { ...bank, body: { data } });
      }
      const named = (number: string, identification: string) => ({
        kind: 'profile',
        account: number,
        scheme_name: 'UK.OBIE.BBAN',
        identification,
      });
      await report(service, [named(account, 'X')]);
      const [second, third] = others as [string, string];
      const reply = await report(service, [
        named(second, 'X'),
        named(account, 'Y'),
        named(second, 'X'),
        named(third, 'Y'),
        named(third, account),
        { kind: 'profile', account },
        named(third, 'Y'),
        named(account, account),
      ]);
      assert.deepEqual(counts(reply), [8, 5, 0, 3], reply.text);
      assert.deepEqual(
        reply.json.data.errors.map(({ line, path }: { line: number; path: string }) => [line, path]),
        [1, 4, 5].map((line) => [line, 'identification']),
      );
      const shown = await Promise.all(
        [account, ...others].map(
          async (number) =>
            (await service.send('GET', `/bank/v1/accounts/${number}/profile`, bank)).json.data.identification,
        ),
      );
      assert.deepEqual(shown, [account, 'X', 'Y']);
    });

    it('that report one transaction differently at the same time: the later one is an error', async (t) => {
      const service = await withAccount(await startService(t, database));
      for (let round = 0; round < 5; round += 1) {
        const replies = await Promise.all(
          [-1, -2].map((amount) =>
            report(service, [transaction(`R${round}`, { amount }), transaction(`${round}${amount}`)]),
          ),
        );
        assert.deepEqual(replies.map((reply) => counts(reply)).toSorted(), [
          [2, 1, 0, 1],
          [2, 2, 0, 0],
        ]);
      }
    });

    it('with problems stop no other record, and each problem names its line and field', async (t) => {
      const service = await withAccount(await startService(t, database));
      const good = transaction('T1');
      const bad: readonly (readonly [unknown, ...string[]])[] = [
        [
          transaction('T2', { bai_code: '8x1', booking_date: '2030-02-30', amount: 0.5 }),
          'amount',
          'bai_code',
          'booking_date',
        ],
        [transaction('T3', { amount: 1_250 }), 'amount'],
        [transaction('T4', { currency: 'EUR' }), 'currency'],
        [transaction('T5', { account: 'unknown' }), 'account'],
        [transaction('T6', { acount: 1 }), 'acount'],
        [transaction('T1', { amount: -1 }), 'bank_reference'],
        [{ kind: 'transactions' }, 'kind'],
        [[], ''],
        [
          { ...one_of_each[5], frequency: 'Monthly', first_payment_on: '2030-01-01' },
          'first_payment_amount',
          'frequency',
        ],
        [{ ...one_of_each[4], mandate_reference: 'x'.repeat(36), name: 'x'.repeat(71) }, 'mandate_reference', 'name'],
        [{ ...one_of_each[0], company_id: 99 }, 'company_id'],
      ];
      const reply = await report(service, [good, ...bad.map(([record]) => record), transaction('T9'), good]);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(counts(reply), [bad.length + 3, 2, 1, bad.length], reply.text);
      const { errors } = reply.json.data as { errors: readonly { line: number; path: string; message: string }[] };
      for (const [at, [, ...paths]] of bad.entries()) {
        const of_line = errors.filter(({ line }) => line === at + 2);
        assert.deepEqual(of_line.map(({ path }) => path).toSorted(), paths, `line ${at + 2}`);
      }
      assert.match(errors.find(({ path }) => path === 'acount')!.message, /did you mean account/);
      assert.deepEqual(
        (await listed(service, 'transactions')).map((one) => one.bank_reference),
        ['T9', 'T1'],
      );
    });
  });
}

describe('records of the bank', () => {
  it('are read by their lines: long ones, broken ones and empty ones', async (t) => {
    const service = await withAccount(await startService(t));
    const good = JSON.stringify(transaction('T1'));
    const padded = (bytes: number): string => good.padEnd(bytes, ' ');
    const body = [
      good,
      '{"kind":',
      '',
      padded(64 * 1024 + 1),
      `${padded(64 * 1024)}\r`,
      '{"kind":"transaction","text":"\\u0000"}',
      '{"kind":"transaction","text":"\\ud800"}',
      'x'.repeat(300 * 1024),
      good.replace('T1', 'T2'),
    ].join('\n');
    const reply = await sendBody(service, body);
    assert.deepEqual(counts(reply), [8, 2, 1, 5], reply.text);
    const { errors } = reply.json.data as { errors: readonly { line: number; path: string }[] };
    assert.deepEqual(
      errors.map(({ line, path }) => [line, path]),
      [
        [2, ''],
        [4, ''],
        [6, 'text'],
        [7, 'text'],
        [8, ''],
      ],
    );
    const latin = Buffer.concat([Buffer.from(`${good}\n{"kind":"`), Buffer.from([0xe9]), Buffer.from('"}')]);
    assert.deepEqual(counts(await sendBody(service, latin)), [2, 0, 1, 1]);
    assert.deepEqual(counts(await sendBody(service, '\n\n')), [0, 0, 0, 0]);
  });

  it('name the first 1,000 problems', async (t) => {
    const service = await withAccount(await startService(t));
    const reply = await sendBody(service, '[]\n'.repeat(2_500));
    assert.deepEqual(counts(reply), [2_500, 0, 0, 2_500]);
    const { errors } = reply.json.data as { errors: readonly { line: number }[] };
    assert.deepEqual([errors.length, errors[0]!.line, errors.at(-1)!.line], [1_000, 1, 1_000]);
  });

  it('of a body that breaks off are not applied', async (t) => {
    const service = await withAccount(await startService(t));
    const before = service.stored();
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const line = `${JSON.stringify(transaction('T1'))}\n`;
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sandbox_keys.bank}\r\nContent-Type: application/x-ndjson\r\n`;
    socket.write(`${head}Content-Length: ${line.length + 5}\r\n\r\n${line}`);
    await new Promise((resolve) => socket.write('{"ki', resolve));
    socket.end();
    await new Promise((resolve) => socket.resume().once('close', resolve));
    assert.equal(service.stored(), before);
    assert.deepEqual(counts(await report(service, [transaction('T1')])), [1, 1, 0, 0]);
  });

  it('are for the bank, as newline-delimited JSON', async (t) => {
    const service = await withAccount(await startService(t));
    for (const key of ['client', 'network', 'operator']) {
      assert.equal((await report(service, [transaction('T1')], key)).status, 403);
    }
    const json = await service.send('POST', path, { ...bank, body: transaction('T1') });
    assert.deepEqual([json.status, json.json.code], [415, 'unsupported_media_type']);
    assert.deepEqual(await listed(service, 'transactions'), []);
  });

  it('of another company are problems for a key of the bank that serves one company', async (t) => {
    const service = await withAccount(await startService(t));
    const operator = { key: 'operator' } as const;
    const company = await service.send('POST', '/operator/v1/companies', {
      ...operator,
      body: { data: { name: 'Other', customer_number: '9' } },
    });
    const company_id = Number(company.json.data.id);
    const key_body = { data: { role: 'bank', name: 'n', company_id } };
    const key: string = (await service.send('POST', '/operator/v1/keys', { ...operator, body: key_body })).json.data
      .key;
    const max = { kind: 'user', user_id: 'max', name: 'Max', status: 'active' };
    const reply = await report(service, [...one_of_each, max], key);
    assert.deepEqual(counts(reply), [8, 1, 0, 7], reply.text);
    assert.deepEqual(await listed(service, 'transactions'), []);
    const read = (await service.send('GET', '/bank/v1/users/max', bank)).json.data;
    assert.equal(read.company_id, company_id);
  });

  it('are statement lines: card numbers are masked, and the acquirer reference is found in the text', async (t) => {
    const service = await withAccount(await startService(t));
    const text = 'CARD 4539578763621486 ARD 74027040074000000000017';
    const body = { data: { total_card_amount: 5_000 }, show_card_number: true };
    const { card_number } = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
    const reply = await report(service, [transaction('T1', { text }), transaction(`ref ${card_number}`)]);
    assert.deepEqual(counts(reply), [2, 1, 0, 1], reply.text);
    assert.ok(!reply.text.includes(card_number));
    assert.deepEqual(reply.json.data.errors[0].path, 'bank_reference');
    const [line] = await listed(service, 'transactions');
    assert.deepEqual(
      [line!.text, line!.acquirer_reference],
      ['CARD ************1486 ARD 74027040074000000000017', '74027040074000000000017'],
    );
    assert.ok(!service.stored().includes('4539578763621486'));
  });

  it('are refused with every field that has the number of a card', async (t) => {
    const service = await withAccount(await startService(t));
    const body = { data: { total_card_amount: 5_000 }, show_card_number: true };
    const { card_number } = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
    const order = {
      kind: 'standing_order',
      account,
      reference: `ref ${card_number}`,
      status: 'active',
      frequency: 'EvryDay',
      creditor_scheme_name: 'UK.OBIE.BBAN',
      creditor_identification: card_number,
    };
    const reply = await report(service, [order]);
    assert.deepEqual(counts(reply), [1, 0, 0, 1], reply.text);
    const paths = reply.json.data.errors.map(({ path }: { readonly path: string }) => path);
    assert.deepEqual(paths.toSorted(), ['creditor_identification', 'reference']);
  });

  it('are listed by booking dates, in pages', async (t) => {
    const service = await withAccount(await startService(t));
    const dates = ['2030-01-31', '2030-02-01', '2030-02-28', '2030-03-01'];
    await report(
      service,
      dates.map((booking_date, at) => transaction(`T${at}`, { booking_date })),
    );
    const february = await listed(service, 'transactions?filter[booking_date]=[2030-02-01,2030-02-28]&page[limit]=1');
    assert.deepEqual(
      february.map((one) => one.booking_date),
      ['2030-02-28'],
    );
    const path = `/bank/v1/accounts/${account}/transactions?filter[booking_date]=[2030-02-01,2030-02-28]&page[limit]=1`;
    const { next } = (await service.send('GET', path, bank)).json.links;
    const second = (await service.send('GET', next, bank)).json;
    assert.deepEqual([second.data[0].booking_date, second.data.length, second.links.next], ['2030-02-01', 1, null]);
    const wrong = await service.send('GET', `/bank/v1/accounts/${account}/transactions?filter[booking_date]=x`, bank);
    assert.equal(wrong.status, 400);
  });

  it('are accounted for in the audit log, with the number of each kind', async (t) => {
    const service = await withAccount(await startService(t));
    await report(service, [...one_of_each, transaction('T2'), []]);
    const rows = await readRows<{ details: string; object: string }>(
      service.database,
      `select object, details from tallystick_audit_entries where action = 'bank_records.reported'`,
    );
    assert.equal(rows.length, 1);
    assert.equal(rows[0]!.object, 'company:1');
    assert.deepEqual(JSON.parse(rows[0]!.details), {
      user: 1,
      profile: 1,
      balance: 1,
      transaction: 2,
      direct_debit: 1,
      standing_order: 1,
      scheduled_payment: 1,
    });
  });
});

describe('a transaction that the bank reports', () => {
  it('is the statement side of the purchase whose clearing has its acquirer reference', async (t) => {
    const service = await startService(t);
    await openAccount(service);
    const card = await issueCard(service);
    const reference = newReference();
    await buy(service, card, { authorized: 5_000, acquirer_reference_data: reference });
    const items = async () => (await service.send('GET', '/v1/reconciliation/items')).json.data;
    const [before, ...none] = await items();
    assert.deepEqual([before.stated, none.length], [null, 0]);
    const text = `PAPER SHOP ARD ${reference}`;
    assert.deepEqual(counts(await report(service, [transaction('T1', { amount: -5_000, text })])), [1, 1, 0, 0]);
    const [after, ...others] = await items();
    assert.deepEqual([after.stated, after.status, others.length], [5_000, 'matched', 0]);
  });
});

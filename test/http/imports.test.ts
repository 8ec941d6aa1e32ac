import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { ClearingInput, Ledger } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import { database_names, readRows, sandbox_keys, until } from '@tallystick/test-support';
import { authorization, type Reply, type Service, startService } from './service.ts';

const path = '/operator/v1/imports';
const operator = { key: 'operator' } as const;
const cdf3 = clearing_formats.find(({ name }) => name === 'cdf3')!;

/** A whole file of the default format. */
function fileOf(sequence: number, clearings: readonly Partial<ClearingInput>[]): Buffer {
  const written = clearings.map((differing, at) => ({
    input: {
      network_financial_transaction_id: `TX-${sequence}-${at}`,
      billing_amount: 2_400,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
      ...differing,
    } as ClearingInput,
  }));
  return Buffer.concat([...cdf3.write!({ sequence, created_on: '2030-03-16', mode: 'test', clearings: written })]);
}

function upload(
  { send }: Service,
  body: Uint8Array,
  query = 'name=a.xml',
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const typed = { 'Content-Type': 'application/octet-stream', ...headers };
  return send('POST', `${path}?${query}`, { ...operator, body, headers: typed });
}

async function createCard({ send }: Service): Promise<{ readonly id: number; readonly card_number: string }> {
  const body = { data: { total_card_amount: 10_000 }, show_card_number: true };
  const { id, card_number } = (await send('POST', '/v1/virtualcards', { body })).json.data;
  return { id: Number(id), card_number };
}

async function balance({ send }: Service, id: number): Promise<number> {
  return (await send('GET', `/v1/virtualcards/${id}`)).json.data.available_balance;
}

for (const database of database_names) {
  describe(`imports over ${database}`, () => {
    it('apply each clearing once, whether it comes by message or in files', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const card = await createCard(service);
      const sent = await send('POST', '/network/v1/authorizations', {
        key: 'network',
        body: authorization(card.card_number, { billing_amount: 3_000, merchant_amount: 3_000 }),
      });
      assert.equal(sent.json.data.response_code, '00', sent.text);
      assert.equal(await balance(service, card.id), 7_000);
      const by_message = {
        vcn_id: card.id,
        network_financial_transaction_id: 'TX-1-0',
        billing_amount: 2_400,
        billing_currency: 'USD',
        clearing_type: 'DEBIT',
        settlement_date: '2030-03-16',
      };
      const cleared = await send('POST', '/network/v1/clearings', { key: 'network', body: { data: by_message } });
      assert.equal(cleared.status, 200, cleared.text);
      const before_import = await balance(service, card.id);
      const file = fileOf(1, [
        { card_number: card.card_number },
        { vcn_id: card.id, billing_amount: 100 },
        { vcn_id: 999_999 },
      ]);
      const first = await upload(service, file);
      assert.equal(first.status, 200, first.text);
      const { data } = first.json;
      assert.deepEqual(
        [data.status, data.format, data.name, data.applied, data.duplicates, data.quarantined],
        ['completed_with_quarantine', 'cdf3', 'a.xml', 1, 1, 1],
      );
      assert.equal(data.bytes, file.length);
      assert.equal(await balance(service, card.id), before_import - 100);

      const again = await upload(service, file, 'name=other.xml');
      assert.deepEqual([again.status, again.json.data], [200, data]);
      assert.equal(await balance(service, card.id), before_import - 100);
      assert.deepEqual((await send('GET', data.url, operator)).json.data, data);
      const { data: listed } = (await send('GET', `${path}?filter[format]=cdf3`, operator)).json;
      assert.deepEqual(listed, [data]);
      assert.deepEqual((await send('GET', `${path}?filter[status]=held`, operator)).json.data, []);
      const minimal = await send('GET', path, { ...operator, headers: { Prefer: 'return-minimal' } });
      assert.deepEqual(minimal.json.data, [{ id: data.id, type: 'import', url: data.url }]);
      const { data: quarantined } = (await send('GET', `${data.url}/quarantine`, operator)).json;
      assert.deepEqual(
        quarantined.map((one: { source: string; reason: string; import_id: number }) => [
          one.source,
          one.reason,
          one.import_id,
        ]),
        [['file', 'unknown_card', Number(data.id)]],
      );
      const replayed = await send('POST', `${data.url}/replay`, operator);
      assert.deepEqual([replayed.status, replayed.json.data.quarantined], [200, 1]);
      assert.ok(!service.log().includes(card.card_number));
      const audited = await readRows<{ action: string }>(
        service.database,
        'select action from tallystick_audit_entries',
      );
      assert.ok(audited.some(({ action }) => action === 'import.replayed'));
    });

    it('recognise clearings by their content where the ids of a file name nothing', async (t) => {
      const service = await startService(t, database);
      const { id: vcn_id } = await createCard(service);
      const rows = [
        { billing_amount: 1_000, acquirer_reference_data: '55500807108286688900001' },
        { billing_amount: 2_000, acquirer_reference_data: '55500807108286688900002' },
        { billing_amount: 700, acquirer_reference_data: '55500807108286688900003', clearing_type: 'CREDIT' },
      ];
      const ofCdf3 = (sequence: number) =>
        fileOf(
          sequence,
          rows.map((row) => ({ ...row, vcn_id, network_financial_transaction_id: '0000000000000' })),
        );
      const ofCsv = (delimiter: string, id: string) => {
        const names = 'vcn_id,network_financial_transaction_id,billing_amount,billing_currency,clearing_type';
        const lines = rows.map(({ billing_amount, acquirer_reference_data: ard, clearing_type = 'DEBIT' }) =>
          [vcn_id, id, billing_amount, 'USD', clearing_type, '2030-03-16', ard].join(delimiter),
        );
        const header = `${names},settlement_date,acquirer_reference_data`.replaceAll(',', delimiter);
        return Buffer.from([header, ...lines, ''].join('\r\n'));
      };
      const files: readonly (readonly [string, Buffer])[] = [
        ['a.xml', ofCdf3(1)],
        ['b.xml', ofCdf3(2)],
        ['a.csv', ofCsv(',', '5.55E+17')],
        ['b.csv', ofCsv(';', '5,55E+17')],
        ['c.csv', ofCsv(';', '')],
      ];
      for (const [at, [name, file]] of files.entries()) {
        const { data } = (await upload(service, file, `name=${name}`)).json;
        const result = [data.status, data.applied, data.duplicates, data.quarantined];
        assert.deepEqual(result, ['completed', ...(at === 0 ? [3, 0] : [0, 3]), 0], name);
        assert.equal(await balance(service, vcn_id), 7_700);
      }
    });

    it('hold a file with a known id until an operator releases it', async (t) => {
      const service = await startService(t, database);
      const { send } = service;
      const card = await createCard(service);
      await upload(service, fileOf(1, [{ vcn_id: card.id }]));
      const { data: held } = (await upload(service, fileOf(1, [{ vcn_id: card.id, billing_amount: 5 }]), 'name=b.xml'))
        .json;
      assert.deepEqual([held.status, held.problem.code, held.applied], ['held', 'file_id_repeated', 0]);
      const without_note = await send('POST', `${held.url}/release`, { ...operator, body: { data: {} } });
      assert.equal(without_note.status, 400);
      assert.deepEqual(
        without_note.json.fields.map(({ path }: { path: string }) => path),
        ['data.note'],
      );
      const body = { data: { note: 'the sender confirmed it' } };
      const [released, late] = await Promise.all([
        send('POST', `${held.url}/release`, { ...operator, body }),
        send('POST', `${held.url}/release`, { ...operator, body }),
      ]).then((replies) => replies.toSorted((a, b) => a.status - b.status));
      assert.deepEqual([released!.status, late!.status], [200, 409], released!.text);
      const { status, note, other_records } = released!.json.data;
      assert.deepEqual([status.startsWith('completed'), note], [true, 'the sender confirmed it']);
      assert.deepEqual(other_records, {
        IssuerInformation_3000: 1,
        CorporateInformation_4000: 1,
        CardAcceptor_5001: 1,
      });
    });

    it('answer 202 when the file is staged, if the caller prefers that', async (t) => {
      const service = await startService(t, database);
      const card = await createCard(service);
      const file = fileOf(
        1,
        Array.from({ length: 2_500 }, () => ({ vcn_id: card.id, billing_amount: 1 })),
      );
      const { status, headers, json } = await upload(service, file, 'name=a.xml', { Prefer: 'respond-async' });
      assert.deepEqual([status, json.data.status, json.data.phase], [202, 'running', 'applying']);
      assert.equal(headers.get('Preference-Applied'), 'respond-async');
      const read = async () => (await service.send('GET', json.data.url, operator)).json.data;
      await until(async () => (await read()).status !== 'running');
      assert.deepEqual((({ status, applied }) => [status, applied])(await read()), ['completed', 2_500]);
      assert.equal(await balance(service, card.id), 7_500);
      const refused = await upload(service, Buffer.from('no file'), 'name=b.xml', { Prefer: 'respond-async' });
      assert.deepEqual([refused.status, refused.json.data.status], [200, 'refused']);
    });

    it('are done by one of several callers with the same bytes', async (t) => {
      const service = await startService(t, database);
      const card = await createCard(service);
      const file = fileOf(
        1,
        Array.from({ length: 1_500 }, () => ({ vcn_id: card.id, billing_amount: 1 })),
      );
      const replies = await Promise.all(Array.from({ length: 3 }, () => upload(service, file)));
      assert.ok(
        replies.every(({ status }) => status === 200 || status === 409),
        replies.map(({ text }) => text).join('\n'),
      );
      assert.ok(replies.some(({ status }) => status === 200));
      await until(async () => (await upload(service, file)).status === 200);
      assert.equal(await balance(service, card.id), 8_500);
      const { data } = (await service.send('GET', path, operator)).json;
      assert.deepEqual(
        data.map(({ status }: { status: string }) => status),
        ['completed'],
      );
    });
  });
}

describe('imports', () => {
  it('apply nothing of a body that breaks off, and all of it when it comes again', async (t) => {
    const service = await startService(t);
    const card = await createCard(service);
    const file = fileOf(
      1,
      Array.from({ length: 1_500 }, () => ({ vcn_id: card.id, billing_amount: 1 })),
    );
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const head = `POST ${path}?name=a.xml HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sandbox_keys.operator}\r\n`;
    socket.write(`${head}Content-Length: ${file.length}\r\n\r\n`);
    socket.write(file.subarray(0, file.length - 100));
    const imports = async () => (await service.send('GET', path, operator)).json.data;
    await until(async () => (await imports()).length === 1);
    socket.destroy();
    await until(async () => (await imports()).length === 0);
    await until(async () => service.log().includes('"aborted":true'));
    const line =
      service
        .log()
        .split('\n')
        .find((text) => text.includes('"aborted":true')) ?? '';
    assert.equal(JSON.parse(line).status, 499);
    assert.equal(await balance(service, card.id), 10_000);
    assert.deepEqual(await readRows(service.database, 'select * from tallystick_import_batches'), []);
    const whole = await upload(service, file);
    assert.equal(whole.json.data.status, 'completed', whole.text);
    assert.equal(await balance(service, card.id), 8_500);
  });

  it('do not let a slow sender delay the stop of a process', async (t) => {
    const service = await startService(t);
    const card = await createCard(service);
    const file = fileOf(1, [{ vcn_id: card.id }]);
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const head = `POST ${path}?name=a.xml HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sandbox_keys.operator}\r\n`;
    socket.write(`${head}Content-Length: ${file.length}\r\n\r\n`);
    socket.write(file.subarray(0, 10));
    await until(() => service.lifecycle.in_flight > 0);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    service.lifecycle.stop();
    await service.lifecycle.idle();
    await closed;
    assert.match(answer, /^HTTP\/1\.1 503 /);
    assert.deepEqual(await readRows(service.database, 'select * from tallystick_imports'), []);
  });

  it('answer 202 when the process stops while they are applied', async (t) => {
    const service = await startService(t);
    const card = await createCard(service);
    const file = fileOf(
      1,
      Array.from({ length: 2_500 }, () => ({ vcn_id: card.id, billing_amount: 1 })),
    );
    const answered = upload(service, file);
    const phase = async () =>
      (await readRows<{ phase: string | null }>(service.database, 'select phase from tallystick_imports'))[0]?.phase;
    await until(async () => (await phase()) === 'applying');
    service.lifecycle.stop();
    const { status, headers, json } = await answered;
    assert.deepEqual([status, json.data.status, headers.get('Preference-Applied')], [202, 'running', null]);
    assert.equal(await phase(), 'applying');
  });

  it('answer 202 when the process stops while a released one is applied', async (t) => {
    const service = await startService(t);
    const card = await createCard(service);
    await upload(service, fileOf(1, [{ vcn_id: card.id }]));
    const clearings = Array.from({ length: 2_500 }, () => ({ vcn_id: card.id, billing_amount: 1 }));
    const { data: held } = (await upload(service, fileOf(1, clearings), 'name=b.xml')).json;
    const body = { data: { note: 'the sender confirmed it' } };
    const answered = service.send('POST', `${held.url}/release`, { ...operator, body });
    const phase = async () =>
      (
        await readRows<{ phase: string | null }>(
          service.database,
          'select phase from tallystick_imports order by id desc',
        )
      )[0]?.phase;
    await until(async () => (await phase()) === 'applying');
    service.lifecycle.stop();
    const { status, json } = await answered;
    assert.deepEqual([status, json.data?.id, json.data?.status], [202, held.id, 'running']);
    assert.equal(await phase(), 'applying');
  });

  it('are refused past the share of their key while accepted ones are still applied', async (t) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    t.after(() => release());
    const hold = (ledger: Ledger): Ledger => ({
      ...ledger,
      async pass(messages, fold) {
        await released;
        return await ledger.pass(messages, fold);
      },
    });
    const service = await startService(t, 'sqlite', (ports) => ports, hold);
    const prefer = { Prefer: 'respond-async' };
    const send = (sequence: number) => upload(service, fileOf(sequence, [{ vcn_id: 999 }]), 'name=a.xml', prefer);
    for (let sequence = 1; sequence <= 4; sequence += 1) assert.equal((await send(sequence)).status, 202);
    const refused = await send(5);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'], refused.text);
    release();
    await until(async () => (await send(5)).status !== 503);
  });

  it('accept a file over the bound of a body, of any media type, and no compressed one', async (t) => {
    const service = await startService(t);
    const card = await createCard(service);
    const file = fileOf(
      1,
      Array.from({ length: 3_000 }, () => ({ vcn_id: card.id, billing_amount: 1, merchant_name: 'M'.repeat(40) })),
    );
    assert.ok(file.length > 1024 * 1024);
    const typed = await upload(service, file, 'name=a.xml', { 'Content-Type': 'text/plain; charset=x' });
    assert.equal(typed.json.data?.status, 'completed', typed.text);
    const compressed = await upload(service, file, 'name=a.xml', { 'Content-Encoding': 'gzip' });
    assert.deepEqual([compressed.status, compressed.json.code], [415, 'unsupported_media_type']);
  });

  it('refuse wrong parameters, and mask a card number in the name of a file', async (t) => {
    const service = await startService(t);
    const file = fileOf(1, []);
    const cases: readonly (readonly [string, string])[] = [
      ['', 'name'],
      ['name=', 'name'],
      ['name=a&name=b', 'name'],
      [`name=${'n'.repeat(256)}`, 'name'],
      ['name=a%1B[2J', 'name'],
      ['name=%20%E2%80%8B', 'name'],
      ['name=a&format=cdf4', 'format'],
      ['name=a&formt=cdf3', 'formt'],
    ];
    for (const [query, field] of cases) {
      const { status, json } = await upload(service, file, query);
      assert.deepEqual([status, json.code, json.fields?.[0]?.path], [400, 'invalid_query', field], query);
    }
    assert.deepEqual((await service.send('GET', path, operator)).json.data, []);
    const named = await upload(service, file, 'name=5555555555554444.xml');
    assert.equal(named.json.data.name, '************4444.xml');
  });

  it('refuse a file whose id contains the number of a card, and do not keep that id', async (t) => {
    const service = await startService(t);
    const { id, card_number } = await createCard(service);
    const file = fileOf(1, [{ vcn_id: id }]).toString();
    for (const file_id of [card_number, `F-${card_number.match(/.{4}/g)!.join('-')}`]) {
      const named = file.replace(/(?<=<FileReferenceNum>)[^<]+/, file_id);
      assert.notEqual(named, file);
      const { data } = (await upload(service, Buffer.from(named))).json;
      assert.deepEqual([data.status, data.problem.code, data.file_id], ['refused', 'header_malformed', null]);
      assert.equal(data.problem.message, 'file_id must not contain a card number');
    }
    assert.equal((await upload(service, Buffer.from(file))).json.data.status, 'completed');
  });

  it('show the row of a CSV file that cannot be read, and not its header', async (t) => {
    const service = await startService(t);
    const columns =
      'vcn_id,network_financial_transaction_id,billing_amount,billing_currency,clearing_type,settlement_date';
    const row = '17,TX-1,much,USD,DEBIT,2030-03-16';
    const { data } = (await upload(service, Buffer.from(`${columns}\n${row}\n`), 'name=a.csv')).json;
    const { data: quarantined } = (await service.send('GET', `${data.url}/quarantine`, operator)).json;
    const excerpts = quarantined.map((one: { message: { record: string } }) => one.message.record);
    assert.deepEqual(excerpts, [`${row}.`]);
  });

  it('verify the signature of a file at its end, before anything is applied', async (t) => {
    const service = await startService(t);
    const card = await createCard(service);
    const signing_secret = 'a secret of at least thirty-two characters';
    const body = { data: { role: 'operator', name: 'files', signing_secret } };
    const created = await service.send('POST', '/operator/v1/keys', { ...operator, body });
    assert.equal(created.status, 200, created.text);
    const { key } = created.json.data;
    const file = fileOf(1, [{ vcn_id: card.id }]);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const sign = (bytes: Uint8Array) =>
      createHmac('sha256', signing_secret)
        .update(`${timestamp}\nPOST\n${path}\nname=a.xml\n`)
        .update(bytes)
        .digest('hex');
    const send = (bytes: Uint8Array, signature: string) =>
      service.send('POST', `${path}?name=a.xml`, {
        key,
        body: bytes,
        headers: { 'X-Timestamp': timestamp, 'X-Signature': signature, 'Content-Type': 'application/xml' },
      });
    const forged = await send(file, sign(Buffer.concat([file, Buffer.from(' ')])));
    assert.deepEqual([forged.status, forged.json.code], [401, 'unauthenticated']);
    assert.equal(await balance(service, card.id), 10_000);
    assert.deepEqual((await service.send('GET', path, operator)).json.data, []);
    const signed = await send(file, sign(file));
    assert.equal(signed.json.data?.status, 'completed', signed.text);
  });

  it('are for operators', async (t) => {
    const { send } = await startService(t);
    for (const key of ['client', 'network', 'bank'] as const) {
      assert.equal((await send('POST', `${path}?name=a`, { key, body: 'x' })).status, 403);
      assert.equal((await send('GET', path, { key })).status, 403);
      assert.equal((await send('POST', `${path}/1/replay`, { key })).status, 403);
    }
    assert.equal((await send('GET', `${path}/1`, operator)).status, 404);
    assert.equal((await send('GET', `${path}/1/quarantine`, operator)).status, 404);
    assert.equal((await send('POST', `${path}/1/replay`, operator)).status, 404);
    const body = { data: { note: 'n' } };
    assert.equal((await send('POST', `${path}/1/release`, { ...operator, body })).status, 404);
  });
});

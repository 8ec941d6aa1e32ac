import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Violation } from '@tallystick/kernel';
import { database_names, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import pg from 'pg';
import { copyInto } from '../src/connection/postgres/copied-rows.ts';
import { named } from '../src/connection/postgres/named-query.ts';
import { sendTogether } from '../src/connection/postgres/send-together.ts';

describe('statements that are sent together', {
  skip: database_names.includes('postgres') ? false : 'no Postgres',
}, () => {
  let database: ScratchDatabase;
  let client: pg.Client;
  before(async () => {
    database = await scratchDatabase('postgres');
    client = new pg.Client({ connectionString: database.database_url, pipeline: true } as pg.ClientConfig);
    await client.connect();
    await client.query('create table kept (id bigint primary key)');
  });
  after(async () => {
    await client?.end();
    await database?.dispose();
  });

  const insert = (id: number) => named('insert', 'insert into kept values ($1)', [id]);
  const all = named('all', 'select id from kept order by id', []);
  const ids = async () => (await sendTogether(client, [all]))[0]!.rows.map(({ id }) => id);

  it('are answered each with its command and its rows', async () => {
    for (const round of [1, 2]) {
      const answers = await sendTogether(client, [named('begin', 'begin', []), insert(round), all, insert(9), all]);
      assert.deepEqual(
        answers.map(({ command, rows }) => [command, ...rows.map(({ id }) => id)]),
        [['BEGIN'], ['INSERT'], ['SELECT', round], ['INSERT'], ['SELECT', round, 9]],
      );
      await sendTogether(client, [{ text: 'rollback' }]);
    }
  });

  it('are not run behind one that fails, whose error is the result', async () => {
    await sendTogether(client, [insert(1)]);
    const later = named('later', 'insert into kept select 2', []);
    await assert.rejects(sendTogether(client, [insert(1), later]), { code: '23505' });
    assert.deepEqual(await ids(), [1]);
    await sendTogether(client, [later]);
    assert.deepEqual(await ids(), [1, 2], 'the connection and the statements can be used again');
    await assert.rejects(sendTogether(client, [named('no_table', 'select 1 from not_there', [])]), { code: '42P01' });
    assert.deepEqual(await ids(), [1, 2]);
  });

  it('read each value as it is', async () => {
    const texts = ['', 'a"b\\c{d},e', 'null', 'é|\n'];
    const bytes = [new Uint8Array([0, 92, 255]), new Uint8Array()];
    const [answer] = await sendTogether(client, [
      named(
        'values',
        `select $1::bigint as number, $2::text as text, $3::text as nothing, $4::bytea as bytes, $5::boolean as yes,
           to_json($6::text[])::text as texts, ($7::bytea[])[1] as first, ($7::bytea[])[2] as second, $8::bigint[] as numbers`,
        [2 ** 53 - 1, texts[1], null, bytes[0], true, texts, bytes, [1, -2]],
      ),
    ]);
    const [row] = answer!.rows;
    assert.deepEqual(
      { ...row, texts: JSON.parse(row.texts) },
      {
        number: 2 ** 53 - 1,
        text: texts[1],
        nothing: null,
        bytes: Buffer.from(bytes[0]!),
        yes: true,
        texts,
        first: Buffer.from(bytes[0]!),
        second: Buffer.alloc(0),
        numbers: [1, -2],
      },
    );
  });

  it('copy records as they are, and nothing when a later statement fails', async () => {
    await client.query('create table copied (id bigserial, number bigint, text text, yes boolean, json text)');
    const columns = { number: 'integer', text: 'text', yes: 'boolean', json: 'json' } as const;
    const copy = copyInto('copied', 'copied', columns);
    const records = [
      { number: -1, text: '', yes: true, json: { a: 'é"\\\n' } },
      { number: 2 ** 53 - 1, text: 'é€😀', yes: false, json: [] },
      { number: -(2 ** 53) + 1, text: 'a'.repeat(33), yes: null, json: null },
      { number: null, text: 'é'.repeat(300_000), yes: true, json: 0 },
      { number: 2 ** 32, text: undefined, yes: true, json: 'x' },
    ];
    const kept = named('kept', 'select number, text, yes, json from copied order by id', []);
    const expected = records.map((record) => ({
      ...record,
      text: record.text ?? null,
      json: record.json === null ? null : JSON.stringify(record.json),
    }));
    for (const round of [1, 2]) {
      const [copied, answer] = await sendTogether(client, [copy(records), kept]);
      assert.equal(copied!.command, 'COPY');
      assert.deepEqual(answer!.rows.slice(-expected.length), expected, `round ${round}`);
    }
    const failing = [named('begin', 'begin', []), copy(records), insert(1), named('commit', 'commit', [])];
    await assert.rejects(sendTogether(client, failing), { code: '23505' });
    await sendTogether(client, [{ text: 'rollback' }]);
    const failed = [named('begin', 'begin', []), insert(1), copy(records)];
    await assert.rejects(sendTogether(client, failed), { code: '23505' });
    await sendTogether(client, [{ text: 'rollback' }]);
    const [answer] = await sendTogether(client, [kept]);
    assert.equal(answer!.rows.length, 2 * records.length);
  });

  it('copy no number that is not whole', () => {
    const copy = copyInto('numbers', 'numbers', { number: 'integer' });
    for (const number of [Number.NaN, 1.5, Number.POSITIVE_INFINITY, 2 ** 53])
      assert.throws(() => copy([{ number }]), Violation, String(number));
  });

  it('of a COPY keep their bytes until the server has read them', async () => {
    await client.query('create table large (text text)');
    const copy = copyInto('large', 'large', { text: 'text' });
    const copies = (text: string) => Array.from({ length: 32 }, () => copy([{ text: text.repeat(20_000) }]));
    // More bytes than the buffers of the two sockets hold: what follows is not sent yet.
    const much = named('much', 'select length($1)', ['a'.repeat(32_000_000)]);
    const texts = named('texts', `select distinct translate(text, 'a', '') as text from large`, []);

    await sendTogether(client, copies('a'));
    const answers = sendTogether(client, [named('wait', 'select pg_sleep(0.1)', []), much, ...copies('a')]);
    copies('b');
    await answers;
    assert.deepEqual((await sendTogether(client, [texts]))[0]!.rows, [{ text: '' }]);

    await sendTogether(client, copies('a'));
    const failing = sendTogether(client, [named('failing', 'select 1 / 0', []), much, ...copies('a')]);
    await assert.rejects(
      failing.finally(() => copies('')),
      { code: '22012' },
    );
    assert.deepEqual(
      (await sendTogether(client, [texts]))[0]!.rows,
      [{ text: '' }],
      'the rest was read as it was sent',
    );
  });

  it('reject when the connection is closed', async () => {
    const other = new pg.Client({ connectionString: database.database_url, pipeline: true } as pg.ClientConfig);
    other.on('error', () => {});
    await other.connect();
    const answers = sendTogether(other, [named('sleep', 'select pg_sleep(60)', [])]);
    (other as unknown as { readonly connection: pg.Connection }).connection.stream.destroy();
    await assert.rejects(answers);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { money } from '@tallystick/kernel';
import { database_names, sandbox_keys } from '@tallystick/test-support';
import { book, buy, clear, issueCard, newReference, openAccount } from './reconciliation-world.ts';
import { type Reply, type Service, startService } from './service.ts';

const path = '/v1/reconciliation';

type Item = Reply['json'];

/** A purchase whose line differs by 0.40, a force post, and a lone line of another amount. */
async function fill(service: Service) {
  const card = await issueCard(service);
  const account_id = await openAccount(service);
  const reference = newReference();
  await buy(service, card, { authorized: 5_000, acquirer_reference_data: reference });
  await clear(service, card, 700, { acquirer_reference_data: newReference() });
  await book(service, account_id, [
    { amount: money(-5_040), acquirer_reference: reference },
    { amount: money(-700), acquirer_reference: newReference(), booking_date: '2030-03-11' },
  ]);
  return card;
}

async function itemOfKind({ send }: Service, kind: string): Promise<Item> {
  const { json } = await send('GET', `${path}/items?filter[kind]=${kind}`);
  assert.equal(json.data.length, 1, kind);
  return json.data[0];
}

function act({ send }: Service, { url }: Item, action: string, data: object): Promise<Reply> {
  return send('POST', `${url}/${action}`, { body: { data } });
}

async function read({ send }: Service, { url }: Item): Promise<Item> {
  return (await send('GET', url)).json.data;
}

async function decide({ send }: Service, table: string, query = ''): Promise<Reply> {
  return await send('POST', `${path}/decisions${query}`, { body: table, headers: { 'Content-Type': 'text/csv' } });
}

/** Sends the head of a request with a table of this length, and no byte of it. */
async function declareTable({ url }: Service, bytes: number): Promise<{ status: number | undefined; text: string }> {
  const headers = {
    Authorization: `Bearer ${sandbox_keys.client}`,
    'Content-Type': 'text/csv',
    'Content-Length': bytes,
  };
  const asked = request(`${url}${path}/decisions`, { method: 'POST', headers });
  asked.flushHeaders();
  try {
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.setEncoding('utf8');
    return { status: answer.statusCode, text: (await answer.toArray()).join('') };
  } finally {
    asked.destroy();
  }
}

for (const database of database_names) {
  describe(`what people do to items over ${database}`, () => {
    it('is shown by the item with who, when and why, and is undone by another act', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const before = await itemOfKind(service, 'amount');
      const accepted = await act(service, before, 'accept', { note: 'The bank refunds it', reason: 'fee' });
      assert.deepEqual([accepted.status, accepted.json.data.status], [200, 'accepted'], accepted.text);
      const twice = await act(service, before, 'accept', { note: 'again' });
      assert.deepEqual([twice.status, twice.json.code], [409, 'conflict'], twice.text);
      const reopened = await act(service, before, 'reopen', { note: 'It does not' });
      assert.equal(reopened.json.data.status, 'break');
      const { history } = await read(service, before);
      const { version: _, ...after } = await itemOfKind(service, 'amount');
      const { version: __, ...was } = before;
      assert.deepEqual(after, was);
      assert.deepEqual(
        history.map(({ action, note, reason, item_id }: Item) => [action, note, reason, item_id]),
        [
          ['accept', 'The bank refunds it', 'fee', before.id],
          ['reopen', 'It does not', null, before.id],
        ],
      );
      assert.equal(history[0].actor, 'key:sandbox:client');
    });

    it('matches a lone line with a lone clearing, and takes them apart again', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const clearing = await itemOfKind(service, 'unauthorized');
      const line = await itemOfKind(service, 'unexplained_line');
      const matched = await act(service, clearing, 'match', {
        with: { line_ids: line.line_ids },
        note: 'The same shop',
      });
      assert.equal(matched.status, 200, matched.text);
      assert.deepEqual(matched.json.data.line_ids, line.line_ids);
      const [, by_hand] = matched.json.data.matches;
      assert.deepEqual([by_hand.side, by_hand.rule], ['statement', 'person']);
      const merged = await read(service, line);
      assert.equal(merged.id, (await read(service, clearing)).id, 'both ids lead to the item');
      const undone = await act(service, merged, 'unmatch', { note: 'Another purchase' });
      assert.equal(undone.status, 200, undone.text);
      assert.deepEqual((await read(service, line)).clearing_ids, []);
      const bought = await itemOfKind(service, 'amount');
      const taken = await act(service, bought, 'unmatch', { side: 'authorization', note: 'Another card' });
      assert.equal(taken.status, 200, taken.text);
      const audited = (await service.send('GET', '/operator/v1/audit', { key: 'operator' })).json.data;
      const by_keys = audited.filter(({ actor }: Item) => actor.startsWith('key:'));
      assert.ok(by_keys.some(({ action }: Item) => action === 'clearing.unmatched_by_hand'));
      for (const { action, source_address } of by_keys) assert.equal(source_address, '127.0.0.1', action);
    });

    it('is refused with what is wrong and what would be right', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const item = await itemOfKind(service, 'amount');
      const line = await itemOfKind(service, 'unexplained_line');
      const attempts: readonly (readonly [string, object, number, RegExp])[] = [
        ['accept', {}, 400, /data\.note/],
        ['accept', { note: ' ' }, 400, /data\.note/],
        ['accept', { note: 'x'.repeat(1_001) }, 400, /data\.note/],
        ['accept', { note: 'x', nonsense: 1 }, 400, /data\.nonsense is not a field of this request/],
        ['accept', { note: 'x', version: item.version + 7 }, 409, /version/],
        ['confirm', { note: 'x' }, 409, /propos/],
        ['reopen', { note: 'x' }, 409, /./],
        ['match', { note: 'x' }, 400, /data\.with/],
        ['match', { note: 'x', with: {} }, 400, /data\.with/],
        [
          'match',
          { note: 'x', with: { line_ids: ['abc'] } },
          400,
          /^data\.with\.line_ids must be an array of 1 to 100 ids, positive whole numbers$/,
        ],
        ['match', { note: 'x', with: { line_ids: [999_999] } }, 400, /there is no line 999999/],
        ['match', { note: 'x', with: { line_ids: line.line_ids } }, 400, /must add up: .* a difference of 7\.40 USD/],
        ['unmatch', { note: 'x', side: 'left' }, 400, /data\.side/],
      ];
      for (const [action, data, status, error] of attempts) {
        const reply = await act(service, item, action, data);
        const what = `${action} ${JSON.stringify(data).slice(0, 80)}: ${reply.status} ${reply.text}`;
        assert.equal(reply.status, status, what);
        assert.match(reply.json.error, error, what);
      }
      const { history, version } = await read(service, item);
      assert.deepEqual([history, version], [[], item.version], 'nothing half done');
    });

    it('is not possible on items of another company', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const item = await itemOfKind(service, 'amount');
      const operator = (data: object) => ({ key: 'operator', body: { data } }) as const;
      const made = await service.send(
        'POST',
        '/operator/v1/companies',
        operator({ name: 'Other', customer_number: '7' }),
      );
      const key_data = { role: 'client', company_id: Number(made.json.data.id), name: 'other' };
      const { key } = (await service.send('POST', '/operator/v1/keys', operator(key_data))).json.data;
      const reply = await service.send('POST', `${item.url}/accept`, { key, body: { data: { note: 'x' } } });
      assert.equal(reply.status, 404, reply.text);
    });

    it('closes a period whose finished items do not change, and reopens it', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const item = await itemOfKind(service, 'amount');
      await act(service, item, 'accept', { note: 'x' });
      const closing = { body: { data: { closed_through: '2030-03-15' } } };
      const today = await service.send('POST', `${path}/periods`, closing);
      assert.deepEqual([today.status, today.json.fields[0].path], [400, 'data.closed_through'], today.text);
      assert.match(today.json.error, /must be 2030-03-14 or earlier, .*: that day is not over in UTC/);
      service.setClock('2030-03-16T00:00:00Z');
      const closed = await service.send('POST', `${path}/periods`, closing);
      assert.equal(closed.status, 200, closed.text);
      assert.deepEqual([closed.json.data.frozen, closed.json.data.open_breaks], [1, 2]);
      const refused = await act(service, item, 'reopen', { note: 'x' });
      assert.equal(refused.status, 409);
      assert.match(refused.json.error, /period/);
      assert.equal((await read(service, item)).period_id, Number(closed.json.data.id));
      const { json } = await service.send('GET', `${path}/periods`);
      assert.deepEqual(json.data, [closed.json.data]);
      assert.equal((await service.send('DELETE', `${path}/periods/${closed.json.data.id}`)).status, 204);
      assert.equal((await read(service, item)).period_id, null);
      assert.equal((await act(service, item, 'reopen', { note: 'x' })).status, 200);
    });

    it('may come as the table of items, whose second upload changes nothing', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const table = (await service.send('GET', `${path}/items.csv`)).text;
      const unchanged = await decide(service, table);
      assert.deepEqual([unchanged.status, unchanged.json.data.skipped], [200, 3], unchanged.text);
      const item = await itemOfKind(service, 'amount');
      const edited = table.replace(
        new RegExp(`^(${item.id},.*,\\d+),,(?=,)`, 'm'),
        '$1,accept,"=a note, with a formula"',
      );
      assert.notEqual(edited, table);
      const tried = await decide(service, edited, '?dry_run=true');
      assert.deepEqual([tried.json.data.dry_run, tried.json.data.decided, tried.json.data.errors], [true, 1, []]);
      assert.equal((await read(service, item)).status, 'break', 'a dry run decides nothing');
      const done = await decide(service, edited);
      assert.deepEqual([done.status, done.json.data.decided], [200, 1], done.text);
      const { status, history, version } = await read(service, item);
      assert.deepEqual([status, history[0].note], ['accepted', '=a note, with a formula']);
      const again = await decide(service, edited);
      assert.deepEqual([again.json.data.decided, again.json.data.unchanged], [0, 1], again.text);
      assert.equal((await read(service, item)).version, version);
    });

    it('is counted once when the same table comes several times at once', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const items = [await itemOfKind(service, 'amount'), await itemOfKind(service, 'unauthorized')];
      const rows = items.map(({ id, version }) => `${id},${version},ignore,x\r\n`);
      const table = `id,version,decision,note\r\n${rows.join('')}`;
      const replies = await Promise.all(Array.from({ length: 4 }, () => decide(service, table)));
      const counts = replies.map(({ json }) => [json.data.decided, json.data.unchanged]).toSorted();
      assert.deepEqual(counts, [
        [0, 2],
        [0, 2],
        [0, 2],
        [2, 0],
      ]);
      for (const item of items) assert.equal((await read(service, item)).history.length, 1);
    });

    it('is refused as a whole for an error in one row of a table', async (t) => {
      const service = await startService(t, database);
      await fill(service);
      const [item, other] = [await itemOfKind(service, 'amount'), await itemOfKind(service, 'unauthorized')];
      const table = [
        'id,version,decision,note',
        `${item.id},${item.version},accept,fine`,
        `${other.id},${other.version},accpet,typo`,
        '999999,1,accept,unknown',
        '',
      ].join('\r\n');
      const reply = await decide(service, table);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(
        reply.json.fields.map((field: Item) => field.path),
        ['rows[3].decision', 'rows[4].id'],
      );
      assert.equal((await read(service, item)).status, 'break');
      const tried = await decide(service, table, '?dry_run=true');
      assert.deepEqual([tried.status, tried.json.data.errors_total], [200, 2], tried.text);
    });
  });
}

describe('a table of decisions', () => {
  it('that is no table, or too long, is refused', async (t) => {
    const service = await startService(t);
    assert.equal((await decide(service, '')).status, 400);
    assert.equal((await decide(service, 'a,b\r\n1,2\r\n')).status, 400);
    for (const no_table of ['{}', 'id,version\r\n', '\0\0']) {
      const refused = await decide(service, no_table);
      assert.equal(refused.status, 400, no_table);
      assert.match(refused.json.error, /columns must be named in the first row: .*decision, note are not there/);
    }
    const returns = await decide(service, 'id,version,decision,note\r7,1,accept,x\r');
    assert.match(returns.json.error, /table must have LF or CRLF at the end of each row, and has CR alone/);
    const wrong = await decide(service, 'id,version,decision,note\r\n', '?dryrun=true');
    assert.match(wrong.json.error, /dryrun is not a parameter of this path; did you mean dry_run\?/);
  });

  it('that is not declared as CSV in UTF-8 is refused', async (t) => {
    const service = await startService(t);
    const body = 'id,version,decision,note\r\n';
    const send = (type: string) =>
      service.send('POST', `${path}/decisions`, { body, headers: { 'Content-Type': type } });
    for (const type of ['text/csv', 'Text/CSV; charset="UTF-8"', 'text/csv;charset=utf8; header=present']) {
      assert.equal((await send(type)).status, 200, type);
    }
    const others = ['application/json', 'application/x-www-form-urlencoded', 'text/csvx', 'text/csv; charset=utf-16'];
    for (const type of others) {
      const refused = await send(type);
      assert.deepEqual([refused.status, refused.json.code], [415, 'unsupported_media_type'], type);
      assert.equal(refused.json.error, 'the Content-Type must be text/csv (in UTF-8)');
    }
  });

  it('that is longer than 256 MiB is refused before its bytes are read', async (t) => {
    const service = await startService(t);
    const bytes_max = 256 * 1024 * 1024;
    const { status, text } = await declareTable(service, bytes_max + 1);
    assert.equal(status, 413, text);
    assert.match(text, /the file must have at most 268435456 bytes/);
  });
});

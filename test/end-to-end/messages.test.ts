/** A gateway that sends many messages in one request loses none of them, whatever the server does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names, scratchDatabase, startServer, until } from '@tallystick/test-support';
import { type LineAnswer, openMessages } from '../http/messages-client.ts';
import { availableBalance, issue, type Message, purchase } from './purchases.ts';

const total_card_amount = 100_000_000;

const lineOf = (data: Message): string => `${JSON.stringify({ type: 'authorization', data })}\n`;

for (const database_name of database_names) {
  describe(`many messages in one request, on ${database_name}`, () => {
    it('are all decided, also 10,000 at once, and those that a stop refused by the next server', async (t) => {
      const database = await scratchDatabase(database_name);
      t.after(() => database.dispose());
      const options = { database_url: database.database_url };
      const first = await startServer(options);
      t.after(() => first.kill());
      const cards = await Promise.all(
        Array.from({ length: 8 }, () => issue(first.url, { total_card_amount, currency: 'USD' })),
      );
      const purchases = Array.from({ length: 10_000 }, (_, at) => purchase(cards[at % 8]!.card_number, 100));

      const burst = openMessages(first);
      for (const message of purchases) burst.write(lineOf(message));
      burst.end();
      const answered = await burst.ended;
      assert.equal(answered.length, purchases.length);
      assert.deepEqual(
        new Set(answered.map(({ status, data }) => `${status} ${data?.response_code}`)),
        new Set(['200 00']),
      );
      assert.equal(new Set(answered.map(({ data }) => data.id)).size, purchases.length);

      const later = Array.from({ length: 10_000 }, (_, at) => purchase(cards[at % 8]!.card_number, 100));
      const cut = openMessages(first);
      for (const message of later) cut.write(lineOf(message));
      await until(() => cut.answers.length > 0);
      const stopped = first.stop();
      const before_stop = await cut.ended;
      const approved = new Map(before_stop.filter(isApproved).map(({ line, data }) => [line, data.id]));
      assert.ok(approved.size > 0 && approved.size < later.length, `${approved.size} lines were decided`);
      for (const { status, data } of before_stop) {
        assert.ok(status === 200 || data?.response_code === '96', `${status} ${JSON.stringify(data)}`);
      }
      cut.end();
      await stopped;

      const second = await startServer(options);
      t.after(() => second.kill());
      const again = openMessages(second);
      for (const message of later) again.write(lineOf(message));
      again.end();
      const repeated = await again.ended;
      assert.ok(repeated.every(isApproved));
      for (const { line, data } of repeated) assert.equal(data.id, approved.get(line) ?? data.id);
      const balances = await Promise.all(cards.map(({ id }) => availableBalance(second.url, id)));
      assert.equal(
        balances.reduce((sum, balance) => sum + balance, 0),
        8 * total_card_amount - 20_000 * 100,
      );
      assert.equal((await second.stop()).code, 0);
    });
  });
}

function isApproved({ status, data }: LineAnswer): boolean {
  return status === 200 && data.response_code === '00';
}

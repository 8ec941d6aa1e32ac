import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clearing_formats } from '@tallystick/clearing-files';
import {
  database_names,
  migratedDatabase,
  readRows,
  runAdmin,
  type ScratchDatabase,
  type ServerProcess,
  send,
  startServer,
  testRuns,
} from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { authorize, availableBalance, type Card, issue, purchase } from './purchases.ts';
import { filesAsPlaces } from './traces.ts';

const key = (id: string) => `${id}:${Buffer.alloc(32, `the key ${id}`).toString('base64')}`;

/**
 * The ring in the steps of a rotation: the new key known to all, then in front, then without the
 * old one.
 */
const rings = {
  both_old_first: [key('k1'), key('k2'), key('index')].join(','),
  both_new_first: [key('k2'), key('k1'), key('index')].join(','),
  new_alone: [key('k2'), key('index')].join(','),
};

const operator = { key: 'operator' } as const;

/**
 * Imports two files with one id. The second one is held, with its records staged. Returns its path.
 */
async function holdFile(url: string, { id }: Card): Promise<string> {
  const csv = clearing_formats.find(({ name }) => name === 'csv')!;
  const paths: string[] = [];
  for (const billing_amount of [100, 101]) {
    const input = {
      vcn_id: Number(id),
      network_financial_transaction_id: `TX-${billing_amount}`,
      billing_amount,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
    } as const;
    const content = { sequence: 1, created_on: '2030-03-16', mode: 'production', clearings: [{ input }] } as const;
    const body = Buffer.concat([...csv.write!(content, 'totals')]).toString();
    const { json } = await send(url, 'POST', '/operator/v1/imports?name=a.csv', { ...operator, body });
    paths.push(json.data.url);
    assert.equal(json.data.status, billing_amount === 100 ? 'completed' : 'held');
  }
  return paths.at(-1)!;
}

interface NumberRow {
  readonly id: number;
  readonly number_key_id: string;
  readonly number_sealed: Uint8Array;
}

describe('key rotation', { concurrency: true }, () => {
  for (const name of database_names) {
    describe(`with cards in use, ${name}`, { concurrency: 1 }, () => {
      let database: ScratchDatabase;
      const servers: ServerProcess[] = [];
      const cards: Card[] = [];
      before(async () => {
        database = await migratedDatabase(name);
      });
      after(async () => {
        await Promise.all(servers.map((server) => server.kill()));
        await database?.dispose();
      });
      const startWith = async (TALLYSTICK_KEYS: string): Promise<ServerProcess> => {
        const server = await startServer({ database_url: database.database_url, env: { TALLYSTICK_KEYS } });
        servers.push(server);
        return server;
      };
      const numbers = (): Promise<readonly NumberRow[]> =>
        readRows<NumberRow>(
          database,
          'select id, number_key_id, number_sealed from tallystick_virtual_cards order by id',
        );

      /** Reads the card with its number and code, and uses it with them. */
      const use = async (url: string, card: Card): Promise<void> => {
        const { card_number, cvc, expiry } = await reveal(url, card);
        const decided = await authorize(url, purchase(card_number, 100, { cvc, expiry }));
        assert.equal(decided.json.data.response_code, '00', decided.text);
      };
      const reveal = async (url: string, card: Card): Promise<Card> => {
        const read = await send(url, 'GET', `/v1/virtualcards/${card.id}?show_card_number=true`);
        assert.equal(read.status, 200, read.text);
        const { card_number, cvc, expiry } = read.json.data;
        assert.deepEqual([card_number, cvc, expiry], [card.card_number, card.cvc, card.expiry]);
        return read.json.data;
      };
      /** Uses old and new cards, from several callers, until `done`. Returns the number of uses. */
      const useUntil = async (url: string, done: Promise<unknown>): Promise<number> => {
        let over = false;
        const finished = done.finally(() => {
          over = true;
        });
        let uses = 0;
        const callers = Array.from({ length: 3 }, async (_, caller) => {
          for (let turn = 0; !over; turn += 1) {
            if (turn % 10 === 0) cards.push(await issue(url, { total_card_amount: 1_000_000 }));
            else await use(url, cards[(caller * 31 + turn * 17) % cards.length]!);
            uses += 1;
          }
        });
        await Promise.all([finished, ...callers]);
        return uses;
      };

      it('reads and uses every card before, during and after, and leaves no value of the old key', async () => {
        const [old_first, new_first] = await Promise.all([
          startWith(rings.both_old_first),
          startWith(rings.both_new_first),
        ]);
        const wanted = testRuns({ short: 40, full: 40 });
        while (cards.length < wanted) {
          const more = Array.from({ length: 20 }, () => issue(old_first.url, { total_card_amount: 1_000_000 }));
          cards.push(...(await Promise.all(more)));
        }
        const held = await holdFile(old_first.url, cards[0]!);
        const before_it = await numbers();
        assert.ok(before_it.every(({ number_key_id }) => number_key_id === 'k1'));

        // The new ring is distributed node by node. For a while both rings are in use, and each
        // node reads what the others write.
        const both = [old_first.url, new_first.url];
        await Promise.all(
          both.map((url) => issue(url, { total_card_amount: 1_000_000 }).then((card) => cards.push(card))),
        );
        await Promise.all(both.flatMap((url) => cards.slice(-6).map((card) => use(url, card))));
        await useUntil(new_first.url, old_first.stop());

        const options = { database_url: database.database_url, env: { TALLYSTICK_KEYS: rings.both_new_first } };
        const rotating = runAdmin(['keys', 'rotate'], options);
        const uses = await useUntil(new_first.url, rotating);
        assert.ok(uses > 0, 'cards were in use while keys were rotated');
        const { newest_key_id, card_numbers, staged_batches } = await rotating;
        assert.deepEqual([newest_key_id, staged_batches], ['k2', 1]);
        assert.ok(Number(card_numbers) >= before_it.length, `${card_numbers} of ${before_it.length} were sealed again`);

        const after_it = await numbers();
        assert.equal(after_it.length, cards.length);
        assert.deepEqual(
          after_it.filter(({ number_key_id }) => number_key_id !== 'k2'),
          [],
        );
        const { card_vault } = createVault(parseKeyRing(rings.new_alone));
        for (const [at, { number_sealed }] of after_it.entries()) {
          const { card_number } = cards.find(({ id }) => Number(id) === after_it[at]!.id) as Card;
          assert.equal(card_vault.open(number_sealed).reveal(), card_number);
        }

        // Everything still works without the old key.
        const alone = await startWith(rings.new_alone);
        for (let at = 0; at < cards.length; at += 20) {
          await Promise.all(cards.slice(at, at + 20).map((card) => reveal(alone.url, card)));
        }
        const body = { data: { note: 'the sender confirmed it' } };
        const released = await send(alone.url, 'POST', `${held}/release`, { ...operator, body });
        assert.deepEqual([released.json.data?.status, released.json.data?.applied], ['completed', 1], released.text);
        const last = cards.at(-1) as Card;
        await use(alone.url, last);
        const balance = await availableBalance(alone.url, last.id);
        assert.ok(balance < 1_000_000 && balance === (await availableBalance(new_first.url, last.id)));
        // The last one to close the file of SQLite removes its log. Of two at the same time neither may.
        await alone.stop();
        await new_first.stop();

        const old_ones = before_it.map(({ number_sealed }) => Buffer.from(number_sealed));
        if (name === 'sqlite') {
          const left = filesAsPlaces(database).filter(({ bytes }) => old_ones.some((old) => bytes.includes(old)));
          assert.deepEqual(
            left.map(({ name }) => name),
            [],
            'values sealed by the old key are not even in the free space of the file',
          );
        }
        const rows = (await numbers()).map(({ number_sealed }) => Buffer.from(number_sealed).toString('hex'));
        assert.ok(old_ones.every((old) => !rows.includes(old.toString('hex'))));
      });
    });
  }
});

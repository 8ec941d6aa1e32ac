import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  changeRows,
  database_names,
  migratedDatabase,
  readRows,
  runAdmin,
  runAdminToEnd,
  type ScratchDatabase,
  type ServerProcess,
  send,
  startServer,
} from '@tallystick/test-support';
import { authorize, issue, purchase } from './purchases.ts';

/** A ring of one key, and the ring after a rotation, without that key. */
const ring = Buffer.alloc(32, 'the first key').toString('base64');
const rotated = ['k2', 'k1', 'index'].map((id) => {
  const material = id === 'k2' ? Buffer.alloc(32, 'the second key').toString('base64') : ring;
  return `${id}:${material}`;
});
const without_first = rotated.filter((entry) => !entry.startsWith('k1')).join(',');

/** Writes entries by the interface, and one by a pass: the release of a hold. */
async function act({ url }: ServerProcess): Promise<void> {
  for (let at = 0; at < 3; at += 1) {
    const card = await issue(url, { total_card_amount: 1_000_000 });
    const { json } = await authorize(url, purchase(card.card_number, 100));
    const body = { data: { note: 'the purchase was given up' } };
    const path = `/v1/virtualcards/${card.id}/authorizations/${json.data.id}/release`;
    const released = await send(url, 'POST', path, { body });
    assert.equal(released.status, 200, released.text);
  }
}

async function untilSealed(database: ScratchDatabase): Promise<void> {
  const waiting = 'select id from tallystick_audit_entries where number is null';
  while ((await readRows(database, waiting)).length > 0) await delay(20);
}

interface Verified {
  readonly status: number;
  readonly intact: boolean;
  readonly checked: number;
  readonly sealed: number;
  readonly last: { readonly number: number; readonly link: string };
  readonly finding: { readonly kind: string; readonly number: number | null; readonly id: number | null } | null;
}

describe('npm run admin -- audit verify', { concurrency: true }, () => {
  for (const name of database_names) {
    it(`finds what was changed, removed or inserted behind the service, beside a running server, on ${name}`, async (t) => {
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const options = { database_url: database.database_url, env: { TALLYSTICK_KEYS: ring } };
      const server = await startServer(options);
      t.after(async () => void (await server.kill()));
      await act(server);
      await untilSealed(database);

      const verify = async (...words: string[]): Promise<Verified> => {
        const { status, out, err } = await runAdminToEnd(['audit', 'verify', ...words, '--json'], options);
        assert.ok(status === 0 || status === 1, err);
        return { ...JSON.parse(out), status };
      };
      const found = async () => {
        const { status, intact, finding } = await verify();
        assert.deepEqual([status, intact], [1, false]);
        return finding!;
      };
      const change = (...statements: string[]) => changeRows(database, statements.join(';\n'));
      const entries = await readRows<{ id: number; number: number; action: string }>(
        database,
        'select id, number, action from tallystick_audit_entries order by number',
      );
      assert.ok(entries.some(({ action }) => action === 'hold.released'));
      const second = entries[1]!;
      const last = entries.at(-1)!;

      const intact = await verify();
      assert.deepEqual([intact.status, intact.checked, intact.finding], [0, entries.length, null]);
      const head = `${intact.last.number}:${intact.last.link}`;

      const changes: readonly [string, string][] = [
        [`details = details || ' '`, 'details = substr(details, 1, length(details) - 1)'],
        ['at_ms = at_ms + 1', 'at_ms = at_ms - 1'],
        [`link = 'x' || link`, 'link = substr(link, 2)'],
      ];
      for (const [done, undone] of changes) {
        await change(`update tallystick_audit_entries set ${done} where number = 2`);
        const { kind, number, id } = await found();
        assert.deepEqual([kind, number, id], ['changed', 2, second.id], done);
        await change(`update tallystick_audit_entries set ${undone} where number = 2`);
      }

      for (const { number } of [second, last]) {
        await change(
          `create table kept as select * from tallystick_audit_entries where number = ${number}`,
          `delete from tallystick_audit_entries where number = ${number}`,
        );
        const finding = await found();
        assert.deepEqual([finding.kind, finding.number], ['removed', number]);
        await change('insert into tallystick_audit_entries select * from kept', 'drop table kept');
      }

      await change('update tallystick_audit_chain set number = number - 1');
      assert.equal((await found()).kind, 'head_altered');
      await change('update tallystick_audit_chain set number = number + 1');
      assert.equal((await verify('--known', head)).status, 0, 'when all is undone');

      const copy = 'company_id, actor, action, "object", request_id, details, at_ms';
      const id = last.id + 1_000;
      await change(
        `insert into tallystick_audit_entries (id, ${copy}, content_hash)
           select ${id}, ${copy}, content_hash from tallystick_audit_entries where number = 2`,
      );
      const inserted = await found();
      assert.deepEqual([inserted.kind, inserted.id], ['inserted', id]);
      const { status, out } = await runAdminToEnd(['audit', 'verify'], options);
      assert.equal(status, 1);
      assert.match(out, new RegExp(`NOT intact: entry ${id}, number ${last.number + 1}, was inserted\\.`));
      assert.match(out, /^Correct before it: [\d,]+ entries, up to \d+:[0-9a-f]{64}\.$/m);
      assert.equal((await verify('--after', String(inserted.number))).status, 0, 'behind the finding');
    });

    it(`proves the log after a rotation, without the key with which it was begun, on ${name}`, async (t) => {
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const options = (TALLYSTICK_KEYS: string) => ({ database_url: database.database_url, env: { TALLYSTICK_KEYS } });
      for (const keys of [ring, rotated.join(',')]) {
        const server = await startServer(options(keys));
        t.after(async () => void (await server.kill()));
        await act(server);
        await server.stop();
      }
      await runAdmin(['keys', 'rotate'], options(rotated.join(',')));
      const { intact, checked } = await runAdmin(['audit', 'verify'], options(without_first));
      const [count] = await readRows<{ count: number | string }>(
        database,
        'select count(*) as count from tallystick_audit_entries',
      );
      assert.deepEqual([intact, checked], [true, Number(count!.count)]);
    });
  }
});

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type AuditEntry, sealAuditLog, verifyAuditLog } from '@tallystick/kernel';
import {
  database_names,
  readRows,
  type ScratchDatabase,
  scratchDatabase,
  testAuditMac,
  testRuns,
} from '@tallystick/test-support';
import type { Persistence } from '../src/index.ts';
import { openPersistence } from './contract/fixture.ts';

const entry: AuditEntry = {
  company_id: 1,
  actor: 'key:1',
  action: 'thing.made',
  object: 'thing:1',
  request_id: null,
  source_address: null,
  details: {},
};

const mac = testAuditMac;

function seal({ unitOfWork }: Persistence): Promise<{ readonly sealed: number }> {
  return sealAuditLog({ unitOfWork, mac });
}

async function open(t: TestContext): Promise<{ database: ScratchDatabase; here: Persistence; there: Persistence }> {
  const database = await scratchDatabase('postgres');
  t.after(() => database.dispose());
  const [here, there] = [await openPersistence(database), await openPersistence(database)];
  t.after(() => Promise.all([here.close(), there.close()]));
  await here.migrate();
  return { database, here, there };
}

function entriesOf(database: ScratchDatabase) {
  return readRows<{ id: number; number: number | null; object: string }>(
    database,
    'select id, number, object from tallystick_audit_entries order by number',
  );
}

if (database_names.includes('postgres')) {
  describe('the sealers of several processes on postgres', () => {
    it('skip no entry that commits after a later one was sealed', async (t) => {
      const { database, here, there } = await open(t);
      const [written, may_commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const early = here.unitOfWork.run(async (tx) => {
        await tx.audit.record({ ...entry, object: 'early' }, 1);
        written.resolve();
        await may_commit.promise;
      });
      await written.promise;
      await there.unitOfWork.run((tx) => tx.audit.record({ ...entry, object: 'late' }, 2));
      assert.equal((await seal(there)).sealed, 1, 'the sealer does not wait for the writer');
      may_commit.resolve();
      await early;
      assert.equal((await seal(here)).sealed, 1);
      const rows = await entriesOf(database);
      assert.deepEqual(
        rows.map(({ object }) => object),
        ['late', 'early'],
      );
      assert.ok(rows[0]!.id > rows[1]!.id, 'the numbers are in the order of the commits');
      const { checked, finding } = await verifyAuditLog({ unitOfWork: here.unitOfWork, mac });
      assert.deepEqual([checked, finding], [2, null]);
    });

    it('seal each entry once while writers commit out of order, roll back and purge', async (t) => {
      const { database, here, there } = await open(t);
      const writers = 6;
      const each = testRuns({ short: 25, full: 75 });
      let writing = true;
      const expected = new Set<string>();
      const write = async (writer: number): Promise<void> => {
        const { unitOfWork } = writer % 2 === 0 ? here : there;
        for (let at = 0; at < each; at += 1) {
          const object = `${writer}-${at}`;
          const is_lost = (writer + at) % 7 === 0;
          const work = unitOfWork.run(async (tx) => {
            await tx.audit.record({ ...entry, object }, at);
            // Other transactions commit meanwhile, those with higher ids, too.
            for (let turns = (writer * 7 + at * 3) % 5; turns > 0; turns -= 1) await turn();
            if (is_lost) throw new Error('rolled back');
          });
          if (is_lost) await assert.rejects(work, /rolled back/);
          else {
            await work;
            expected.add(object);
          }
        }
      };
      const sealing = [here, there].map(async (persistence) => {
        let sum = 0;
        while (writing) sum += (await seal(persistence)).sealed;
        return sum;
      });
      const checking = (async () => {
        while (writing) {
          const { finding } = await verifyAuditLog({ unitOfWork: there.unitOfWork, mac });
          assert.equal(finding, null, 'a check beside the sealers');
        }
      })();
      const purging = (async () => {
        let sum = 0;
        while (writing) {
          const bounds = { before_ms: 1, now_ms: 1 };
          const { rows } = await here.unitOfWork.read((tx) => tx.retention.due('audit_entries', bounds, 0));
          sum += await here.unitOfWork.run((tx) => tx.retention.remove('audit_entries', bounds, rows));
        }
        return sum;
      })();
      await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).finally(() => {
        writing = false;
      });
      const sums = await Promise.all(sealing);
      await checking;
      const purged = await purging;
      const rest = (await seal(here)).sealed;
      assert.equal(sums[0]! + sums[1]! + rest, expected.size, 'each entry was sealed once');
      const rows = await entriesOf(database);
      assert.deepEqual(
        rows.map(({ number }) => number),
        Array.from({ length: expected.size - purged }, (_, at) => purged + at + 1),
      );
      const left = new Set(rows.map(({ object }) => object));
      assert.ok([...left].every((object) => expected.has(object)) && left.size === expected.size - purged);
      const { checked, finding } = await verifyAuditLog({ unitOfWork: there.unitOfWork, mac });
      assert.deepEqual([checked, finding], [rows.length, null]);
    });
  });
}

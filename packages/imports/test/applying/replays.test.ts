import assert from 'node:assert/strict';
import { replayQuarantined } from '@tallystick/cards';
import { fileOf, freshFileId, line_format, type Records } from '@tallystick/harness';
import { toHex } from '@tallystick/kernel';
import { checkOnStorages } from '@tallystick/test-support';
import {
  createFormats,
  type Import,
  type ImportPorts,
  ImportStopped,
  listImportQuarantine,
  readImport,
  replayImport,
} from '../../src/index.ts';
import { clearingLine, countsOf, freshNumber, ImportWorld, transactionsOf } from '../world.ts';

/** What names no card: a clearing of it has a number. */
const no_card = { id: 0 };

checkOnStorages('replays of an import', [
  {
    rule: 'quarantined records are replayed in order, and count on their import',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const repaired = clearingLine(card) as { readonly input: object };
      const masked = clearingLine(card, {}, { last4: '0000' }) as Records[number];
      const broken = clearingLine(card, { billing_currency: '??' }) as Records[number];
      const lines = fileOf(
        [clearingLine(card), { kind: 'bad', input: repaired.input }, { kind: 'bad' }, masked, broken] as Records,
        { file_id: freshFileId() },
      );
      const first = await world.imported(lines);
      assert.deepEqual(
        [first.status, first.applied, first.quarantined],
        ['completed_with_quarantine', 1, 4],
        'the import',
      );
      const quarantine = async () => {
        const page = await world.storage.unitOfWork.read((tx) => listImportQuarantine(tx, first.id, { limit: 50 }));
        return page.items
          .map(({ ordinal, reason, status, count }) => [ordinal, reason, status, count])
          .toSorted(([a], [b]) => Number(a) - Number(b));
      };
      assert.deepEqual(
        await quarantine(),
        [
          [3, 'malformed_record', 'quarantined', 1],
          [4, 'malformed_record', 'quarantined', 1],
          [5, 'card_mismatch', 'quarantined', 1],
          [6, 'invalid_clearing', 'quarantined', 1],
        ],
        'the quarantine',
      );
      const replayed = await replayImport(world.ports(), world.call, first.id);
      assert.deepEqual([replayed.applied, replayed.quarantined], [2, 3], 'the import after the replay');
      assert.deepEqual(
        await quarantine(),
        [
          [3, 'malformed_record', 'applied', 1],
          [4, 'malformed_record', 'quarantined', 2],
          [5, 'card_mismatch', 'quarantined', 2],
          [6, 'invalid_clearing', 'quarantined', 2],
        ],
        'the quarantine after the replay',
      );
      const stopped = replayImport(world.ports(), world.call, first.id, { signal: AbortSignal.abort() });
      await assert.rejects(stopped, (error) => error instanceof ImportStopped, 'a replay that is stopped');
      assert.deepEqual((await quarantine())[1]?.[3], 2, 'how often a record was refused, after the stopped replay');
      const { readRecord, ...unreadable } = line_format;
      assert(readRecord !== undefined, 'the format reads records again');
      const again = await replayImport(world.ports({ formats: createFormats([unreadable]) }), world.call, first.id);
      assert.deepEqual([again.applied, again.quarantined], [2, 3], 'the import after another replay');
    },
  },
  {
    rule: 'a replayed record counts the same on its import, alone or with the others',
    async check(open) {
      const storage = await open();
      const ends = [];
      for (const alone of [true, false]) {
        const world = new ImportWorld(storage);
        const number = freshNumber();
        const of_card = { vcn_id: null, card_number: number.reveal() };
        const purchase = { ...of_card, acquirer_reference_data: '12345678901234568', billing_amount: 70 };
        const records = [
          clearingLine(no_card, purchase),
          clearingLine(no_card, { ...purchase, cycle: 'reversal' }),
          clearingLine(no_card, of_card),
        ] as Records;
        const { id, quarantined } = await world.imported(fileOf(records, { file_id: freshFileId() }));
        assert.deepEqual(quarantined, 3, 'the records in quarantine');
        const card = await world.makeCard(number);
        if (!alone) await replayImport(world.ports(), world.call, id);
        else {
          const { items } = await storage.unitOfWork.read((tx) => listImportQuarantine(tx, id, { limit: 10 }));
          for (const record of items.toSorted((a, b) => a.ordinal! - b.ordinal!))
            await replayQuarantined(world.replayPorts(), world.call, record.id);
        }
        assert.deepEqual(await world.clearingsOf(card), transactionsOf(records), 'the clearings');
        const { matched, breaks, ...its } = await storage.unitOfWork.read((tx) => readImport(tx, id));
        ends.push({ ...countsOf(its as Import), matched, breaks });
      }
      const counts = { status: 'completed', records: 5, applied: 3, duplicates: 0, quarantined: 0 };
      for (const end of ends) assert.deepEqual(end, { ...counts, matched: 1, breaks: 2 }, 'the import');
    },
  },
  {
    rule: 'a replay keeps what it refuses again in the order of all passes, so that two do not lock each other',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      const { ledger } = world.storage;
      const unknown = Array.from({ length: 9 }, () => clearingLine({ id: 999_999_997 }) as { readonly input: object });
      const bad = unknown.map(({ input }) => ({ kind: 'bad', input })) as Records;
      const { id } = await world.imported(fileOf(bad, { file_id: freshFileId() }));
      const kept: string[] = [];
      const watched: Partial<ImportPorts> = {
        ledger: {
          ...ledger,
          pass: (messages, fold, bounds) =>
            ledger.pass(
              messages,
              (state) => {
                const folded = fold(state);
                kept.push(...folded.changes.quarantined.map(({ identity_sha256 }) => toHex(identity_sha256)));
                return folded;
              },
              bounds,
            ),
        },
      };
      await replayImport(world.ports(watched), world.call, id);
      assert.deepEqual(kept.length, 9, 'how many were refused again');
      assert.deepEqual(kept, kept.toSorted(), 'their order');
    },
  },
]);

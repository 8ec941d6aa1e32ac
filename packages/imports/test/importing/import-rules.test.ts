import assert from 'node:assert/strict';
import { bytesOf, fileOf, freshFileId, line_format, type Records, refusalOf } from '@tallystick/harness';
import { isStorable } from '@tallystick/kernel';
import { checkOnStorages } from '@tallystick/test-support';
import {
  createFormats,
  listImportQuarantine,
  previewFile,
  readImport,
  releaseImport,
  replayImport,
} from '../../src/index.ts';
import { clearingLine, countsOf, ImportWorld, sourceOf, transactionsOf, wholeFile } from '../world.ts';

checkOnStorages('imports of files', [
  {
    rule: 'a file is applied once; the same bytes again change nothing and name the first import',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const good = Array.from({ length: 5 }, () => clearingLine(card)) as Records;
      const unknown = clearingLine({ id: 999_999_999 }) as Records[number];
      const lines = fileOf([...good, unknown, { kind: 'bad' }, { kind: 'other', type: 'fee' }, good[0]!] as Records, {
        file_id: freshFileId(),
      });
      const first = await world.import(lines);
      assert.deepEqual(first.kind, 'imported', 'the first outcome');
      assert.deepEqual(
        countsOf(first.import),
        { status: 'completed_with_quarantine', records: 11, applied: 5, duplicates: 1, quarantined: 2 },
        'the import',
      );
      assert.deepEqual(first.import.other_records, { fee: 1 }, 'the other records');
      assert.deepEqual(await world.clearingsOf(card), transactionsOf(good), 'the clearings');
      const again = await world.import(lines);
      assert.deepEqual([again.kind, again.import.id], ['known', first.import.id], 'the second outcome');
      assert.deepEqual(await world.clearingsOf(card), transactionsOf(good), 'the clearings after the second');
      const stored = await world.storage.unitOfWork.read((tx) => readImport(tx, first.import.id));
      assert.deepEqual(countsOf(stored), countsOf(first.import), 'the stored import');
    },
  },
  {
    rule: 'a truncated file applies nothing, and the whole file after it is applied',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 7);
      const truncated = await world.imported(lines.slice(0, -1));
      assert.deepEqual(
        [truncated.status, truncated.problem?.code],
        ['truncated', 'trailer_missing'],
        'the truncated file',
      );
      assert.deepEqual(await world.clearingsOf(card), [], 'the clearings of the truncated file');
      const whole = await world.imported(lines);
      assert.deepEqual([whole.status, whole.applied], ['completed', 7], 'the whole file');
      assert.deepEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings of the whole file');
    },
  },
  {
    rule: 'a file with a known id and other bytes is held, applies nothing, and is applied when it is released',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 3);
      const [header] = lines;
      await world.imported(lines);
      const others = Array.from({ length: 3 }, () => clearingLine(card)) as Records;
      const same_id = fileOf(others, header as object);
      const held = await world.imported(same_id);
      assert.deepEqual([held.status, held.problem?.code], ['held', 'file_id_repeated'], 'the held import');
      const again = await world.imported(same_id);
      assert.deepEqual([again.id, again.status], [held.id, 'held'], 'the same bytes again');
      assert.deepEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings while it is held');
      const { kind, import: released } = await releaseImport(world.ports(), world.call, held.id, 'checked by phone');
      assert.deepEqual(kind, 'imported', 'the outcome');
      assert.deepEqual(
        [released.status, released.applied, released.note],
        ['completed', 3, 'checked by phone'],
        'released',
      );
      const all = [...transactionsOf(lines), ...transactionsOf(same_id)].toSorted();
      assert.deepEqual(await world.clearingsOf(card), all, 'the clearings after the release');
      const entries = await world.storage.unitOfWork.read(({ audit }) =>
        audit.list({ object: `import:${held.id}` }, { limit: 10 }),
      );
      assert.deepEqual(
        entries.items.map(({ action }) => action),
        ['import.released'],
        'the audit log',
      );
      const refusal = await refusalOf(releaseImport(world.ports(), world.call, held.id, 'twice'), 'a second release');
      assert.deepEqual(refusal.code, 'conflict', 'a second release');
    },
  },
  {
    rule: 'a released file with another clearing under an id that was made from a file puts it into quarantine',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const clearing = (network_financial_transaction_id: string) =>
        clearingLine(card, { network_financial_transaction_id }, { synthetic_id: true });
      const header = { file_id: freshFileId() };
      const [id, other_id] = [`${header.file_id}-2`, `${header.file_id}-3`];
      const first = clearing(id);
      await world.imported(fileOf([first, clearing(other_id)] as Records, header));
      const held = await world.imported(fileOf([first, clearing(other_id)] as Records, header));
      const { import: released } = await releaseImport(world.ports(), world.call, held.id, 'a corrected file');
      const counts = [released.status, released.applied, released.duplicates, released.quarantined];
      assert.deepEqual(counts, ['completed_with_quarantine', 0, 1, 1], 'the released import');
      const kept = await world.storage.unitOfWork.read(({ quarantine }) => quarantine.openOfImport(held.id, 0, 10));
      assert.deepEqual(
        kept.map(({ reason, ordinal }) => [reason, ordinal]),
        [['transaction_of_another_clearing', 3]],
        'the quarantine',
      );
    },
  },
  {
    rule: 'a test file is held in production only; a refused or truncated file does not take its id',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const records = [clearingLine(card)] as Records;
      const file_id = freshFileId();
      const test_file = fileOf(records, { file_id, mode: 'test' });
      const held = await world.imported(test_file);
      assert.deepEqual([held.status, held.problem?.code], ['held', 'test_file'], 'in production');
      const ports = { is_production: false };
      const truncated = fileOf(records, { file_id: freshFileId(), mode: 'test' });
      assert.deepEqual(
        (await world.imported(truncated.slice(0, -1), { ports })).status,
        'truncated',
        'a truncated one',
      );
      assert.deepEqual((await world.imported(truncated, { ports })).status, 'completed', 'the whole one');
      assert.deepEqual((await world.imported(test_file, { ports })).status, 'completed', 'outside production');
    },
  },
  {
    rule: 'a gap in the sequence is a warning; the next number, and 1 on a new day, are none; test files count apart',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const format = { ...line_format, name: `lines-${freshFileId()}` };
      const ports = { formats: createFormats([format]) };
      const warned = async (created_on: string, sequence: number, mode: 'production' | 'test' = 'production') => {
        const header = { file_id: freshFileId(), created_on, sequence, mode };
        const { warnings, status } = await world.imported(fileOf([clearingLine(card)] as Records, header), { ports });
        assert.deepEqual(status, mode === 'test' ? 'held' : 'completed', 'the status');
        return warnings.length;
      };
      assert.deepEqual(await warned('2026-05-20', 4), 0, 'the first file');
      assert.deepEqual(await warned('2026-05-20', 6, 'test'), 0, 'the first test file');
      assert.deepEqual(await warned('2026-05-20', 5), 0, 'the next');
      assert.deepEqual(await warned('2026-05-20', 7), 1, 'a number is missing');
      assert.deepEqual(await warned('2026-05-20', 6), 0, 'the missing one, late');
      assert.deepEqual(await warned('2026-05-20', 8, 'test'), 1, 'a number of test files is missing');
      assert.deepEqual(await warned('2026-05-21', 1), 0, 'the first of a new day');
      assert.deepEqual(await warned('2026-05-22', 3), 1, 'another number on a new day');
    },
  },
  {
    rule: 'a record with text that no database can store is quarantined and replayed, and keeps nothing from its import',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const unstorable = (changes: object) => clearingLine(card, changes) as Records[number];
      // Two lengths: the excerpt of one of them ends within a character.
      const bad = ['', 'x'].map((begin) => ({ kind: 'bad', input: { merchant_name: begin + '😀'.repeat(120) } }));
      const records = [
        unstorable({ merchant_name: 'a\0b' }),
        unstorable({ merchant_id: 'a\ud83d' }),
        unstorable({ billing_currency: '\ude00\0' }),
        unstorable({ 'a\0name': [{ 'b\ud83d': 'c\0d' }], billing_currency: '??' }),
        { kind: 'bad', reason: 'the text "\0\ud83d" is bad' },
        ...bad,
        { kind: 'other', type: '\0\ud83d' },
        clearingLine(card),
      ] as Records;
      const lines = fileOf(records, { file_id: freshFileId() });
      const ended = await world.imported(lines);
      assert.deepEqual(
        countsOf(ended),
        { status: 'completed_with_quarantine', records: 11, applied: 1, duplicates: 0, quarantined: 7 },
        'the import',
      );
      assert.deepEqual(ended.other_records, { '\u{FFFD}\u{FFFD}': 1 }, 'the other records');
      const quarantine = async () =>
        (await world.storage.unitOfWork.read((tx) => listImportQuarantine(tx, ended.id, { limit: 50 }))).items;
      for (const { ordinal, explanation, excerpt } of await quarantine()) {
        assert(isStorable(explanation), `the explanation of record ${ordinal} is text`);
        JSON.stringify(excerpt, (name, value) => {
          const is_text = isStorable(name) && (typeof value !== 'string' || isStorable(value));
          assert(is_text, `the excerpt of record ${ordinal} is text`);
          return value;
        });
      }
      await replayImport(world.ports(), world.call, ended.id);
      const counted = (await quarantine()).map(({ status, count }) => [status, count]);
      assert.deepEqual(
        counted,
        Array.from({ length: 7 }, () => ['quarantined', 2]),
        'the quarantine after a replay',
      );
    },
  },
  {
    rule: 'an import ends the same however its records are split into batches',
    async check(open) {
      const storage = await open();
      const ends = [];
      for (const batch_records_max of [1, 2, 3, 1_000]) {
        const world = new ImportWorld(storage);
        const card = await world.makeCard();
        const purchase = { acquirer_reference_data: '12345678901234567', approval_code: 'A1B2C3', billing_amount: 70 };
        const [first, plain, last] = [
          clearingLine(card, purchase),
          clearingLine(card, { billing_amount: 5 }),
          clearingLine(card, { billing_amount: 9 }),
        ];
        const reversal = clearingLine(card, { ...purchase, cycle: 'reversal' });
        const records = [first, plain, first, { kind: 'bad' }, reversal, last] as Records;
        const lines = fileOf(records, { file_id: freshFileId() });
        const ended = await world.imported(lines, { ports: { batch_records_max } });
        const found = await storage.unitOfWork.read(({ cards }) => cards.find(card.company_id, card.id));
        const { cleared, held, uses } = found!.counters;
        const { matched, breaks } = ended;
        ends.push({ ...countsOf(ended), matched, breaks, cleared, held, uses });
      }
      const end = {
        status: 'completed_with_quarantine',
        records: 8,
        applied: 4,
        duplicates: 1,
        quarantined: 1,
        matched: 1,
        breaks: 3,
        cleared: 14,
        held: 0,
        uses: 3,
      };
      for (const one of ends) assert.deepEqual(one, end, 'the end');
    },
  },
  {
    rule: 'a preview says what an import does, and writes nothing',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const known = clearingLine(card) as Records[number];
      await world.imported(fileOf([known], { file_id: freshFileId() }));
      const unknown = clearingLine({ id: 999_999_998 }) as Records[number];
      const records = [clearingLine(card), known, unknown, { kind: 'bad' }, { kind: 'other', type: 'fee' }] as Records;
      const lines = fileOf(records, { file_id: freshFileId() });
      const shown: string[] = [];
      const preview = await previewFile(world.ports(), sourceOf(bytesOf(lines)), {}, (record) => {
        shown.push(`${record.ordinal} ${record.outcome} ${record.reason}${record.is_break ? ', a break' : ''}`);
      });
      assert.deepEqual(
        shown,
        [
          '2 applied null, a break',
          '3 duplicate null',
          '4 quarantined unknown_card',
          '5 quarantined malformed_record',
          '6 other fee',
        ],
        'the records',
      );
      const { status, applied, duplicates, quarantined, breaks, known_import_id } = preview;
      assert.deepEqual(
        { status, applied, duplicates, quarantined, known_import_id },
        { status: 'completed_with_quarantine', applied: 1, duplicates: 1, quarantined: 2, known_import_id: null },
        'the preview',
      );
      assert.deepEqual((await world.clearingsOf(card)).length, 1, 'the clearings after the preview');
      const done = await world.imported(lines);
      assert.deepEqual(
        [done.status, done.applied, done.duplicates, done.quarantined, done.breaks],
        [status, applied, duplicates, quarantined, breaks],
        'the import',
      );
    },
  },
  {
    rule: 'of two files with one id that are imported at once, one is held',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const other = await storage.another();
      for (let round = 0; round < 5; round += 1) {
        const world = new ImportWorld(storage);
        const card = await world.makeCard();
        const file_id = freshFileId();
        const files = [1, 2, 3, 4].map(() => fileOf([clearingLine(card)] as Records, { file_id }));
        const ended = await Promise.all(
          files.map((lines, at) => new ImportWorld(at % 2 === 0 ? storage : other).imported(lines)),
        );
        assert.deepEqual(
          ended.map(({ status }) => status).toSorted(),
          ['completed', 'held', 'held', 'held'],
          'the statuses',
        );
        assert.deepEqual((await world.clearingsOf(card)).length, 1, 'the clearings');
      }
    },
  },
]);

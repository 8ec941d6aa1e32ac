import { replayQuarantined, type VirtualCard } from '@tallystick/cards';
import {
  type ClearingFormat,
  continueImports,
  createFormats,
  type Import,
  type ImportOutcome,
  type ImportPorts,
  type ImportProgress,
  type ImportRecord,
  ImportStopped,
  import_lease_ms,
  listImportQuarantine,
  previewFile,
  readImport,
  releaseImport,
  replayImport,
} from '@tallystick/imports';
import { assert, isStorable } from '@tallystick/kernel';
import type { ContractRule } from './contract-rule.ts';
import { assertEqual, assertRejects } from './equality.ts';
import { clearingLine, freshNumber, type ImportChanges, ImportWorld, sourceOf } from './import-world.ts';
import { bytesOf, fileOf, type Line, line_format } from './line-format.ts';
import { refusalOf } from './refusals.ts';
import type { StorageUnderTest } from './storage.ts';

type Records = Parameters<typeof fileOf>[0];

/** The counts of an import. */
function countsOf({ status, records, applied, duplicates, quarantined }: Import) {
  return { status, records, applied, duplicates, quarantined };
}

function transactionsOf(lines: readonly Line[]): readonly string[] {
  const ids = lines.flatMap((line) => (line.kind === 'clearing' ? [line.input.network_financial_transaction_id] : []));
  return ids.sort();
}

let files_made = 0;

/** A file id that no other file has. */
function freshFileId(): string {
  files_made += 1;
  return `file-${files_made}`;
}

/** Good clearings, in a file of their own. */
async function wholeFile(world: ImportWorld, count: number) {
  const card = await world.makeCard();
  const records = Array.from({ length: count }, () => clearingLine(card)) as Records;
  return { card, lines: fileOf(records, { file_id: freshFileId() }) };
}

/** What names no card: a clearing of it has a number. */
const no_card = { id: 0 };

class Crash extends Error {}

const day_ms = 24 * 60 * 60 * 1_000;

/** Imports the file until its first batch of this phase has ended. Returns the import. */
async function stoppedWhile(
  world: ImportWorld,
  lines: readonly Line[],
  phase: 'staging' | 'applying',
  ports: Partial<ImportPorts> = {},
): Promise<Import> {
  const stopping = new AbortController();
  const onProgress = (progress: ImportProgress) => {
    if (progress.phase === phase) stopping.abort();
  };
  const importing = world.import(lines, { signal: stopping.signal, onProgress, ports });
  await assertRejects(importing, (error) => error instanceof ImportStopped, 'the import');
  const { items } = await world.storage.unitOfWork.read(({ imports }) => imports.list({}, { limit: 1 }));
  return items[0]!;
}

/** Ports whose format reads each amount so many times, by a setting of its one profile. */
function readingAmounts(times: number, more: object = {}): Partial<ImportPorts> {
  const format: ClearingFormat = {
    ...line_format,
    profiles: ['times'],
    findProfile: () => ({ ...more, name: 'times', settings: { ...more, times } }),
    async *read(chunks) {
      for await (const { items, bytes } of line_format.read(chunks)) {
        const multiplied = items.map((item) =>
          item.kind === 'clearing'
            ? { ...item, input: { ...item.input, billing_amount: Number(item.input.billing_amount) * times } }
            : item,
        );
        yield { items: multiplied, bytes };
      }
    },
  };
  return { formats: createFormats([format]) };
}

/** The sum of all billing amounts of the file, as they stand in it. */
function sumOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + (line.kind === 'clearing' ? Number(line.input.billing_amount) : 0), 0);
}

/** Ports that crash at the commit with this number, before or after it. */
function crashingAt(world: ImportWorld, at: number, when: 'before' | 'after'): Partial<ImportPorts> {
  const { unitOfWork, ledger } = world.storage;
  let commits = 0;
  async function commit<Result>(run: () => Promise<Result>): Promise<Result> {
    commits += 1;
    const is_last = commits === at;
    if (commits > at || (is_last && when === 'before')) throw new Crash();
    const result = await run();
    if (is_last) throw new Crash();
    return result;
  }
  return {
    unitOfWork: { run: (work) => commit(() => unitOfWork.run(work)), read: (work) => unitOfWork.read(work) },
    ledger: { ...ledger, pass: (messages, fold, bounds) => commit(() => ledger.pass(messages, fold, bounds)) },
  };
}

/**
 * Imports files, each with a crash at a later commit, until none crashes. Continues each, and
 * compares it with an unbroken one. Returns the imports as the crashes left them.
 */
async function crashAtEach(
  storage: StorageUnderTest,
  when: 'before' | 'after',
  { records, ports = {}, source = {} }: Pick<ImportChanges, 'ports' | 'source'> & { readonly records: number },
): Promise<readonly ImportRecord[]> {
  const left: ImportRecord[] = [];
  for (let at = 1, crashed = true; crashed; at += 1) {
    const world = new ImportWorld(storage);
    const { card, lines } = await wholeFile(world, records);
    crashed = await world.import(lines, { source, ports: { ...ports, ...crashingAt(world, at, when) } }).then(
      () => false,
      (error) => {
        if (error instanceof Crash) return true;
        throw error;
      },
    );
    const { items } = await storage.unitOfWork.read(({ imports }) => imports.list({}, { limit: 1 }));
    left.push(...items);
    world.machine_ms += 2 * import_lease_ms;
    const ended = await world.imported(lines, { source, ports });
    const place = `${source.is_repeatable === false ? 'a stream' : 'a file'}, ${when} commit ${at}`;
    const whole = { status: 'completed', records: records + 2, applied: records, duplicates: 0, quarantined: 0 };
    assertEqual(countsOf(ended), whole, place);
    assertEqual(await world.clearingsOf(card), transactionsOf(lines), place);
    const batch = await storage.unitOfWork.read(({ imports }) => imports.nextBatch(ended.id));
    assert(batch === null, `no batch is left: ${place}`);
  }
  return left;
}

/** What imports promise on any storage. */
export const import_contract: readonly ContractRule<StorageUnderTest>[] = [
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
      assertEqual(first.kind, 'imported', 'the first outcome');
      assertEqual(
        countsOf(first.import),
        { status: 'completed_with_quarantine', records: 11, applied: 5, duplicates: 1, quarantined: 2 },
        'the import',
      );
      assertEqual(first.import.other_records, { fee: 1 }, 'the other records');
      assertEqual(await world.clearingsOf(card), transactionsOf(good), 'the clearings');
      const again = await world.import(lines);
      assertEqual([again.kind, again.import.id], ['known', first.import.id], 'the second outcome');
      assertEqual(await world.clearingsOf(card), transactionsOf(good), 'the clearings after the second');
      const stored = await world.storage.unitOfWork.read((tx) => readImport(tx, first.import.id));
      assertEqual(countsOf(stored), countsOf(first.import), 'the stored import');
    },
  },
  {
    rule: 'a truncated file applies nothing, and the whole file after it is applied',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 7);
      const truncated = await world.imported(lines.slice(0, -1));
      assertEqual([truncated.status, truncated.problem?.code], ['truncated', 'trailer_missing'], 'the truncated file');
      assertEqual(await world.clearingsOf(card), [], 'the clearings of the truncated file');
      const whole = await world.imported(lines);
      assertEqual([whole.status, whole.applied], ['completed', 7], 'the whole file');
      assertEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings of the whole file');
    },
  },
  {
    rule: 'an import that crashed at any commit continues, and ends like an unbroken one',
    async check(open) {
      const storage = await open();
      for (const is_repeatable of [true, false]) {
        for (const when of ['before', 'after'] as const) {
          await crashAtEach(storage, when, { records: 5, source: { is_repeatable } });
        }
      }
    },
  },
  {
    rule: 'a file whose staging stopped continues by the same settings of its profile; by others all of it is staged again',
    async check(open) {
      const world = new ImportWorld(await open());
      const clearedOf = async ({ company_id, id }: VirtualCard) =>
        (await world.storage.unitOfWork.read(({ cards }) => cards.find(company_id, id)))!.counters.cleared;
      const cases = [
        { again: readingAmounts(3, { a: 1, b: 2 }), source: {}, settings: ['same'], times: 3 },
        { again: readingAmounts(7, { a: 1, b: 2 }), source: {}, settings: ['other'], times: 7 },
        { again: readingAmounts(7), source: { is_repeatable: false }, settings: [], times: 7 },
      ];
      for (const { again, source, settings, times } of cases) {
        const { card, lines } = await wholeFile(world, 9);
        const stopped = await stoppedWhile(world, lines, 'staging', readingAmounts(3, { b: 2, a: 1 }));
        assertEqual(stopped.records, 3, 'the records that were read before the stop');
        const seen: unknown[] = [];
        const onResumed = (found: Import, its: string) => seen.push([found.id, found.records, its]);
        const ended = await world.imported(lines, { ports: again, source, onResumed });
        const whole = { status: 'completed', records: 11, applied: 9, duplicates: 0, quarantined: 0 };
        assertEqual([ended.id, countsOf(ended)], [stopped.id, whole], 'the import');
        assertEqual(
          seen,
          settings.map((its) => [stopped.id, 3, its]),
          'how it was taken up',
        );
        assertEqual(await clearedOf(card), sumOf(lines) * times, 'the cleared amount');
        const is_same_profile = ended.read_with?.settings_sha256 === stopped.read_with?.settings_sha256;
        assertEqual([ended.read_with?.profile, is_same_profile], ['times', times === 3], 'by what it was read');
      }
    },
  },
  {
    rule: 'what was staged whole is applied as it was read, and reports that it would be read by other settings now',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 5);
      const stopped = await stoppedWhile(world, lines, 'applying', readingAmounts(3));
      const seen: string[] = [];
      const onResumed = (_found: Import, settings: string) => seen.push(settings);
      const ended = await world.imported(lines, { ports: readingAmounts(7), onResumed });
      assertEqual([ended.status, ended.applied, seen], ['completed', 5, ['other']], 'the import');
      assertEqual(ended.read_with, stopped.read_with, 'by what it was read');
      const found = await world.storage.unitOfWork.read(({ cards }) => cards.find(card.company_id, card.id));
      assertEqual(found!.counters.cleared, sumOf(lines) * 3, 'the cleared amount');
      for (const is_repeatable of [true, false]) {
        for (const [times, settings] of [
          [3, 'same'],
          [7, 'other'],
        ] as const) {
          const again = await world.import(lines, { ports: readingAmounts(times), source: { is_repeatable } });
          assertEqual([again.kind, again.settings, again.import], ['known', settings, ended], 'the same bytes again');
        }
      }
    },
  },
  {
    rule: 'an import whose passes are slow applies a batch in parts, and continues within it after a crash',
    async check(open) {
      const storage = await open();
      for (const when of ['before', 'after'] as const) {
        // The first batch takes a second. The second one is applied in parts for that.
        let now_ms = 0;
        const monotonicNow = () => {
          now_ms += 1_000;
          return now_ms;
        };
        const ports = { monotonicNow, batch_records_max: 15 };
        const left = await crashAtEach(storage, when, { records: 30, ports });
        assert(
          left.some(({ applied_of_batch }) => applied_of_batch > 0),
          'a crash within a batch',
        );
      }
    },
  },
  {
    rule: 'a process that was stopped longer than its lease applies no batch that another applied',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 6);
      const { ledger } = world.storage;
      let others: Promise<unknown> | null = null;
      // Before its second batch is applied, another process continues the import to its end.
      let passes = 0;
      const slow: Partial<ImportPorts> = {
        ledger: {
          ...ledger,
          async pass(messages, fold, bounds) {
            passes += 1;
            if (passes === 2) {
              world.machine_ms += 2 * import_lease_ms;
              others = world.import(lines);
              await others;
            }
            return await ledger.pass(messages, fold, bounds);
          },
        },
      };
      const outcome = await world.import(lines, { ports: slow });
      assertEqual([outcome.kind, outcome.import.status], ['known', 'completed'], 'the outcome of the slow one');
      assertEqual(outcome.import.applied, 6, 'the applied records');
      assertEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
    },
  },
  {
    rule: 'a process that was stopped longer than its lease reports a file that another held or refused as it is',
    async check(open) {
      const world = new ImportWorld(await open());
      const { unitOfWork } = world.storage;
      const records = (await wholeFile(world, 3)).lines.slice(1, -1) as Records;
      const of_test = fileOf(records, { file_id: freshFileId(), mode: 'test' });
      const miscounted = fileOf(records, { file_id: freshFileId() }).with(-1, { kind: 'trailer', records: 9 });
      for (const [file, status] of [
        [of_test, 'held'],
        [miscounted, 'refused'],
      ] as const) {
        let transactions = 0;
        const slow: Partial<ImportPorts> = {
          unitOfWork: {
            read: (work) => unitOfWork.read(work),
            async run(work) {
              transactions += 1;
              // The import has begun, and nothing is staged.
              if (transactions === 2) {
                world.machine_ms += 2 * import_lease_ms;
                await world.import(file);
              }
              return await unitOfWork.run(work);
            },
          },
        };
        const { kind, import: found } = await world.import(file, { ports: slow });
        assertEqual([kind, found.status], ['known', status], 'the outcome');
      }
    },
  },
  {
    rule: 'an import that another process is at work on is left alone',
    async check(open) {
      const storage = await open();
      const other = new ImportWorld(await storage.another());
      for (const is_repeatable of [true, false]) {
        const world = new ImportWorld(storage);
        const { card, lines } = await wholeFile(world, 5);
        const { ledger } = storage;
        const outcomes: ImportOutcome[] = [];
        const busy: Partial<ImportPorts> = {
          ledger: {
            ...ledger,
            async pass(messages, fold, bounds) {
              if (outcomes.length === 0) outcomes.push(await other.import(lines, { source: { is_repeatable } }));
              return await ledger.pass(messages, fold, bounds);
            },
          },
        };
        const own = await world.import(lines, { ports: busy, source: { is_repeatable } });
        const [beside] = outcomes;
        assertEqual([beside?.kind, beside?.import.id], ['in_progress', own.import.id], 'the second process');
        assertEqual([own.kind, own.import.applied], ['imported', 5], 'the first process');
        assertEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
      }
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
      assertEqual([held.status, held.problem?.code], ['held', 'file_id_repeated'], 'the held import');
      const again = await world.imported(same_id);
      assertEqual([again.id, again.status], [held.id, 'held'], 'the same bytes again');
      assertEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings while it is held');
      const { kind, import: released } = await releaseImport(world.ports(), world.call, held.id, 'checked by phone');
      assertEqual(kind, 'imported', 'the outcome');
      assertEqual([released.status, released.applied, released.note], ['completed', 3, 'checked by phone'], 'released');
      const all = [...transactionsOf(lines), ...transactionsOf(same_id)].toSorted();
      assertEqual(await world.clearingsOf(card), all, 'the clearings after the release');
      const entries = await world.storage.unitOfWork.read(({ audit }) =>
        audit.list({ object: `import:${held.id}` }, { limit: 10 }),
      );
      assertEqual(
        entries.items.map(({ action }) => action),
        ['import.released'],
        'the audit log',
      );
      const refusal = await refusalOf(releaseImport(world.ports(), world.call, held.id, 'twice'), 'a second release');
      assertEqual(refusal.code, 'conflict', 'a second release');
    },
  },
  {
    rule: 'a released import that another process continues is reported as it is',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 6);
      const held = await world.imported(
        fileOf(lines.slice(1, -1) as Records, { file_id: freshFileId(), mode: 'test' }),
      );
      const { ledger } = world.storage;
      let passes = 0;
      const slow: Partial<ImportPorts> = {
        ledger: {
          ...ledger,
          async pass(messages, fold, bounds) {
            passes += 1;
            if (passes === 2) {
              world.machine_ms += 2 * import_lease_ms;
              await continueImports(world.ports(), world.call);
            }
            return await ledger.pass(messages, fold, bounds);
          },
        },
      };
      const { kind, import: found } = await releaseImport(world.ports(slow), world.call, held.id, 'checked by phone');
      assertEqual([kind, found.id, found.status, found.applied], ['known', held.id, 'completed', 6], 'the outcome');
      assertEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
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
      assertEqual([held.status, held.problem?.code], ['held', 'test_file'], 'in production');
      const ports = { is_production: false };
      const truncated = fileOf(records, { file_id: freshFileId(), mode: 'test' });
      assertEqual((await world.imported(truncated.slice(0, -1), { ports })).status, 'truncated', 'a truncated one');
      assertEqual((await world.imported(truncated, { ports })).status, 'completed', 'the whole one');
      assertEqual((await world.imported(test_file, { ports })).status, 'completed', 'outside production');
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
        assertEqual(status, mode === 'test' ? 'held' : 'completed', 'the status');
        return warnings.length;
      };
      assertEqual(await warned('2026-05-20', 4), 0, 'the first file');
      assertEqual(await warned('2026-05-20', 6, 'test'), 0, 'the first test file');
      assertEqual(await warned('2026-05-20', 5), 0, 'the next');
      assertEqual(await warned('2026-05-20', 7), 1, 'a number is missing');
      assertEqual(await warned('2026-05-20', 6), 0, 'the missing one, late');
      assertEqual(await warned('2026-05-20', 8, 'test'), 1, 'a number of test files is missing');
      assertEqual(await warned('2026-05-21', 1), 0, 'the first of a new day');
      assertEqual(await warned('2026-05-22', 3), 1, 'another number on a new day');
    },
  },
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
      assertEqual([first.status, first.applied, first.quarantined], ['completed_with_quarantine', 1, 4], 'the import');
      const quarantine = async () => {
        const page = await world.storage.unitOfWork.read((tx) => listImportQuarantine(tx, first.id, { limit: 50 }));
        return page.items
          .map(({ ordinal, reason, status, count }) => [ordinal, reason, status, count])
          .toSorted(([a], [b]) => Number(a) - Number(b));
      };
      assertEqual(
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
      assertEqual([replayed.applied, replayed.quarantined], [2, 3], 'the import after the replay');
      assertEqual(
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
      await assertRejects(stopped, (error) => error instanceof ImportStopped, 'a replay that is stopped');
      assertEqual((await quarantine())[1]?.[3], 2, 'how often a record was refused, after the stopped replay');
      const { readRecord, ...unreadable } = line_format;
      assert(readRecord !== undefined, 'the format reads records again');
      const again = await replayImport(world.ports({ formats: createFormats([unreadable]) }), world.call, first.id);
      assertEqual([again.applied, again.quarantined], [2, 3], 'the import after another replay');
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
        assertEqual(quarantined, 3, 'the records in quarantine');
        const card = await world.makeCard(number);
        if (!alone) await replayImport(world.ports(), world.call, id);
        else {
          const { items } = await storage.unitOfWork.read((tx) => listImportQuarantine(tx, id, { limit: 10 }));
          for (const record of items.toSorted((a, b) => a.ordinal! - b.ordinal!))
            await replayQuarantined(world.replayPorts(), world.call, record.id);
        }
        assertEqual(await world.clearingsOf(card), transactionsOf(records), 'the clearings');
        const { matched, breaks, ...its } = await storage.unitOfWork.read((tx) => readImport(tx, id));
        ends.push({ ...countsOf(its as Import), matched, breaks });
      }
      const counts = { status: 'completed', records: 5, applied: 3, duplicates: 0, quarantined: 0 };
      for (const end of ends) assertEqual(end, { ...counts, matched: 1, breaks: 2 }, 'the import');
    },
  },
  {
    rule: 'a replay keeps what it refuses again in the order of all passes, so that two do not lock each other',
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
                kept.push(...folded.changes.quarantined.map(({ identity_sha256 }) => identity_sha256.toHex()));
                return folded;
              },
              bounds,
            ),
        },
      };
      await replayImport(world.ports(watched), world.call, id);
      assertEqual(kept.length, 9, 'how many were refused again');
      assertEqual(kept, kept.toSorted(), 'their order');
    },
  },
  {
    rule: 'a record with text that no database can store is quarantined and replayed, and keeps nothing from its import',
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
      assertEqual(
        countsOf(ended),
        { status: 'completed_with_quarantine', records: 11, applied: 1, duplicates: 0, quarantined: 7 },
        'the import',
      );
      assertEqual(ended.other_records, { '\u{FFFD}\u{FFFD}': 1 }, 'the other records');
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
      assertEqual(
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
        const purchase = { acquirer_reference_data: '12345678901234567', approval_code: 'A1', billing_amount: 70 };
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
      for (const one of ends) assertEqual(one, end, 'the end');
    },
  },
  {
    rule: 'imports of a dead process are continued without the file',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 5);
      await stoppedWhile(world, lines, 'applying');
      assertEqual((await world.clearingsOf(card)).length, 2, 'the clearings of the batch that was applied');
      assertEqual((await continueImports(world.ports(), world.call)) >= 1, true, 'how many were continued');
      assertEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings after');
      assertEqual((await world.import(lines)).kind, 'known', 'the same bytes again');
    },
  },
  {
    rule: 'what a stream of a dead process left is removed when its lease has ended',
    async check(open) {
      const world = new ImportWorld(await open());
      const { unitOfWork } = world.storage;
      const { lines } = await wholeFile(world, 40);
      const bytes = bytesOf(lines);
      let is_dead = false;
      const ports: Partial<ImportPorts> = {
        unitOfWork: {
          run: (work) => (is_dead ? Promise.reject(new Crash()) : unitOfWork.run(work)),
          read: (work) => unitOfWork.read(work),
        },
      };
      const source = {
        is_repeatable: false,
        async *open() {
          // Longer than what a format is recognised by, so that records are staged.
          yield bytes.subarray(0, bytes.length - 20);
          is_dead = true;
          throw new Crash();
        },
      };
      await assertRejects(world.import(lines, { source, ports }), (error) => error instanceof Crash, 'the import');
      const { items } = await unitOfWork.read(({ imports }) => imports.list({}, { limit: 1 }));
      const { id, sha256 } = items[0]!;
      assertEqual(sha256, null, 'the hash of the stream');
      const left = () =>
        unitOfWork.read(async ({ imports }) => [await imports.find(id), await imports.nextBatch(id)] as const);
      await continueImports(world.ports(), world.call);
      assert(
        (await left()).every((row) => row !== null),
        'the import and its batches are kept until the lease ends',
      );
      world.machine_ms += 2 * import_lease_ms;
      await continueImports(world.ports(), world.call);
      assertEqual(await left(), [null, null], 'the import and its next batch');
    },
  },
  {
    rule: 'continuing stops between two imports when its signal is aborted, with ImportStopped',
    async check(open) {
      const world = new ImportWorld(await open());
      const [first, second] = [await wholeFile(world, 3), await wholeFile(world, 3)];
      for (const { lines } of [first, second]) await stoppedWhile(world, lines, 'applying');
      const stopping = new AbortController();
      const continuing = continueImports(world.ports(), world.call, {
        signal: stopping.signal,
        onEnded: () => stopping.abort(),
      });
      await assertRejects(continuing, (error) => error instanceof ImportStopped, 'the job');
      assertEqual((await world.clearingsOf(second.card)).length, 2, 'the clearings of the second one');
      await continueImports(world.ports(), world.call);
      assertEqual(await world.clearingsOf(second.card), transactionsOf(second.lines), 'after another call');
    },
  },
  {
    rule: 'an import that cannot be continued does not keep others from it',
    async check(open) {
      const world = new ImportWorld(await open());
      const poisoned = await wholeFile(world, 3);
      const sound = await wholeFile(world, 3);
      const ids: number[] = [];
      for (const { lines } of [poisoned, sound]) ids.push((await stoppedWhile(world, lines, 'applying')).id);
      const { ledger } = world.storage;
      const failing: Partial<ImportPorts> = {
        ledger: {
          ...ledger,
          pass: (messages, fold, bounds) => {
            const is_poisoned = messages.some((message) => 'place' in message && message.place?.import_id === ids[0]);
            return is_poisoned ? Promise.reject(new Crash()) : ledger.pass(messages, fold, bounds);
          },
        },
      };
      const isCrash = (error: unknown) => error instanceof Crash;
      await assertRejects(continueImports(world.ports(failing), world.call), isCrash, 'the first reason');
      assertEqual(await world.clearingsOf(sound.card), transactionsOf(sound.lines), 'the clearings of the other one');
      await continueImports(world.ports(), world.call);
      assertEqual(await world.clearingsOf(poisoned.card), transactionsOf(poisoned.lines), 'once the cause is gone');
    },
  },
  {
    rule: 'a file whose process died while it was staged can be continued for a day, and then ends as truncated',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 5);
      const { id } = await stoppedWhile(world, lines, 'staging');
      const read = () => world.storage.unitOfWork.read((tx) => readImport(tx, id));
      const { started_at_ms } = await read();
      const ended: Import[] = [];
      const continueAt = (now_ms: number) =>
        continueImports(world.ports(), { ...world.call, now_ms }, { onEnded: (one) => ended.push(one) });
      await continueAt(started_at_ms + day_ms - 1);
      assertEqual((await read()).status, 'running', 'the status within a day');
      await continueAt(started_at_ms + day_ms);
      const { status, phase, problem, applied } = await read();
      assertEqual([status, phase, problem?.code, applied], ['truncated', null, 'reading_abandoned', 0], 'after a day');
      assertEqual(ended.filter((one) => one.id === id).length, 1, 'how often it ended');
      const batch = await world.storage.unitOfWork.read(({ imports }) => imports.nextBatch(id));
      assert(batch === null, 'no staged record is kept');
      const again = await world.imported(lines);
      assertEqual([again.id, again.status, again.applied], [id, 'completed', 5], 'the same file again');
      assertEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
    },
  },
  {
    rule: 'a stream that breaks applies nothing and leaves nothing',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 40);
      const bytes = bytesOf(lines);
      const source = {
        is_repeatable: false,
        async *open() {
          // Longer than what a format is recognised by, so that records are staged.
          yield bytes.subarray(0, bytes.length - 20);
          throw new Error('the connection was reset');
        },
      };
      const before = (await world.storage.unitOfWork.read(({ imports }) => imports.list({}, { limit: 1 }))).items[0]
        ?.id;
      await assertRejects(world.import(lines, { source }), (error) => String(error).includes('reset'), 'the import');
      const after = (await world.storage.unitOfWork.read(({ imports }) => imports.list({}, { limit: 1 }))).items[0]?.id;
      assertEqual(after, before, 'the imports');
      assertEqual(await world.clearingsOf(card), [], 'the clearings');
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
      const preview = await previewFile(world.ports(), sourceOf(bytesOf(lines)), {}, ({ ordinal, outcome, reason }) => {
        shown.push(`${ordinal} ${outcome} ${reason}`);
      });
      assertEqual(
        shown,
        [
          '2 applied null',
          '3 duplicate null',
          '4 quarantined unknown_card',
          '5 quarantined malformed_record',
          '6 other fee',
        ],
        'the records',
      );
      const { status, applied, duplicates, quarantined, known_import_id } = preview;
      assertEqual(
        { status, applied, duplicates, quarantined, known_import_id },
        { status: 'completed_with_quarantine', applied: 1, duplicates: 1, quarantined: 2, known_import_id: null },
        'the preview',
      );
      assertEqual((await world.clearingsOf(card)).length, 1, 'the clearings after the preview');
      const done = await world.imported(lines);
      assertEqual(
        [done.status, done.applied, done.duplicates, done.quarantined],
        [status, applied, duplicates, quarantined],
        'the import',
      );
    },
  },
  {
    rule: 'of two processes that import a file at once, one applies it, and each record once',
    async check(open) {
      const storage = await open();
      const other = await storage.another();
      for (const is_repeatable of [true, false]) {
        const world = new ImportWorld(storage);
        const { card, lines } = await wholeFile(world, 9);
        const source = { is_repeatable };
        const outcomes = await Promise.all(
          Array.from({ length: 4 }, (_, at) =>
            new ImportWorld(at % 2 === 0 ? storage : other).import(lines, { source }),
          ),
        );
        assertEqual(outcomes.filter(({ kind }) => kind === 'imported').length, 1, 'how many applied it');
        assertEqual(new Set(outcomes.map((outcome) => outcome.import.id)).size, 1, 'how many imports there are');
        assertEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
      }
    },
  },
  {
    rule: 'of two files with one id that are imported at once, one is held',
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
        assertEqual(
          ended.map(({ status }) => status).toSorted(),
          ['completed', 'held', 'held', 'held'],
          'the statuses',
        );
        assertEqual((await world.clearingsOf(card)).length, 1, 'the clearings');
      }
    },
  },
];

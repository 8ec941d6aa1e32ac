import assert from 'node:assert/strict';
import type { VirtualCard } from '@tallystick/cards';
import {
  bytesOf,
  fileOf,
  freshFileId,
  type Line,
  line_format,
  type Records,
  type StorageUnderTest,
} from '@tallystick/harness';
import { checkOnStorages } from '@tallystick/test-support';
import {
  type ClearingFormat,
  continueImports,
  createFormats,
  type Import,
  type ImportPorts,
  type ImportProgress,
  type ImportRecord,
  ImportStopped,
  import_lease_ms,
  previewFile,
  readImport,
} from '../../src/index.ts';
import {
  Crash,
  clearingLine,
  countsOf,
  crashingAt,
  type ImportChanges,
  ImportWorld,
  sourceOf,
  transactionsOf,
  wholeFile,
} from '../world.ts';

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
  await assert.rejects(importing, (error) => error instanceof ImportStopped, 'the import');
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
    assert.deepEqual(countsOf(ended), whole, place);
    assert.deepEqual(await world.clearingsOf(card), transactionsOf(lines), place);
    const [batch = null] = await storage.unitOfWork.read(({ imports }) => imports.batches(ended.id, 'clearings', 0, 1));
    assert(batch === null, `no batch is left: ${place}`);
  }
  return left;
}

checkOnStorages('imports whose process ends', [
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
    rule: 'additions that cannot be read are warnings, one for each name, also after a staging that stopped',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const file = (sequence: number) => {
        const header = { file_id: freshFileId(), sequence, created_on: '2026-05-20' };
        const records = [['mcc'], ['exchange_rate'], [], [], ['mcc'], ['mcc', 'merchant_amount']] as const;
        return fileOf(records.map((unread) => clearingLine(card, {}, { unread })) as unknown as Records, header);
      };
      await world.imported(fileOf([clearingLine(card)] as Records, { sequence: 1, created_on: '2026-05-20' }));
      const [gap, ...others] = (await world.imported(file(3))).warnings;
      assert.match(gap!, /^the sequence has a gap/);
      const warnings = [
        'the mcc of 3 records cannot be read and is left out; the first is record 2',
        'the exchange_rate of record 3 cannot be read and is left out',
        'the merchant_amount of record 7 cannot be read and is left out',
      ];
      assert.deepEqual(others, warnings, 'those of an unbroken import');
      const lines = file(4);
      const stopped = await stoppedWhile(world, lines, 'staging');
      assert.deepEqual([stopped.records, stopped.warnings], [3, []], 'before the stop');
      const previewed = await previewFile(world.ports(), sourceOf(bytesOf(lines)), {}, () => {});
      assert.deepEqual(previewed.warnings.slice(0, 3), warnings, 'those of a preview');
      assert.deepEqual((await world.imported(lines)).warnings, warnings, 'those of the continued import');
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
        assert.deepEqual(stopped.records, 3, 'the records that were read before the stop');
        const seen: unknown[] = [];
        const onResumed = (found: Import, its: string) => seen.push([found.id, found.records, its]);
        const ended = await world.imported(lines, { ports: again, source, onResumed });
        const whole = { status: 'completed', records: 11, applied: 9, duplicates: 0, quarantined: 0 };
        assert.deepEqual([ended.id, countsOf(ended)], [stopped.id, whole], 'the import');
        assert.deepEqual(
          seen,
          settings.map((its) => [stopped.id, 3, its]),
          'how it was continued',
        );
        assert.deepEqual(await clearedOf(card), sumOf(lines) * times, 'the cleared amount');
        const is_same_profile = ended.read_with?.settings_sha256 === stopped.read_with?.settings_sha256;
        assert.deepEqual([ended.read_with?.profile, is_same_profile], ['times', times === 3], 'by what it was read');
      }
    },
  },
  {
    rule: 'the same bytes of a truncated file begin its import again and continue nothing',
    async check(open) {
      const world = new ImportWorld(await open());
      const { lines } = await wholeFile(world, 5);
      const truncated = await world.imported(lines.slice(0, -1));
      const continued: Import[] = [];
      const again = await world.imported(lines.slice(0, -1), { onResumed: (found) => continued.push(found) });
      assert.deepEqual([again.id, again.status, again.records], [truncated.id, 'truncated', truncated.records]);
      assert.deepEqual(continued, [], 'what is reported as continued');
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
      assert.deepEqual([ended.status, ended.applied, seen], ['completed', 5, ['other']], 'the import');
      assert.deepEqual(ended.read_with, stopped.read_with, 'by what it was read');
      const found = await world.storage.unitOfWork.read(({ cards }) => cards.find(card.company_id, card.id));
      assert.deepEqual(found!.counters.cleared, sumOf(lines) * 3, 'the cleared amount');
      for (const is_repeatable of [true, false]) {
        for (const [times, settings] of [
          [3, 'same'],
          [7, 'other'],
        ] as const) {
          const again = await world.import(lines, { ports: readingAmounts(times), source: { is_repeatable } });
          assert.deepEqual(
            [again.kind, again.settings, again.import],
            ['known', settings, ended],
            'the same bytes again',
          );
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
    rule: 'imports of a dead process are continued without the file',
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 5);
      await stoppedWhile(world, lines, 'applying');
      assert.deepEqual((await world.clearingsOf(card)).length, 2, 'the clearings of the batch that was applied');
      assert.deepEqual((await continueImports(world.ports(), world.call)) >= 1, true, 'how many were continued');
      assert.deepEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings after');
      assert.deepEqual((await world.import(lines)).kind, 'known', 'the same bytes again');
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
      await assert.rejects(world.import(lines, { source, ports }), (error) => error instanceof Crash, 'the import');
      const { items } = await unitOfWork.read(({ imports }) => imports.list({}, { limit: 1 }));
      const { id, sha256 } = items[0]!;
      assert.deepEqual(sha256, null, 'the hash of the stream');
      const left = () =>
        unitOfWork.read(
          async ({ imports }) =>
            [await imports.find(id), (await imports.batches(id, 'clearings', 0, 1))[0] ?? null] as const,
        );
      await continueImports(world.ports(), world.call);
      assert(
        (await left()).every((row) => row !== null),
        'the import and its batches are kept until the lease ends',
      );
      world.machine_ms += 2 * import_lease_ms;
      await continueImports(world.ports(), world.call);
      assert.deepEqual(await left(), [null, null], 'the import and its next batch');
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
      await assert.rejects(continuing, (error) => error instanceof ImportStopped, 'the job');
      assert.deepEqual((await world.clearingsOf(second.card)).length, 2, 'the clearings of the second one');
      await continueImports(world.ports(), world.call);
      assert.deepEqual(await world.clearingsOf(second.card), transactionsOf(second.lines), 'after another call');
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
      const stopping = new AbortController();
      const stopped: Partial<ImportPorts> = {
        ledger: {
          ...ledger,
          pass: () => {
            stopping.abort();
            return Promise.reject(new Crash());
          },
        },
      };
      const { signal } = stopping;
      await assert.rejects(continueImports(world.ports(stopped), world.call, { signal }), isCrash, 'also when stopped');
      await assert.rejects(continueImports(world.ports(failing), world.call), isCrash, 'the first reason');
      assert.deepEqual(
        await world.clearingsOf(sound.card),
        transactionsOf(sound.lines),
        'the clearings of the other one',
      );
      await continueImports(world.ports(), world.call);
      assert.deepEqual(
        await world.clearingsOf(poisoned.card),
        transactionsOf(poisoned.lines),
        'once the cause is gone',
      );
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
      assert.deepEqual((await read()).status, 'running', 'the status within a day');
      await continueAt(started_at_ms + day_ms);
      const { status, phase, problem, applied } = await read();
      assert.deepEqual(
        [status, phase, problem?.code, applied],
        ['truncated', null, 'reading_abandoned', 0],
        'after a day',
      );
      assert.deepEqual(ended.filter((one) => one.id === id).length, 1, 'how often it ended');
      const [batch = null] = await world.storage.unitOfWork.read(({ imports }) =>
        imports.batches(id, 'clearings', 0, 1),
      );
      assert(batch === null, 'no staged record is kept');
      const again = await world.imported(lines);
      assert.deepEqual([again.id, again.status, again.applied], [id, 'completed', 5], 'the same file again');
      assert.deepEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
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
      await assert.rejects(world.import(lines, { source }), (error) => String(error).includes('reset'), 'the import');
      const after = (await world.storage.unitOfWork.read(({ imports }) => imports.list({}, { limit: 1 }))).items[0]?.id;
      assert.deepEqual(after, before, 'the imports');
      assert.deepEqual(await world.clearingsOf(card), [], 'the clearings');
    },
  },
]);

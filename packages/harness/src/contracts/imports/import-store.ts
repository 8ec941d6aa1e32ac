import { LeaseLost, no_changes } from '@tallystick/cards';
import { type ImportBatch, type ImportRecord, type ImportStatement, nothing_done } from '@tallystick/imports';
import { money, type PageRequest } from '@tallystick/kernel';
import { assertEqual, assertRejects } from '../assertions.ts';
import { appliedAs } from '../cards/quarantine-store.ts';
import { clearingMessage, recordOnce } from '../ledger/network-messages.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { everyPage, idsOf, makeCard, makeOwner, type StorageUnderTest, sealedNumber } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

/** An import that no other rule has. */
function newImport(changes: Partial<ImportRecord> = {}): Omit<ImportRecord, 'id'> {
  return {
    name: 'a "file" – é😀.xml',
    format: `format-${uniqueNumber()}`,
    profile: null,
    read_with: null,
    sha256: null,
    file_id: null,
    series: 'A',
    sequence: null,
    created_on: null,
    mode: null,
    ...nothing_done,
    is_repeatable: true,
    bytes: 10,
    started_at_ms: 1_000,
    lease: null,
    ...changes,
  };
}

function insert({ unitOfWork }: StorageUnderTest, changes: Partial<ImportRecord> = {}): Promise<ImportRecord> {
  return unitOfWork.run(({ imports }) => imports.insert(newImport(changes)));
}

function find({ unitOfWork }: StorageUnderTest, id: number): Promise<ImportRecord | null> {
  return unitOfWork.read(({ imports }) => imports.find(id));
}

function batch(import_id: number, number: number, kind: ImportBatch['kind'] = 'clearings'): ImportBatch {
  return { import_id, kind, number, sealed: new Uint8Array([0, 255, number]) };
}

const held_statement = {
  number: 2,
  account_number: 'a"b',
  reference: null,
  as_of: '2026-05-20',
  lines: 2,
  code: 'statement_gap',
  message: 'é😀\0\ud83d',
  offset: null,
  waits_for: '1000000001',
};

function statement(import_id: number, number: number, changes: Partial<ImportStatement> = {}): ImportStatement {
  return {
    import_id,
    number,
    ordinal: number,
    offset: 10 ** 13,
    account_number: '1000000001',
    currency: null,
    reference: 'S "1" 😀',
    as_of: '2026-05-20',
    opening_balance: null,
    closing_balance: money(-(10 ** 13)),
    lines: 2,
    sum: money(5),
    first_booking_date: '2026-05-20',
    is_newest_first: false,
    stated_problem: { code: 'c', message: 'a\0\ud83d' },
    status: 'staged',
    problem: null,
    accepted_problems: [],
    statement_id: null,
    is_known: true,
    known_lines: 0,
    ...changes,
  };
}

const counted_twice = { applied: 6, duplicates: 4, quarantined: 2, matched: 4, breaks: 2 };

const isLeaseLost = (error: unknown) => error instanceof LeaseLost;

const counted = { applied: 3, duplicates: 2, quarantined: 1, matched: 2, breaks: 1 };

/**
 * The contract of every adapter of `ImportStore`, and of the passes of the ledger that apply its
 * batches.
 */
export const import_store_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule('an import is read as it was written, by another process too', async (storage) => {
    const full: Partial<ImportRecord> = {
      profile: 'p',
      read_with: { profile: 'q', settings_sha256: 'f'.repeat(64) },
      sha256: `hash-${uniqueNumber()}`,
      file_id: 'id-1',
      sequence: 7,
      created_on: '2026-05-20',
      mode: 'test',
      other_records: { '1740/700': 2, 'a\0\ud83d': 1 },
      control_totals: { 'a "sum"': '12345678901234567890', 'b\0\ud83d': 'c\0\ud83d' },
      warnings: ['a gap', 'a\0\ud83d'],
      problem: { code: 'test_file', message: 'é😀\0\ud83d', offset: null },
      note: 'n',
      statements: 3,
      held: 2,
      held_statements: [held_statement],
      is_repeatable: false,
      lease: { token: 't', until_machine_ms: 5 },
      bytes: 10 ** 13,
    };
    const inserted = await insert(storage, full);
    assertEqual(await find(await anotherOf(storage), inserted.id), inserted, 'the import');
    const { sha256 } = full;
    const same = await storage.unitOfWork.read(({ imports }) => imports.findBySha256(sha256!));
    assertEqual(same, inserted, 'by its hash');
    const changed = { ...inserted, ...counted, status: 'held', phase: null, lease: null, problem: null } as const;
    await storage.unitOfWork.run(({ imports }) => imports.update(changed));
    assertEqual(await find(storage, inserted.id), changed, 'the updated import');
    assertEqual(await find(storage, 999_999_999), null, 'an unknown import');
  }),
  rule('imports are listed newest first by status, format and name, on pages that omit none', async (storage) => {
    const format = `listed-${uniqueNumber()}`;
    const made = [];
    for (let at = 0; at < 5; at += 1) made.push(await insert(storage, { format, status: at % 2 ? 'held' : 'refused' }));
    const listed = async (filter: object) =>
      idsOf(await storage.unitOfWork.read((tx) => everyPage((page) => tx.imports.list(filter, page), 2)));
    assertEqual(await listed({ format }), idsOf(made).toReversed(), 'by format');
    const held = idsOf(made.filter(({ status }) => status === 'held')).toReversed();
    assertEqual(await listed({ format, status: 'held' }), held, 'by both');
    const named = await insert(storage, { format, name: `Zö ${format}` });
    assertEqual(await listed({ format, name_prefix: 'Zö ' }), [named.id], 'by the beginning of the name');
  }),
  rule(
    'the file with the same id, and the file before it in its series, are found among accepted ones',
    async (storage) => {
      const format = `series-${uniqueNumber()}`;
      const of = (changes: Partial<ImportRecord>) =>
        insert(storage, { format, status: 'completed', phase: null, ...changes });
      const first = await of({ file_id: 'f1', created_on: '2026-05-20', sequence: 9 });
      const second = await of({ file_id: 'f2', created_on: '2026-05-21', sequence: 1 });
      await of({ file_id: 'f3', created_on: '2026-05-21', sequence: 2, status: 'refused' });
      await of({ file_id: 'f1', created_on: '2026-05-20', sequence: 9, status: 'running', phase: 'staging' });
      const applying = await of({
        file_id: 'f4',
        created_on: '2026-05-21',
        sequence: 4,
        status: 'running',
        phase: 'applying',
      });
      await of({ file_id: 'f5', created_on: '2026-05-21', sequence: 5, series: 'B' });
      await of({ file_id: 'f7', created_on: '2026-05-22', sequence: null });
      const test_file = await of({ file_id: 'f6', created_on: '2026-05-21', sequence: 6, mode: 'test' });
      await storage.unitOfWork.read(async ({ imports }) => {
        const same = async (file_id: string, id = 0) =>
          (await imports.findSameFile({ id, format, file_id }))?.id ?? null;
        assertEqual(await same('f1'), first.id, 'a completed one');
        assertEqual(await same('f1', first.id), null, 'itself');
        assertEqual(await same('f3'), null, 'a refused one');
        assertEqual(await same('f4'), applying.id, 'one that is applied');
        const before = async (
          created_on: string,
          sequence: number,
          { series = 'A', mode = null as 'test' | null } = {},
        ) => (await imports.findPrevious({ id: 0, format, mode, series, created_on, sequence }))?.id ?? null;
        assertEqual(await before('2026-05-20', 9), null, 'before the first');
        assertEqual(await before('2026-05-21', 1), first.id, 'on a new day');
        assertEqual(await before('2026-05-21', 3), second.id, 'after a refused one');
        assertEqual(await before('2026-05-22', 1), applying.id, 'the newest');
        assertEqual(await before('2026-05-23', 1), applying.id, 'the newest with a number');
        assertEqual(await before('2026-05-22', 1, { mode: 'test' }), test_file.id, 'the newest test file');
        assertEqual(await before('2026-05-22', 1, { series: 'C' }), null, 'another series');
      });
    },
  ),
  rule('running imports are found when their lease has ended', async (storage) => {
    const until = (until_machine_ms: number) => ({ lease: { token: 't', until_machine_ms } });
    const [ended, live, released, completed] = [
      await insert(storage, until(100)),
      await insert(storage, until(101)),
      await insert(storage),
      await insert(storage, { status: 'completed', phase: null }),
    ];
    const dead = await storage.unitOfWork.read(({ imports }) => imports.listDead(100, 1_000));
    const own = new Set(idsOf([ended, live, released, completed]));
    assertEqual(
      idsOf(dead).filter((id) => own.has(id)),
      [ended.id, released.id],
      'the dead ones',
    );
  }),
  rule(
    'batches are taken in the order of their numbers, kept apart by kind, moved, and removed with their import',
    async (storage) => {
      const [from, to] = [await insert(storage), await insert(storage)];
      await storage.unitOfWork.run(async ({ imports }) => {
        await imports.stage([
          batch(from.id, 3),
          batch(from.id, 2),
          batch(from.id, 1, 'others'),
          batch(from.id, 4, 'others'),
        ]);
      });
      await storage.unitOfWork.run(({ imports }) => imports.moveStaged(from.id, to.id));
      await storage.unitOfWork.read(async ({ imports }) => {
        assertEqual(await imports.batches(from.id, 'clearings', 0, 10), [], 'those of the first');
        assertEqual(await imports.batches(to.id, 'clearings', 0, 1), [batch(to.id, 2)], 'the next of the second');
        const others = await imports.batches(to.id, 'others', 1, 10);
        assertEqual(others, [batch(to.id, 4, 'others')], 'the other records');
      });
      await storage.unitOfWork.run(async ({ imports }) => {
        const [first] = (await imports.batchesAfter(0, 1_000)).filter(({ sealed }) => sealed[2] === 2);
        const all = await imports.batchesAfter(0, 1_000);
        assertEqual(
          idsOf(all),
          idsOf(all).toSorted((a, b) => a - b),
          'the order of all batches',
        );
        await imports.reseal(first!.id, new Uint8Array([9]));
      });
      await storage.unitOfWork.run(({ imports }) => imports.remove(to.id));
      assertEqual(await find(storage, to.id), null, 'the removed import');
      const left = await storage.unitOfWork.read(({ imports }) => imports.batches(to.id, 'others', 0, 10));
      assertEqual(left, [], 'its batches');
    },
  ),
  rule(
    'statements are read as they were written or replaced, by status and in pages, moved, and removed with their import',
    async (storage) => {
      const [from, to] = [await insert(storage), await insert(storage)];
      const waiting = { code: 'statement_gap', message: 'm', offset: 7, waits_for: '1000000001' };
      const held = statement(to.id, 2, {
        status: 'held',
        problem: waiting,
        accepted_problems: ['a"b'],
        currency: 'EUR',
      });
      const others = [1, 3].map((number) => statement(to.id, number, { is_newest_first: true }));
      await storage.unitOfWork.run(async ({ imports }) => {
        await imports.putStatements([]);
        await imports.putStatements([statement(from.id, 3), statement(from.id, 1), statement(from.id, 2)]);
        await imports.moveStaged(from.id, to.id);
        await imports.putStatements([held, ...others]);
      });
      const waitingNow = () => storage.unitOfWork.read(({ imports }) => imports.listWaiting(from.id, 1));
      const other = await anotherOf(storage);
      await other.unitOfWork.read(async ({ imports }) => {
        assertEqual(await imports.statements(from.id, ['staged', 'held']), [], 'those of the first import');
        assertEqual(await imports.statements(to.id, ['held']), [held], 'the held one');
        assertEqual(await imports.statements(to.id, ['staged', 'applied']), others, 'the others, by their numbers');
        const list = (page: PageRequest) => imports.listStatements({ import_id: to.id }, page);
        const all = await everyPage(list, 2);
        assertEqual(all.map(({ number }) => number).toSorted(), [1, 2, 3], 'on pages');
        const page = await imports.listStatements({ import_id: to.id, status: 'held' }, { limit: 5 });
        assertEqual(page.items, [held], 'a page by status');
      });
      assertEqual(await waitingNow(), [to.id], 'the import that waits');
      await storage.unitOfWork.run(({ imports }) => imports.putStatements([{ ...held, status: 'staged' }]));
      assertEqual(await waitingNow(), [], 'while it is decided about again');
      await storage.unitOfWork.run(({ imports }) => imports.remove(to.id));
      const left = await storage.unitOfWork.read(({ imports }) => imports.statements(to.id, ['staged', 'held']));
      assertEqual(left, [], 'those of the removed import');
    },
  ),
  rule(
    'a pass counts the records of a batch, removes a whole one, and writes nothing unless the records are next',
    async (storage) => {
      const { unitOfWork, ledger } = storage;
      const number = sealedNumber();
      const card = await unitOfWork.run(async (tx) => makeCard(tx, await makeOwner(tx), {}, number));
      const row = await insert(storage, { phase: 'applying', lease: { token: 'mine', until_machine_ms: 1 } });
      await unitOfWork.run(({ imports }) => imports.stage([batch(row.id, 1), batch(row.id, 2)]));
      let sent = 0;
      const apply = (token: string, batch_number: number, from: number, to: number | null) => {
        sent += 1;
        const message = clearingMessage(number.number_index, {
          network_financial_transaction_id: `P${row.id}-${sent}`,
        });
        const fold = recordOnce(message);
        return ledger.pass([message], (state) => {
          const { changes, result } = fold(state);
          const lease = { token, until_machine_ms: 77 };
          return {
            changes: { ...changes, file_progress: { import_id: row.id, batch_number, from, to, lease, ...counted } },
            result,
          };
        });
      };
      const clearings = async () =>
        (await unitOfWork.read((tx) => tx.cards.clearings(card.company_id, card.id, { limit: 10 }))).items.length;
      const next = () =>
        unitOfWork.read(async ({ imports }) => (await imports.batches(row.id, 'clearings', 0, 1))[0] ?? null);
      await assertRejects(apply('another', 1, 0, null), isLeaseLost, 'a pass without the claim');
      await assertRejects(apply('mine', 1, 2, null), isLeaseLost, 'a pass that leaves out records');
      assertEqual([await clearings(), await next()], [0, batch(row.id, 1)], 'what they wrote');
      await apply('mine', 1, 0, 3);
      const lease = { token: 'mine', until_machine_ms: 77 };
      const between = { ...row, ...counted, applied_of_batch: 3, lease };
      assertEqual(
        [await find(storage, row.id), await next()],
        [between, batch(row.id, 1)],
        'the import within a batch',
      );
      await assertRejects(apply('mine', 1, 0, 3), isLeaseLost, 'the same records again');
      await assertRejects(apply('mine', 1, 0, null), isLeaseLost, 'the whole batch after a part of it');
      await apply('mine', 1, 3, null);
      const after = { ...row, ...counted_twice, lease };
      assertEqual(await find(storage, row.id), after, 'the import after a batch');
      assertEqual(await next(), batch(row.id, 2), 'the next batch');
      await assertRejects(apply('mine', 1, 0, null), isLeaseLost, 'a pass without the batch');
      await assertRejects(apply('mine', 1, 0, 3), isLeaseLost, 'a pass of a part without the batch');
      assertEqual([await clearings(), await find(storage, row.id)], [2, after], 'what they wrote');
      await assertRejects(
        ledger.pass([], () => ({
          changes: {
            ...no_changes,
            file_progress: {
              import_id: 999_999_999,
              batch_number: 1,
              from: 0,
              to: null,
              lease: { token: 'mine', until_machine_ms: 1 },
              ...counted,
            },
          },
          result: null,
        })),
        isLeaseLost,
        'a pass of an unknown import',
      );
    },
  ),
  rule(
    'a quarantined record that is applied counts on its import, which is completed without open ones',
    async (storage) => {
      const row = await insert(storage, {
        status: 'completed_with_quarantine',
        phase: null,
        ...counted,
        quarantined: 3,
      });
      await quarantineRecords(storage, row.id, [2, 1, 3]);
      const openOnes = (after = 0) =>
        storage.unitOfWork.read(({ quarantine }) => quarantine.openOfImport(row.id, after, 2));
      assertEqual(
        (await openOnes()).map(({ ordinal }) => ordinal),
        [1, 2],
        'the first open ones',
      );
      const [third] = await openOnes(2);
      assertEqual(third?.ordinal, 3, 'the open one after those');
      const listed = await storage.unitOfWork.read((tx) => tx.quarantine.list({ import_id: row.id }, { limit: 10 }));
      assertEqual(listed.items.length, 3, 'the records of the import');
      const [first, second] = await openOnes();
      const other = await anotherOf(storage);
      await Promise.all([
        storage.unitOfWork.run(({ quarantine }) =>
          quarantine.apply({ ...appliedAs(first!.id, 5), is_matched: true, is_break: true }, 9),
        ),
        other.unitOfWork.run(({ quarantine }) =>
          quarantine.apply({ ...appliedAs(second!.id, 6), is_duplicate: true }, 9),
        ),
      ]);
      const some = {
        ...row,
        applied: row.applied + 1,
        duplicates: row.duplicates + 1,
        quarantined: 1,
        matched: row.matched + 1,
        breaks: row.breaks + 1,
      };
      assertEqual(await find(storage, row.id), some, 'the import with an open record');
      await storage.unitOfWork.run(({ quarantine }) => quarantine.apply(appliedAs(third!.id, null), 9));
      const done = { ...some, applied: some.applied + 1, quarantined: 0, status: 'completed' as const };
      assertEqual(await find(storage, row.id), done, 'the import without open records');
    },
  ),
  rule(
    'records that are applied together count once on their import, but for those of others and those not open',
    async (storage) => {
      const values = { status: 'completed_with_quarantine', phase: null, ...counted, quarantined: 3 } as const;
      const [row, other] = [await insert(storage, values), await insert(storage, { ...values, quarantined: 1 })];
      await quarantineRecords(storage, row.id, [1, 2, 3]);
      await quarantineRecords(storage, other.id, [1]);
      const openOf = (id: number) => storage.unitOfWork.read(({ quarantine }) => quarantine.openOfImport(id, 0, 10));
      const [[first, second, third], [foreign]] = [await openOf(row.id), await openOf(other.id)];
      const become = (ids: readonly number[], is_duplicate: boolean) =>
        ids.map((id, at) => {
          const is_new = !is_duplicate;
          return { id, clearing_id: 5 + at, is_duplicate, is_matched: is_new, is_break: is_new };
        });
      await storage.unitOfWork.run(({ quarantine }) =>
        quarantine.applyOfImport(
          row.id,
          [...become([first!.id, foreign!.id], false), ...become([second!.id, first!.id], true)],
          9,
        ),
      );
      const some = {
        ...row,
        applied: row.applied + 1,
        duplicates: row.duplicates + 1,
        quarantined: 1,
        matched: row.matched + 1,
        breaks: row.breaks + 1,
      };
      assertEqual(await find(storage, row.id), some, 'the import with an open record');
      assertEqual(await find(storage, other.id), other, 'the other import');
      assertEqual((await openOf(other.id)).length, 1, 'the open records of the other import');
      await storage.unitOfWork.run(({ quarantine }) =>
        quarantine.applyOfImport(row.id, [appliedAs(third!.id, null)], 9),
      );
      const done = { ...some, applied: some.applied + 1, quarantined: 0, status: 'completed' as const };
      assertEqual(await find(storage, row.id), done, 'the import without open records');
    },
  ),
];

/** Quarantines records of an import that could not be read, in this order of their ordinals. */
async function quarantineRecords(
  storage: StorageUnderTest,
  import_id: number,
  ordinals: readonly number[],
): Promise<void> {
  const quarantined = ordinals.map((ordinal) => {
    const identity_sha256 = new Uint8Array(32);
    new DataView(identity_sha256.buffer).setUint32(8, import_id * 10 + ordinal);
    return {
      identity_sha256,
      source: 'file' as const,
      import_id,
      ordinal,
      position: ordinal * 10,
      reason: 'malformed_record' as const,
      explanation: 'bad',
      excerpt: {},
      message_sealed: new Uint8Array([1]),
      count: 1,
      first_seen_at_ms: 1,
      last_seen_at_ms: 1,
      request_id: null,
    };
  });
  await storage.ledger.pass([], () => ({ changes: { ...no_changes, quarantined }, result: null }));
}

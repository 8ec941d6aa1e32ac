import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replayQuarantined, type VirtualCard } from '@tallystick/cards';
import { bytesOf, everyPage, fileOf, freshFileId, type Line, type Records } from '@tallystick/harness';
import { checkOnStorages, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type Import,
  listImportQuarantine,
  previewFile,
  releaseImport,
  replayImport,
  type StatedClearing,
} from '../../src/index.ts';
import { clearingLine, countsOf, crashingAt, freshNumber, ImportWorld, newWorld, sourceOf } from '../world.ts';

/** Ids that name nothing: absent, empty, of zeros, and rounded by a spreadsheet. */
const no_ids = [null, '', '0', '000000000000', '0000-0000', '5.55E+17', '5,55E+17', '1.23457E+11'];

const ard = '55432861234567890123456';

/** A row without an id. */
function row(card: Pick<VirtualCard, 'id'>, input: Partial<StatedClearing> = {}): Records[number] {
  const fields = { billing_amount: 1_000, acquirer_reference_data: ard, network_financial_transaction_id: null };
  return clearingLine(card, { ...fields, ...input }) as Records[number];
}

/** The amounts of the clearings of a card, credits negative, in order. */
async function amountsOf({ storage }: ImportWorld, card: VirtualCard): Promise<readonly number[]> {
  return await storage.unitOfWork.read(async ({ cards }) => {
    const rows = await everyPage((page) => cards.clearings(card.company_id, card.id, page), 100);
    return rows
      .map(({ clearing_type, billing_amount }) => (clearing_type === 'DEBIT' ? billing_amount : -billing_amount))
      .sort((a, b) => a - b);
  });
}

/** The rows in a file that states no id of its own. `at` distinguishes its bytes. */
function exported(records: Records, at: string): readonly Line[] {
  return fileOf(records, { created_on: at });
}

function resultOf({ status, applied, duplicates, quarantined }: Import) {
  return [status, applied, duplicates, quarantined];
}

checkOnStorages('clearings of a file without transaction ids', [
  {
    rule: 'are each applied, whatever stands in the place of an id, and are the same in every later export',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      for (const network_financial_transaction_id of no_ids) {
        const card = await world.makeCard();
        const rows = [1_000, 2_000, 700].map((billing_amount, at) =>
          row(card, {
            network_financial_transaction_id,
            billing_amount,
            clearing_type: at === 2 ? 'CREDIT' : 'DEBIT',
            acquirer_reference_data: `${ard.slice(1)}${at}`,
          }),
        ) as Records;
        const first = await world.imported(exported(rows, '2026-05-20'));
        assert.deepEqual(resultOf(first), ['completed', 3, 0, 0], `ids of ${network_financial_transaction_id}`);
        const again = await world.imported(exported(rows.toReversed() as Records, '2026-05-21'));
        assert.deepEqual(
          resultOf(again),
          ['completed', 0, 3, 0],
          `another export of ${network_financial_transaction_id}`,
        );
        assert.deepEqual(await amountsOf(world, card), [-700, 1_000, 2_000], 'the clearings');
      }
    },
  },
  {
    rule: 'and with equal content are counted: as many are applied as the file with the most of them has',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const rows = (count: number) => Array.from({ length: count }, () => row(card)) as Records;
      const counts = [];
      for (const [at, count] of [2, 2, 5, 1].entries()) {
        counts.push(resultOf(await world.imported(exported(rows(count), `2026-05-1${at}`))));
      }
      assert.deepEqual(counts, [
        ['completed', 2, 0, 0],
        ['completed', 0, 2, 0],
        ['completed', 3, 2, 0],
        ['completed', 0, 1, 0],
      ]);
      assert.deepEqual(await amountsOf(world, card), Array(5).fill(1_000), 'the clearings');
    },
  },
  {
    rule: 'are others with another settlement date, and the same with another merchant',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const lines = (input: Partial<StatedClearing>) => exported([row(card, input)] as Records, '2026-05-20');
      assert.deepEqual(resultOf(await world.imported(lines({ merchant_name: 'Inn' }))), ['completed', 1, 0, 0]);
      assert.deepEqual(resultOf(await world.imported(lines({ merchant_name: 'INN LTD', mcc: '7011' }))), [
        'completed',
        0,
        1,
        0,
      ]);
      const next_day = lines({ settlement_date: '2026-05-21' });
      assert.deepEqual(resultOf(await world.imported(next_day)), ['completed', 1, 0, 0]);
    },
  },
  {
    rule: 'and without an acquirer reference are those of their file alone: of its id, or else of its bytes',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const rows = [
        row(card, { acquirer_reference_data: null }),
        row(card, { acquirer_reference_data: '' }),
      ] as Records;
      assert.deepEqual(resultOf(await world.imported(exported(rows, '2026-05-20'))), ['completed', 2, 0, 0], 'a file');
      assert.deepEqual(resultOf(await world.imported(exported(rows, '2026-05-21'))), ['completed', 2, 0, 0], 'another');
      const file_id = freshFileId();
      const named = await world.imported(fileOf(rows, { file_id }));
      assert.deepEqual(resultOf(named), ['completed', 2, 0, 0], 'a file with an id');
      const held = await world.imported(fileOf(rows, { file_id, created_on: '2026-05-22' }));
      assert.deepEqual(held.problem?.code, 'file_id_repeated', 'its id with other bytes');
      const { import: released } = await releaseImport(world.ports(), world.call, held.id, 'sent again');
      assert.deepEqual(resultOf(released), ['completed', 0, 2, 0], 'released');
    },
  },
  {
    rule: 'get the same ids when an import crashes at any commit and is continued',
    async check(open) {
      const world = new ImportWorld(await open());
      for (let at = 1; at <= 8; at += 1) {
        const card = await world.makeCard();
        const rows = Array.from({ length: 7 }, (_, row_at) =>
          row(card, { billing_amount: 1_000 + (row_at % 2) }),
        ) as Records;
        const lines = exported(rows, '2026-05-20');
        for (const when of ['before', 'after'] as const) {
          await world.import(lines, { ports: crashingAt(world, at, when) }).catch(() => {});
          world.machine_ms += 1_000_000;
        }
        const continued = await world.imported(lines);
        assert.deepEqual(resultOf(continued), ['completed', 7, 0, 0], `a crash at commit ${at}`);
        const again = await world.imported(exported(rows, '2026-05-21'));
        assert.deepEqual(resultOf(again), ['completed', 0, 7, 0], `another export after a crash at commit ${at}`);
      }
    },
  },
  {
    rule: 'keep their ids in quarantine, so that a replay and another export are the same clearings',
    async check(open) {
      const world = new ImportWorld(await open());
      for (const replayed of ['together', 'one by one', 'after another export'] as const) {
        const number = freshNumber();
        const of_card = { vcn_id: null, card_number: number.reveal() };
        const rows = [
          row({ id: 0 }, of_card),
          row({ id: 0 }, of_card),
          row({ id: 0 }, { ...of_card, acquirer_reference_data: null, billing_amount: 700 }),
        ] as Records;
        const first = await world.imported(exported(rows, '2026-05-20'));
        assert.deepEqual(resultOf(first), ['completed_with_quarantine', 0, 0, 3], 'before the card is there');
        const card = await world.makeCard(number);
        const { items } = await world.storage.unitOfWork.read((tx) =>
          listImportQuarantine(tx, first.id, { limit: 10 }),
        );
        const another = exported(rows.slice(0, 2) as Records, '2026-05-21');
        if (replayed === 'after another export') {
          assert.deepEqual(resultOf(await world.imported(another)), ['completed', 2, 0, 0], 'the other export');
        }
        if (replayed === 'one by one') {
          for (const { id } of items) await replayQuarantined(world.replayPorts(), world.call, id);
        } else await replayImport(world.ports(), world.call, first.id);
        if (replayed !== 'after another export') {
          assert.deepEqual(resultOf(await world.imported(another)), ['completed', 0, 2, 0], 'the other export');
        }
        assert.deepEqual(await amountsOf(world, card), [700, 1_000, 1_000], `replayed ${replayed}`);
      }
    },
  },
  {
    rule: 'pair with those that came by message, each once',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const real = ['R1', 'R2'].map((id) =>
        row(card, { network_financial_transaction_id: `${card.id} ${id}` }),
      ) as Records;
      assert.deepEqual(
        resultOf(await world.imported(exported(real, '2026-05-20'))),
        ['completed', 2, 0, 0],
        'with ids',
      );
      const through_excel = Array.from({ length: 3 }, () =>
        row(card, { network_financial_transaction_id: '5.55E+17' }),
      ) as Records;
      const result = resultOf(await world.imported(exported(through_excel, '2026-05-21')));
      assert.deepEqual(result, ['completed', 1, 2, 0], 'through a spreadsheet');
      const again = resultOf(await world.imported(exported(through_excel, '2026-05-22')));
      assert.deepEqual(again, ['completed', 0, 3, 0], 'and again');
    },
  },
  {
    rule: 'are shown by a preview as an import applies them',
    async check(open) {
      const world = new ImportWorld(await open());
      const card = await world.makeCard();
      const rows = [row(card), row(card, { acquirer_reference_data: null }), row(card)] as Records;
      const preview = async (records: Records, at: string) => {
        const source = sourceOf(bytesOf(exported(records, at)));
        const { applied, duplicates } = await previewFile(world.ports(), source, {}, () => {});
        return [applied, duplicates];
      };
      assert.deepEqual(await preview(rows, '2026-05-20'), [3, 0], 'before');
      await world.imported(exported(rows, '2026-05-20'));
      assert.deepEqual(await preview([...rows, row(card)] as Records, '2026-05-21'), [2, 2], 'another export');
    },
  },
]);

checkOnStorages('a transaction id with other content', [
  {
    rule: 'in a file is never a duplicate: the record is kept in quarantine, and copies are duplicates',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      for (const [what, other] of Object.entries({
        amount: { billing_amount: 1_001 },
        type: { clearing_type: 'CREDIT' },
        'acquirer reference': { acquirer_reference_data: ard.replace('5', '6') },
      })) {
        const card = await world.makeCard();
        const id = { network_financial_transaction_id: `T-${card.id}` };
        const rows = [row(card, id), row(card, { ...id, ...other }), row(card, id)] as Records;
        const result = await world.imported(exported(rows, '2026-05-20'));
        assert.deepEqual(resultOf(result), ['completed_with_quarantine', 1, 1, 1], `another ${what}`);
        const { items } = await world.storage.unitOfWork.read((tx) =>
          listImportQuarantine(tx, result.id, { limit: 9 }),
        );
        assert.deepEqual(
          items.map(({ reason, ordinal }) => [reason, ordinal]),
          [['transaction_of_another_clearing', 3]],
          'the quarantine',
        );
        assert.deepEqual(await amountsOf(world, card), [1_000], 'the clearings');
      }
    },
  },
  {
    rule: 'that two processes import at once is applied once, and kept in quarantine by the other',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const worlds = [new ImportWorld(storage), new ImportWorld(await storage.another())];
      for (let round = 0; round < 5; round += 1) {
        const card = await worlds[0]!.makeCard();
        const ids = Array.from({ length: 4 }, (_, at) => `T-${card.id}-${at}`);
        const results = await Promise.all(
          worlds.map((world, at) => {
            const rows = (at === 0 ? ids : ids.toReversed()).map((network_financial_transaction_id) =>
              row(card, { network_financial_transaction_id, billing_amount: 1_000 + at }),
            ) as Records;
            return world.imported(exported(rows, `2026-05-2${round}`));
          }),
        );
        const sum = (name: 'applied' | 'duplicates' | 'quarantined') => results[0]![name] + results[1]![name];
        assert.deepEqual([sum('applied'), sum('duplicates'), sum('quarantined')], [4, 0, 4], `round ${round}`);
        const applied = await amountsOf(worlds[0]!, card);
        const expected = [...Array(results[0]!.applied).fill(1_000), ...Array(results[1]!.applied).fill(1_001)];
        assert.deepEqual(applied, expected, `the clearings of round ${round}`);
      }
    },
  },
]);

/** A record of a random file. The ids name a transaction or nothing. */
interface Drawn {
  readonly card: number;
  readonly id: string | null;
  readonly billing_amount: number;
  readonly clearing_type: 'DEBIT' | 'CREDIT';
  readonly acquirer_reference_data: string | null;
  readonly approval_code: string | null;
  readonly is_bad: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  card: fc.nat({ max: 2 }),
  id: fc.constantFrom('A', 'B', null, '000', '5.55E+17'),
  billing_amount: fc.integer({ min: 1, max: 2 }),
  clearing_type: fc.constantFrom('DEBIT', 'DEBIT', 'CREDIT'),
  acquirer_reference_data: fc.constantFrom(ard, ard, null),
  approval_code: fc.constantFrom('A1B2C3', 'D4E5F6', null),
  is_bad: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
});

/** A clearing as a plain reading of the rules keeps it. */
interface Known extends Drawn {
  readonly ids: string[];
  readonly is_real: boolean;
}

/** What must become of a record, by a plain reading of the rules. */
function expect(known: Known[], record: Drawn, id: string, is_real: boolean): 'applied' | 'duplicate' | 'quarantined' {
  const differs = <Name extends keyof Drawn>(one: Drawn, name: Name) =>
    one[name] !== null && record[name] !== null && one[name] !== record[name];
  if (record.is_bad || record.card === 2) return 'quarantined';
  const same_id = known.find(({ ids }) => ids.includes(id));
  if (same_id !== undefined) {
    const compared = ['card', 'billing_amount', 'clearing_type', 'acquirer_reference_data'] as const;
    const is_other = compared.some((name) => differs(same_id, name));
    return is_other || (same_id.ids.length === 1 && differs(same_id, 'approval_code')) ? 'quarantined' : 'duplicate';
  }
  const other = known
    .toSorted((a, b) => (a.ids[0]! < b.ids[0]! ? -1 : 1))
    .find(
      (one) =>
        one.is_real !== is_real &&
        one.ids.length === 1 &&
        one.card === record.card &&
        one.acquirer_reference_data !== null &&
        one.acquirer_reference_data === record.acquirer_reference_data &&
        one.billing_amount === record.billing_amount &&
        one.clearing_type === record.clearing_type,
    );
  if (other === undefined) known.push({ ...record, ids: [id], is_real });
  else other.ids.push(id);
  return other === undefined ? 'applied' : 'duplicate';
}

test('each record of a file ends in exactly one count, and what is applied or a copy adds up to the amounts of the file', async () => {
  let at = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(drawn, { maxLength: 8 }), { minLength: 1, maxLength: 3 }), async (files) => {
      const world = newWorld();
      const cards = [await world.makeCard(), await world.makeCard(), { id: 999_999_999 }];
      const known: Known[] = [];
      for (const [file_at, records] of files.entries()) {
        at += 1;
        const lines = records.map((record): Line => {
          const { card, id, is_bad, ...fields } = record;
          const input = { ...fields, network_financial_transaction_id: id };
          return is_bad ? { kind: 'bad' } : row(cards[card]!, input);
        }) as Records;
        const imported = await world.imported(exported(lines, `2026-05-${10 + file_at}`));
        const equal = new Map<string, number>();
        const outcomes = records.map((record) => {
          const { id, is_bad, ...content } = record;
          const is_real = id === 'A' || id === 'B';
          const of_file = record.acquirer_reference_data === null ? at : null;
          const text = JSON.stringify([of_file, ...Object.values(content)]);
          if (!is_real && !is_bad) equal.set(text, (equal.get(text) ?? 0) + 1);
          return expect(known, record, is_real ? id : `${text} ${equal.get(text)}`, is_real);
        });
        const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
        const expected = {
          status: count('quarantined') === 0 ? 'completed' : 'completed_with_quarantine',
          records: records.length + 2,
          applied: count('applied'),
          duplicates: count('duplicate'),
          quarantined: count('quarantined'),
        };
        assert.deepEqual(countsOf(imported), expected);
      }
      for (const [card_at, card] of cards.slice(0, 2).entries()) {
        const amounts = known
          .filter((one) => one.card === card_at)
          .map(({ clearing_type, billing_amount }) => (clearing_type === 'DEBIT' ? billing_amount : -billing_amount));
        assert.deepEqual(
          await amountsOf(world, card as VirtualCard),
          amounts.toSorted((a, b) => a - b),
        );
      }
    }),
    propertyParameters(),
  );
});

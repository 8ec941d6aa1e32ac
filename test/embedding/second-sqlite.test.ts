/** Purchases while other SQLite libraries in this process open, write and close the file. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  changeRows,
  type ForeignConnection,
  migratedDatabase,
  openNodeSqlite,
  propertyParameters,
  readRows,
  type ScratchDatabase,
  secondBetterSqlite3,
  sqliteFile,
} from '@tallystick/test-support';
import fc from 'fast-check';
import { createTallystick, type Tallystick } from 'tallystick';

const card_limit = 1_000;

const second = secondBetterSqlite3();
const libraries: readonly ((path: string) => ForeignConnection)[] = [
  openNodeSqlite,
  (path) => new second.library(path),
];

type Step =
  /** Begins a purchase, and does not wait for its end. */
  | { readonly step: 'buy'; readonly amount: number }
  | { readonly step: 'issue' }
  | { readonly step: 'turns'; readonly count: number }
  /** Opens the file by this library, unless it has it open, and closes it otherwise. */
  | { readonly step: 'open or close'; readonly library: number }
  | { readonly step: 'write'; readonly library: number };

const library = fc.constantFrom(0, 1);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ step: fc.constant('buy'), amount: fc.integer({ min: 1, max: 600 }) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('issue') }) },
    { weight: 2, arbitrary: fc.record({ step: fc.constant('turns'), count: fc.integer({ min: 1, max: 20 }) }) },
    { weight: 3, arbitrary: fc.record({ step: fc.constant('open or close'), library }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('write'), library }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 5, maxLength: 30 },
);

let scratch: ScratchDatabase;
let tally: Tallystick;

before(async () => {
  scratch = await migratedDatabase('sqlite');
  tally = await createTallystick({ database: scratch.database_url, sandbox: true });
  await tally.migrate();
  await changeRows(scratch, 'create table of_host (number integer)');
});
after(async () => {
  await tally?.close();
  await scratch?.dispose();
  second.remove();
});

/**
 * One library that also writes, or two that only read: two that write, without each other's locks,
 * can destroy the file.
 */
const used = fc.constantFrom<readonly number[]>([0], [1], [0, 1]);

test('every answered approval is in the database, every limit holds, and the database is whole', async () => {
  let written = 0;
  await fc.assert(
    fc.asyncProperty(steps, used, async (run, of_run) => {
      const { cards, sandbox } = tally.company(1);
      const card = await cards.issue({ total_card_amount: card_limit });
      const open: (ForeignConnection | undefined)[] = [];
      const purchases: Promise<unknown>[] = [];
      const approved: number[] = [];
      const issued: Promise<{ readonly id: string }>[] = [];
      const buy = async (amount: number): Promise<void> => {
        const { decline_reason } = await sandbox.buy({ vcn_id: card.id, amount });
        assert.notEqual(decline_reason, 'U', 'a purchase was not decided');
        if (decline_reason === null) approved.push(amount);
      };
      const libraryOf = (step: { readonly library: number }): number => of_run[step.library % of_run.length]!;
      for (const each of run) {
        if (each.step === 'buy') purchases.push(buy(each.amount));
        if (each.step === 'issue') issued.push(cards.issue({ total_card_amount: 1 }));
        if (each.step === 'turns') for (let turn = 0; turn < each.count; turn += 1) await nextTurn();
        if (each.step === 'open or close') {
          const at = libraryOf(each);
          const connection = open[at];
          connection?.close();
          open[at] = connection === undefined ? libraries[at]!(sqliteFile(scratch)) : undefined;
          open[at]?.exec('select count(*) from of_host');
        }
        if (each.step === 'write' && of_run.length === 1 && open[libraryOf(each)] !== undefined) {
          open[libraryOf(each)]?.exec('insert into of_host values (1)');
          written += 1;
        }
      }
      await Promise.all([...purchases, ...issued]);
      for (const connection of open) connection?.close();
      const ids = [card.id, ...(await Promise.all(issued)).map(({ id }) => id)];
      for (const id of ids) assert.equal((await cards.read(id)).id, id);
      const rows = await readRows<{ authorized: number }>(
        scratch,
        `select authorized from tallystick_authorizations where card_id = ${Number(card.id)} and decline_code is null order by id`,
      );
      const stored = rows.map(({ authorized }) => authorized);
      assert.deepEqual(stored.toSorted(), approved.toSorted());
      const sum = approved.reduce((total, amount) => total + amount, 0);
      assert.ok(sum <= card_limit, `${sum} of ${card_limit}`);
      assert.equal((await cards.read(card.id)).available_balance, card_limit - sum);
      const [host] = await readRows<{ count: number }>(scratch, 'select count(*) as count from of_host');
      assert.equal(host?.count, written);
      const [integrity] = await readRows<{ integrity_check: string }>(scratch, 'pragma integrity_check');
      assert.equal(integrity?.integrity_check, 'ok');
    }),
    propertyParameters({ short: 15, full: 60 }),
  );
});

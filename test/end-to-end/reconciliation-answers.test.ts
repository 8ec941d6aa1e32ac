import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openAccount } from '@tallystick/accounts';
import { Temporal } from '@tallystick/kernel';
import { catchUp, readBridge, summarize } from '@tallystick/reconciliation';
import { billing_currency, createSampleSet, last_statement_days, type SampleSet } from '@tallystick/samples';
import { database_names, readRows, test_seed, testRuns } from '@tallystick/test-support';
import { itemDifferencesFrom, totalsOf } from './answer-sheet.ts';
import { runImport } from './import-process.ts';
import { openSampleWorld, type SampleWorld, sendBefore, writeSampleFile } from './sample-world.ts';
import { writeStatementFiles } from './statement-files.ts';

/** Of each set. A run of 100,000 takes minutes for each database: `--runs 100000`. */
const records = testRuns({ short: 400, full: 400 });
const cards = Math.max(20, Math.ceil(records / 200));

const day = Temporal.Now.plainDateISO('UTC');
const account_number = '1000000001';

/**
 * Days after that of the set: before most holds end, then when all are over and everything is due.
 */
const days_of_answers = [5, 26, 35, last_statement_days + 4];

/** Every format of statements with another format of clearings. */
const formats = [
  { clearings: 'ipm', statements: 'bai2' },
  { clearings: 'cdf3', statements: 'camt053' },
  { clearings: 'csv', statements: 'mt940' },
] as const;

describe('the answer sheet of a set of samples with statements', { concurrency: records < 10_000 }, () => {
  for (const name of database_names) {
    for (const { clearings, statements } of formats) {
      it(`is met by items from ${clearings} and ${statements} files (${name})`, async () => {
        const seed = test_seed % 2 ** 32;
        const set = createSampleSet({
          ...{ cards, records, seed, format: clearings, day: day.toString() },
          statements: true,
        });
        const world = await openSampleWorld(name, set);
        const clearing_file = writeSampleFile(set, world.cardOf);
        const statement_files = writeStatementFiles(set, statements, account_number);
        try {
          const company_id = await openSampleAccount(world);
          await sendBefore(world, set);
          const imported = await runImport(world.database, clearing_file.path);
          assert.equal(imported.status, 4, imported.output);
          const stated = await runImport(world.database, ...statement_files.paths);
          assert.equal(stated.status, 0, stated.output);
          for (const days of days_of_answers) await assertAnswers(world, company_id, set, days);
        } finally {
          clearing_file.dispose();
          statement_files.dispose();
          await world.close();
        }
      });
    }
  }
});

async function openSampleAccount({ database, persistence }: SampleWorld): Promise<number> {
  const [company] = await readRows<{ id: number }>(database, 'select id from tallystick_companies');
  const company_id = company!.id;
  const call = { actor: 'command', request_id: null, now_ms: 0 };
  const request = { company_id, number: account_number, currency: billing_currency, kind: 'deposit' };
  await persistence.unitOfWork.run((tx) => openAccount(tx, call, request));
  return company_id;
}

/** Asserts that items, summary and bridge at the end of a day are those of the sheet. */
async function assertAnswers(world: SampleWorld, company_id: number, set: SampleSet, days: number): Promise<void> {
  const { database, persistence, cardOf } = world;
  const { unitOfWork } = persistence;
  const today = day.add({ days }).toString();
  const now_ms = Date.parse(`${today}T23:59:59Z`);
  await catchUp({ unitOfWork, clock: { nowMs: () => now_ms } }, company_id);
  assert.deepEqual(await itemDifferencesFrom({ database, company_id }, unitOfWork, set, cardOf, { today, now_ms }), []);

  const cells = await unitOfWork.read((tx) => tx.reconciliation.cells(company_id));
  const { kind: _, today: __, ...expected } = set.expectedSummary(today);
  assert.deepEqual(totalsOf(summarize(cells, now_ms).get(billing_currency)!), expected, `the summary of ${today}`);

  const bridge = await unitOfWork.read((tx) => readBridge(tx, { company_id }, account_number, {}));
  const { kind: ___, today: ____, ...sums } = set.expectedBridge(today);
  assert.deepEqual(
    Object.fromEntries(Object.keys(sums).map((field) => [field, bridge[field as keyof typeof sums]])),
    sums,
    `the bridge of ${today}`,
  );
  const named = (step: string): number =>
    bridge.difference_sums.filter((one) => one.step === step).reduce((total, { sum }) => total + sum, 0);
  assert.equal(bridge.card_lines, bridge.clearings + bridge.fees + named('statement') + bridge.unexplained_sum);
  assert.equal(bridge.clearings, bridge.authorized + named('authorization'));
}

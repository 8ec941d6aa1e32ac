import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { createSampleSet, type SampleSet, sample_formats } from '@tallystick/samples';
import { database_names, test_seed, testRuns } from '@tallystick/test-support';
import { differencesFrom } from './answer-sheet.ts';
import { type ImportReport, runImport } from './import-process.ts';
import { openSampleWorld, type SampleWorld, sendBefore, writeSampleFile } from './sample-world.ts';

/** Of each file. A run of 100,000 takes minutes for each format and database: `--runs 100000`. */
const records = testRuns({ short: 700, full: 700 });
const cards = Math.max(20, Math.ceil(records / 200));

const day = Temporal.Now.plainDateISO('UTC').toString();

describe('the answer sheet of a set of samples', { concurrency: records < 10_000 }, () => {
  for (const name of database_names) {
    for (const format of sample_formats) {
      it(`is met by an import of its ${format} file (${name})`, async () => {
        const set = createSampleSet({ cards, records, seed: test_seed % 2 ** 32, format, day });
        const world = await openSampleWorld(name, set);
        const file = writeSampleFile(set, world.cardOf);
        try {
          await sendBefore(world, set);
          const { status, output, report } = await runImport(world.database, file.path);
          assert.equal(status, 4, output);
          assert.deepEqual(countsOf(report?.import), expectedCounts(set, world));
          assert.deepEqual(await differencesFrom(world.database, set, world.cardOf), []);
        } finally {
          file.dispose();
          await world.close();
        }
      });
    }
  }
});

function countsOf(found: ImportReport['import'] | undefined) {
  return {
    applied: found?.applied,
    duplicates: found?.duplicates,
    quarantined: found?.quarantined,
    matched: found?.matched,
    breaks: found?.breaks,
  };
}

function expectedCounts(set: SampleSet, { cardOf }: SampleWorld): ReturnType<typeof countsOf> {
  const counts = { applied: 0, duplicates: 0, quarantined: 0, matched: 0, breaks: 0 };
  for (const { expected } of set.records(cardOf)) {
    if (expected.quarantine !== null) counts.quarantined += 1;
    else if (expected.duplicate_of !== null || expected.sent_before) counts.duplicates += 1;
    else {
      counts.applied += 1;
      if (expected.authorization !== null || expected.earlier !== null) counts.matched += 1;
      if (expected.review || breaking.has(expected.class ?? '')) counts.breaks += 1;
    }
  }
  return counts;
}

/** Classes that are breaks by themselves. */
const breaking: ReadonlySet<string> = new Set(['force_post', 'over', 'suspected_duplicate']);

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, it, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { usual_seed } from '@tallystick/test-support';
import { findMemoryFolder, optional_parts } from './optional-parts.ts';
import { fewDrawsText, left_to_full_run, leftParts } from './sizes.ts';
import { concurrency_default, readSwitches, SwitchProblem, switchesOf } from './switches.ts';
import { testFiles } from './test-files.ts';
import { readRecordedTimes } from './times.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = optional_parts.map(({ name }) => name);

describe('the switches of npm test', () => {
  it('are read with their values', () => {
    const args = [
      '--only',
      'cards',
      '--only=mail',
      '--full',
      '--record',
      '--runs',
      '5',
      '--seed',
      '7',
      '--require',
      'redis',
    ];
    assert.deepEqual(readSwitches([...args, '--concurrency', '2', '--node', '24'], names), {
      help: false,
      size: 'full',
      record: true,
      required: ['redis'],
      runs: 5,
      seed: 7,
      only: ['cards', 'mail'],
      node: 24,
      concurrency: 2,
    });
    const defaults = {
      help: false,
      size: 'short',
      record: false,
      required: [],
      runs: null,
      seed: usual_seed,
      only: [],
      node: null,
      concurrency: concurrency_default,
    };
    assert.deepEqual(readSwitches([], names), defaults);
  });

  it('draw the same values each time, other ones in the long run', () => {
    assert.equal(readSwitches(['--full'], names).seed, usual_seed);
    const { size, seed } = readSwitches(['--long'], names);
    assert.equal(size, 'long');
    assert.notEqual(seed, readSwitches(['--long'], names).seed);
  });

  for (const [args, message] of [
    [['--fast'], 'there is no switch --fast'],
    [['-x'], 'there is no switch -x'],
    [['cards'], '"cards" is not a switch; to run one file: npm test -- --only cards'],
    [['--only'], '--only requires a value'],
    [['--only', '--full'], '--only requires a value'],
    [['--full=yes'], '--full takes no value'],
    [['--full', '--long'], '--full and --long are two sizes of a run'],
    [['--long', '--record'], '--record: the long run has no record'],
    [['--runs', 'many'], '--runs many: it must be an integer from 1 on'],
    [['--seed', '1.5'], '--seed 1.5: it must be an integer from 0 on'],
    [['--concurrency', '0'], '--concurrency 0: it must be an integer from 1 on'],
    [['--require', 'mysql'], `--require mysql: it can be ${names.join(' or ')}`],
  ] as const) {
    it(`are refused with a sentence: ${args.join(' ')}`, () => {
      assert.throws(() => readSwitches(args, names), new SwitchProblem(message));
    });
  }

  it('make the command exit with status 2 and one line without a stack when they are wrong', async () => {
    const { code, out, err } = await npmTest('--fast');
    const said = 'npm test: there is no switch --fast. npm test -- --help lists the switches.\n';
    assert.deepEqual([code, out, err], [2, '', said]);
    const nothing = await npmTest('--only', 'no such file');
    assert.equal(nothing.code, 2);
    assert.match(nothing.err, /^npm test: --only: no test file has "no such file" in its path\.\s/);
  });

  it('are all listed by --help', async () => {
    const { code, out } = await npmTest('--help');
    assert.equal(code, 0);
    const words = out.replace(/\s+/g, ' ');
    for (const { usage, meaning } of switchesOf(names)) assert.ok(words.includes(`${usage} ${meaning}`), usage);
    for (const line of out.split('\n')) assert.ok(line.length <= 80, line);
  });

  it('are documented, and so is each variable that tests read', () => {
    const page = readFileSync(`${root}docs/testing.md`, 'utf8');
    for (const { usage } of switchesOf(names)) assert.ok(page.includes(`| \`${usage}\` |`), usage);
    for (const name of names) assert.ok(page.includes(`| \`${name}\` |`), name);
    const sources = ['test/runner', 'test/support/src'].flatMap((folder) =>
      readdirSync(root + folder)
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(`${root}${folder}/${name}`, 'utf8')),
    );
    const variables = new Set(sources.join('\n').match(/\b(TALLYSTICK_TEST|TEST)_[A-Z_]*[A-Z]\b/g));
    assert.ok(variables.has('TEST_POSTGRES_URL'));
    for (const variable of variables) assert.ok(page.includes(`| \`${variable}\` |`), variable);
  });
});

describe('the files of a run', () => {
  const recorded = readRecordedTimes();

  it('are all files in the full run, and in the short run all but those that it leaves to the full run', () => {
    const full = testFiles(root, [], 'full', recorded);
    assert.deepEqual(full.chosen, full.all);
    const short = testFiles(root, [], 'short', recorded);
    assert.deepEqual([...short.chosen, ...short.left].toSorted(), full.all);
    const parts = leftParts(short.left);
    assert.equal(parts.length, left_to_full_run.length, 'each part has a file');
    assert.equal(
      parts.reduce((sum, { count }) => sum + count, 0),
      short.left.length,
      'each file belongs to one part',
    );
  });

  it('are each in one process, and the longest process is the first', () => {
    const { chosen, processes } = testFiles(root, [], 'full', recorded);
    assert.deepEqual(processes.flatMap(({ files }) => files).toSorted(), chosen.toSorted());
    const seconds = processes.map(({ processor_s }) => processor_s);
    assert.deepEqual(
      seconds,
      seconds.toSorted((a, b) => b - a),
    );
    assert.ok(processes.length < chosen.length, 'short files share a process');
    for (const { files, processor_s } of processes) assert.ok(files.length === 1 || processor_s <= 40, files.join(' '));
  });

  it('are the files with one of the texts in their path', () => {
    const { chosen } = testFiles(root, ['test/runner/', 'package-lock'], 'short', recorded);
    const here = ['databases', 'failures', 'interruption', 'report', 'switches'].map(
      (name) => `test/runner/${name}.test.ts`,
    );
    assert.deepEqual(chosen, ['test/package-lock.test.ts', ...here]);
  });

  it('that draw fewer values in the short run are counted by folder', () => {
    assert.equal(fewDrawsText(root, ['test/runner/report.test.ts']), '');
    assert.equal(
      fewDrawsText(root, ['test/model/model.test.ts', 'test/runner/report.test.ts']),
      'FEWER random values than --full, by number of files: test/model (1).',
    );
  });
});

function npmTest(...args: readonly string[]): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    const words = ['--conditions=source', `${root}test/run.ts`, ...args];
    execFile(process.execPath, words, { cwd: root }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

test('databases are in memory where there is a folder for it with enough room', () => {
  const folder = tmpdir();
  assert.equal(findMemoryFolder(folder, 1), folder);
  assert.equal(findMemoryFolder(folder, Number.MAX_SAFE_INTEGER), null);
  assert.equal(findMemoryFolder(`${folder}/missing`, 1), null);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { optional_parts } from './optional-parts.ts';
import { concurrency_default, readSwitches, SwitchProblem, switchesOf } from './switches.ts';
import { longest_s, testFiles } from './test-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = optional_parts.map(({ name }) => name);

describe('the switches of npm test', () => {
  it('are read with their values', () => {
    const args = ['--only', 'cards', '--only=mail', '--full', '--runs', '5', '--seed', '7', '--require', 'redis'];
    assert.deepEqual(readSwitches([...args, '--concurrency', '2'], names), {
      help: false,
      full: true,
      required: ['redis'],
      runs: 5,
      seed: 7,
      only: ['cards', 'mail'],
      concurrency: 2,
    });
    const { seed, ...others } = readSwitches([], names);
    assert.ok(Number.isSafeInteger(seed));
    const defaults = { help: false, full: false, required: [], runs: null, only: [], concurrency: concurrency_default };
    assert.deepEqual(others, defaults);
  });

  for (const [args, message] of [
    [['--fast'], 'there is no switch --fast'],
    [['-x'], 'there is no switch -x'],
    [['cards'], '"cards" is not a switch; to run one file: npm test -- --only cards'],
    [['--only'], '--only requires a value'],
    [['--only', '--full'], '--only requires a value'],
    [['--full=yes'], '--full takes no value'],
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
    assert.match(nothing.err, /^npm test: --only: no test file has "no such file" in its path\. .*\n$/);
  });

  it('are all listed by --help', async () => {
    const { code, out } = await npmTest('--help');
    assert.equal(code, 0);
    for (const { usage, meaning } of switchesOf(names)) assert.ok(out.includes(usage) && out.includes(meaning), usage);
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
  it('begin with the files that take the longest, which all exist', () => {
    for (const path of Object.keys(longest_s)) assert.ok(existsSync(root + path), path);
    const { all, chosen, alone } = testFiles(root, []);
    assert.equal(chosen.length, all.length);
    assert.deepEqual(alone.slice(0, 2), Object.keys(longest_s).slice(0, 2));
  });

  it('are each in one process only', () => {
    const { chosen, together, alone } = testFiles(root, []);
    assert.deepEqual([...Object.values(together).flat(), ...alone].toSorted(), chosen.toSorted());
    for (const [group, paths] of Object.entries(together)) {
      assert.ok(paths.length > 1, group);
      const file = readFileSync(`${root}test/runner/together/${group}.ts`, 'utf8');
      assert.ok(file.includes(`runTogether('${group}')`), group);
    }
  });

  it('are the files with one of the texts in their path', () => {
    const { chosen } = testFiles(root, ['test/runner/', 'package-lock']);
    const here = ['failures', 'memory-folder', 'slowest-files', 'switches'].map(
      (name) => `test/runner/${name}.test.ts`,
    );
    assert.deepEqual(chosen, ['test/package-lock.test.ts', ...here]);
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

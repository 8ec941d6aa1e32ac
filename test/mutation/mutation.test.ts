import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { changeText, isArgued, readArgued } from './argued.ts';
import { type Judgement, judge } from './judge.ts';
import { type Mutant, openSources } from './mutants.ts';
import { type Reach, ReachMap } from './reach.ts';
import { killed_share_min, type Result, reportText } from './report.ts';
import { runTests } from './run-tests.ts';
import { drawSample } from './sample.ts';
import { sourcesByTheme, type Theme, testsOf, themes } from './themes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = 'test/mutation/fixtures/limit.ts';
const rules = 'test/mutation/fixtures/limit-rules.ts';

describe('mutants', () => {
  let mutants: readonly Mutant[];
  let reach: Reach;
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-mutation-test-'));

  before(async () => {
    const sources = openSources(root, 'test/mutation/fixtures/tsconfig.json');
    mutants = sources.mutantsOf(source);
    sources.close();
    reach = await new ReachMap(root, join(folder, 'reach.json')).measure(rules, {});
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The mutant of this change. With `nth`, of its nth occurrence. */
  function mutant(change: string, nth = 0): Mutant {
    const found = mutants.filter((one) => changeText(one) === change)[nth];
    assert.ok(found, `no ${change} in ${mutants.map(changeText).join(', ')}`);
    return found;
  }

  function judged(one: Mutant): Promise<Judgement> {
    return judge(root, one, [{ file: rules, reach }], {});
  }

  it('change what a rule computes, and no type and no text that people read', () => {
    assert.deepEqual(
      mutants.map((one) => `${one.line}: ${changeText(one)}`),
      [
        '5: ! → nothing',
        "5: throw new TypeError(`the amount is ${amount === 0 ? 'nothin… → nothing",
        '6: >= → >',
        '6: >= → <',
        '6: 0 → 1',
        '6: && → ||',
        '6: + → -',
        '6: <= → <',
        '6: <= → >',
        "6: 'approved' → ''",
        "6: 'declined' → ''",
        '11: 0 → 1',
        '12: 1 → 2',
        '12: 1 → 0',
        '12: <= → <',
        '12: <= → >',
        '12: ++ → --',
        '12: sum += next; → nothing',
        '12: += → -=',
        '18: max → min',
        '18: - → +',
        '18: 0 → 1',
      ],
    );
  });

  it('are killed by the test of the rule that they break', async () => {
    const { verdict, failed } = await judged(mutant('<= → <'));
    assert.equal(verdict, 'killed');
    assert.match(failed ?? '', /^approves an amount up to the limit \(.*limit-rules\.ts\)$/);
  });

  it('survive where no test states the rule', async () => {
    assert.equal((await judged(mutant('>= → >'))).verdict, 'survived');
  });

  it('are not reached where no test runs the code', async () => {
    const { verdict, processor_s } = await judged(mutant('max → min'));
    assert.deepEqual({ verdict, processor_s }, { verdict: 'unreached', processor_s: 0 });
  });

  it('that never end are ended by their processor time', async () => {
    const { start, end, replacement } = mutant('++ → --');
    const change = { file: join(root, source), start, end, replacement };
    const outcome = await runTests({ root, files: [rules], change, processor_s_max: 2 });
    assert.deepEqual([outcome.passed, outcome.failed], [false, 'ended by SIGXCPU']);
  });

  it('leave the file as it is', () => {
    const text = readFileSync(join(root, source), 'utf8');
    for (const one of mutants) assert.equal(text.slice(one.start, one.end).replace(/\s+/g, ' '), one.original);
  });

  it('of a sample are the same for one seed, and shared among the themes', () => {
    const [windows, holds] = themes as readonly [Theme, Theme, ...Theme[]];
    const by_theme = new Map([
      [windows, mutants.slice(0, 3)],
      [holds, mutants.slice(3)],
    ]);
    const drawn = (seed: number) =>
      drawSample(by_theme, 10, seed).map(({ theme, mutant: { start } }) => [theme.name, start]);
    assert.deepEqual(drawn(1), drawn(1));
    assert.notDeepEqual(drawn(1), drawn(2));
    assert.deepEqual(
      [3, 7],
      [windows, holds].map(({ name }) => drawn(1).filter(([of]) => of === name).length),
    );
  });

  it('that are argued do not count, and the others that live fail the run', () => {
    const one: Result = {
      ...mutant('>= → >'),
      key: '',
      tests: '',
      theme: 'windows',
      verdict: 'survived',
      failed: null,
      processor_s: 1,
    };
    const { path, line_text } = one;
    const entry = { path, line_text, change: changeText(one), reason: 'nothing is 0' };
    assert.equal(reportText([one], [entry]).killed_share, 1);
    assert.ok(reportText([one], []).killed_share < killed_share_min);
    assert.match(reportText([one], []).text, /^survived: test\/mutation\/fixtures\/limit\.ts:6\n/);
    assert.equal(isArgued({ ...one, replacement: '<' }, [entry]), false);
  });
});

describe('the themes', () => {
  it('have sources and tests', () => {
    for (const [theme, sources] of sourcesByTheme(root)) {
      assert.ok(sources.length > 0, `${theme.name} has no sources`);
      assert.ok(testsOf(root, theme).length > 0, `${theme.name} has no tests`);
    }
  });
});

describe('docs/mutants.md', () => {
  it('argues only about lines that are there', () => {
    const argued = readArgued(join(root, 'docs/mutants.md'));
    for (const { path, line_text, reason } of argued) {
      assert.ok(existsSync(join(root, path)), `${path} is not there`);
      const lines = readFileSync(join(root, path), 'utf8')
        .split('\n')
        .map((line) => line.trim());
      assert.ok(lines.includes(line_text), `${path} has no line ${line_text}`);
      assert.ok(reason.length > 0);
    }
  });
});

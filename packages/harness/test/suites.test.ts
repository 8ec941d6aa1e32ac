import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import * as harness from '@tallystick/harness';
import { type ContractRule, casesOf, commandSequence, needs, runCases } from '@tallystick/harness';
import { type Case, cases, rule_of_case } from '../src/reference/cases.ts';

const document = readFileSync(new URL('../../../docs/harness.md', import.meta.url), 'utf8');

/** Every suite that the package exports, by its name in the document. */
const suites = new Map<string, readonly ContractRule<never>[]>(
  Object.entries(harness).flatMap(([name, value]) => {
    if (/Contract$/.test(name)) return [[`${name}(runs)`, (value as () => readonly ContractRule<never>[])()]];
    return /_contract$|_bounds$/.test(name) ? [[name, value as readonly ContractRule<never>[]]] : [];
  }),
);

/** The cells of the table rows that begin with code. */
function rowsOf(section: string): string[][] {
  const text = document.split(/^#+ /m).find((part) => part.startsWith(`${section}\n`));
  assert.ok(text !== undefined, `docs/harness.md has a section "${section}"`);
  return [...text.matchAll(/^\| (`.*) \|$/gm)].map(([, row]) => row!.split(' | '));
}

describe('docs/harness.md', () => {
  it('has a row for every suite that the package exports, and no other', () => {
    const described = rowsOf('What each suite promises').map(([name]) => name!.replaceAll('`', ''));
    assert.deepEqual(described.toSorted(), [...suites.keys()].toSorted());
  });

  it('names the suites with rules that not every storage can be checked for, and how many these are', () => {
    const counted = Object.entries(needs).map(([need, says]) => {
      const rules = [...suites].flatMap(([name, rules]) => {
        const count = rules.filter((rule) => rule.needs?.includes(need as keyof typeof needs)).length;
        return count === 0 ? [] : `${count} of \`${name}\``;
      });
      return [`\`${need}\``, says, rules.toSorted()];
    });
    const described = rowsOf('What storage may lack').map(([need, says, rules]) => [
      need,
      says,
      rules!.split(', ').toSorted(),
    ]);
    assert.deepEqual(described, counted);
  });

  it('has the reasons of the model, with their answers', () => {
    const rows = [...document.matchAll(/^\| ([A-Z]) \| (.+) \| (\d\d) \| .+ \|$/gm)];
    const described = rows.map(([, code, vcn_response, response_code]) => {
      const { says } = rule_of_case[`reason ${code}` as Case];
      assert.ok(says.includes(`with ${response_code}, "${vcn_response}"`), says);
      return `reason ${code}`;
    });
    const of_requests = cases.filter((name) => name.startsWith('reason ') && name !== 'reason U');
    assert.deepEqual(described, of_requests);
  });

  it('names every command', () => {
    const refused = () => commandSequence({ commands_max: 1, commands: { include: ['-' as never] } });
    const [, paragraph] = /^The commands are ([\s\S]*?)\.$/m.exec(document) ?? [];
    const described = [...paragraph!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    assert.throws(refused, ({ message }: Error) => {
      const names = message.split('the commands are ')[1]?.split(', ');
      assert.deepEqual(described.toSorted(), names?.toSorted());
      return true;
    });
  });
});

describe('the cases of a suite', () => {
  const waiting = Promise.withResolvers<void>();
  const broken = new Error('the storage forgets');
  const suite: readonly ContractRule<string>[] = [
    { rule: 'is kept', check: async (open) => assert.equal(await open(), 'storage') },
    { rule: 'is broken', check: () => Promise.reject(broken) },
    { rule: 'waits', needs: ['concurrent_transactions'], check: () => waiting.promise },
  ];
  const open = async () => 'storage';

  it('are its rules, in their order, and run without a test runner', async () => {
    const cases = casesOf(suite, open, { lacks: ['concurrent_transactions'] });
    assert.deepEqual(
      cases.map(({ name, is_left_out }) => [name.split(' (left out')[0], is_left_out]),
      [
        ['is kept', false],
        ['is broken', false],
        ['waits', true],
      ],
    );
    assert.deepEqual(await runCases(cases), [{ name: 'is broken', error: broken }]);
  });

  it('end at their limit, with what the rule needs', async () => {
    const [failed] = await runCases(casesOf(suite.slice(2), open, { limit_ms: 1 }));
    assert.match(String(failed?.error), /did not end within 1 ms.*needs concurrent_transactions: a transaction begins/);
  });
});

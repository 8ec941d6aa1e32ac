import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { manifests } from './check-answer.ts';

for (const { name, release, case_count, ids_sha256, cases } of manifests) {
  describe(`the table of ${name}, ${release}`, () => {
    it('has every id of the manifest, and no other', () => {
      assert.equal(cases.length, case_count);
      assert.equal(new Set(cases.map(({ id }) => id)).size, case_count, 'an id is there twice');
      const ids = cases.map(({ id }) => `${id.replace('/2', '')}\n`).toSorted();
      assert.equal(createHash('sha256').update(ids.join('')).digest('hex'), ids_sha256);
    });

    it('states the reason of every case that does not apply', () => {
      for (const row of cases) {
        if (!row.applies) assert.match(row.reason, /^The standard leaves .+ to the bank/, row.id);
      }
    });

    it('expects a status of every case that applies', () => {
      for (const row of cases) assert.ok(!row.applies || row.statuses.length > 0, row.id);
    });
  });
}

describe('docs/open-banking.md', () => {
  const guide = readFileSync(new URL('../../../docs/open-banking.md', import.meta.url), 'utf8');
  const [, section] = guide.split('\n## Conformance\n');

  it('states how many cases there are, apply, and do not, by resource', () => {
    const [accounts, funds] = manifests.map(({ cases }) => cases);
    const applied = accounts!.filter(({ applies }) => applies).length;
    assert.ok(section!.includes(`${accounts!.length} of\naccount information, ${funds!.length} of confirmations`));
    assert.ok(section!.includes(`${applied} cases of account information and all of confirmations`));
    assert.ok(funds!.every(({ applies }) => applies));
    const rows = [...section!.matchAll(/^\| (\w+) .*?\| (\d+) \|$/gm)].map(([, name, count]) => [name, Number(count)]);
    const counts: Record<string, number> = {};
    for (const row of accounts!) {
      if (row.applies) continue;
      const [word] = row.path.split('/').slice(-1);
      const name = resources[word!]!;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    assert.deepEqual(Object.fromEntries(rows), counts);
  });
});

/** The name in the guide of a resource, by the last word of its path. */
const resources: Readonly<Record<string, string>> = {
  beneficiaries: 'Beneficiaries',
  offers: 'Offers',
  party: 'Parties',
  parties: 'Parties',
  product: 'Products',
  products: 'Products',
  statements: 'Statements',
  balances: 'Balances',
  transactions: 'Transactions',
};

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { manifests } from './cases.ts';

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

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { generatedFiles } from './operation-types.ts';

it('the generated types are those of the shapes', () => {
  for (const { url, text } of generatedFiles()) {
    assert.equal(readFileSync(url, 'utf8'), text, `${url.pathname} is stale: run npm run generate`);
  }
});

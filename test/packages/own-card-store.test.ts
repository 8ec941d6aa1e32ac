import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readGuide } from './host-guides.ts';
import { plant } from './own-card-store.ts';
import { planted_bugs } from './planted-bugs.ts';

const document = readFileSync(new URL('../../docs/harness.md', import.meta.url), 'utf8');

describe('the store of docs/harness.md', () => {
  const { steps } = readGuide(document, 'Your own card store in ten minutes');
  const store = steps.find((step) => 'file' in step && step.file === 'store.mjs');

  it('has the text of each planted bug once', () => {
    assert.ok(store !== undefined && 'text' in store);
    for (const bug of planted_bugs) assert.notEqual(plant(store.text, bug), store.text);
    assert.throws(() => plant(store.text, { what: 'absent', from: 'not in it', to: '' }), /0 times/);
  });

  it('is described with the bugs that are planted in it, and what finds each', () => {
    const rows = planted_bugs.map(({ what, found_by }) => `| ${what} | ${found_by} |\n`).join('');
    assert.ok(document.includes(`| Bug | Found by |\n|---|---|\n${rows}\n`), rows);
  });
});

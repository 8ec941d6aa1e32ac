import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAuthorizationSearch, searchAuthorizations } from '../../src/index.ts';

/** The next page of a search of a store in which each page has one. */
async function nextPageOf(query: Readonly<Record<string, string>>): Promise<string | null> {
  const page = { items: [], next: 'more' };
  const tx = { cards: { find: async () => null, searchAuthorizations: async () => page } };
  const search = parseAuthorizationSearch(new Map(Object.entries(query)));
  return (await searchAuthorizations(tx, 1, search, { limit: 1 })).next;
}

test('a search that asks for declined and for other messages has one empty page', async () => {
  for (const query of [
    { status: 'open', decision: 'declined' },
    { status: 'cleared', decline_reason: 'F' },
    { status: 'declined', decision: 'approved' },
    { decision: 'approved', decline_reason: 'F' },
  ] as const) {
    assert.equal(await nextPageOf(query), null, JSON.stringify(query));
  }
  for (const query of [
    { status: 'open', decision: 'approved' },
    { status: 'declined', decision: 'declined', decline_reason: 'F' },
    { decision: 'declined' },
    { decline_reason: 'F' },
    { status: 'expired', mcc: '5812' },
  ] as const) {
    assert.equal(await nextPageOf(query), 'more', JSON.stringify(query));
  }
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { afterId, cursor, Refusal, toBase64 } from '../src/index.ts';

it('a cursor opens the page after its id', () => {
  for (const id of [1, 17, Number.MAX_SAFE_INTEGER]) {
    assert.equal(afterId('events', { limit: 1, after: cursor('events', id) }), id);
  }
  assert.equal(afterId('events', { limit: 1 }), null);
});

it('text that is not a cursor of the list is refused', () => {
  const own = cursor('events', 17);
  const forged = ['events 017', 'events -1', 'events 1e3', 'events 17 ', 'events', 'events 9007199254740993'];
  const encoded = forged.map((text) => toBase64(new TextEncoder().encode(text)));
  for (const after of ['', 'x', '17', `${own}=`, `${own}!`, ` ${own}`, 'é', cursor('cards', 17), ...encoded]) {
    assert.throws(
      () => afterId('events', { limit: 1, after }),
      (error) => {
        assert.ok(error instanceof Refusal, String(error));
        assert.equal(error.code, 'invalid_query');
        assert.equal(error.message, 'after must be the cursor of an earlier page of this list');
        return true;
      },
    );
  }
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type LinkRetentionTx, purgeLinks } from '../../src/index.ts';

const now_ms = Date.UTC(2026, 2, 31, 12);
const kept_since_ms = Date.UTC(2026, 2, 1, 12);

/** Rows of each kind, by the instant from which their time is counted. */
function rows(of: Record<'links' | 'messages', number[]>): LinkRetentionTx {
  const purgeFrom = (kind: keyof typeof of) => async (before_ms: number, limit: number) => {
    const dropped = of[kind].filter((at_ms) => at_ms < before_ms).slice(0, limit);
    of[kind] = of[kind].filter((at_ms) => !dropped.includes(at_ms));
    return dropped.length;
  };
  return {
    one_time_links: { purge: purgeFrom('links') },
    mailbox: { purge: purgeFrom('messages') },
  };
}

it('deletes links and messages after 30 days, to the millisecond', async () => {
  const stored = {
    links: [kept_since_ms - 2, kept_since_ms - 1, kept_since_ms],
    messages: [kept_since_ms, now_ms],
  };
  assert.equal(await purgeLinks(rows(stored), now_ms, 10), 2, 'the number of deleted links, the larger of the two');
  assert.deepEqual(stored, { links: [kept_since_ms], messages: [kept_since_ms, now_ms] });
  assert.equal(await purgeLinks(rows(stored), now_ms, 10), 0);
});

it('deletes at most the limit of each kind, and returns whether there may be more of any', async () => {
  const stored = { links: [1, 2, 3], messages: [1] };
  assert.equal(await purgeLinks(rows(stored), now_ms, 2), 2);
  assert.deepEqual(stored, { links: [3], messages: [] });
  assert.equal(await purgeLinks(rows(stored), now_ms, 2), 1);
});

// host.test.ts
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTallystick } from 'tallystick';

it('a hold ends after 30 days', async () => {
  await using tally = await createTallystick({ database: 'sqlite::memory:', sandbox: true });
  await tally.migrate();
  const { cards, sandbox } = tally.company(1);
  const card = await cards.issue({ total_card_amount: 50_000 });
  const bought = await sandbox.buy({ vcn_id: card.id, amount: 1_250 });
  assert.equal(bought.decline_reason, null);
  const declined = await sandbox.buy({ vcn_id: card.id, amount: 50_000 });
  assert.equal(declined.decline_reason, 'F');
  await tally.sandbox.clock.move({ advance: 'P31D' });
  assert.equal((await cards.read(card.id)).available_balance, 50_000);
});

/**
 * A host on a SQLite file, which `pack:check` runs from the tarballs: the native library, the
 * threads and the migrations are found, and what was committed is there after a restart.
 */
import assert from 'node:assert/strict';
import { createKeys, createTallystick } from 'tallystick';

// Each Node that runs it has a file of its own.
const database = `sqlite:./host-${process.versions.node}.db`;
const options = { database, keys: await createKeys(), sandbox: true };

async function buy(): Promise<string> {
  await using tally = await createTallystick(options);
  await tally.migrate();
  await tally.start();
  const company = tally.company(1);
  const card = await company.cards.issue({ total_card_amount: 50_000 });
  const authorization = await company.sandbox.buy({ vcn_id: card.id, amount: 1_250, merchant_name: 'Corner Grocer' });
  assert.ok(authorization.id !== null, 'the purchase was declined');
  await company.sandbox.clear(authorization.id);
  return card.id;
}

async function availableOf(card_id: string): Promise<number> {
  await using tally = await createTallystick(options);
  return (await tally.company(1).cards.read(card_id)).available_balance;
}

assert.equal(await availableOf(await buy()), 48_750);
console.log('the purchase is there after a restart');

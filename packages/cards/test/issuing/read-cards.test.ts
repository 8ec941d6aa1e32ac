import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '@tallystick/kernel';
import { listAuthorizations, listCards, listClearings, readCard, revealNumbers } from '../../src/index.ts';
import { assertNotFound, call, cardWorld, day_ms, now_ms } from '../card-world.ts';

const aging = { authorization_hold_days: 7, aging_velocity_time_zone: 'UTC' };

test('the available amount does not depend on a job: after a window rolls over it is full again', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ recurring: 'Monthly' });
  world.use(card.id, { held: 300, cleared: 200, uses: 2 });
  const balanceAt = async (at_ms: number) =>
    (await world.run((tx) => readCard(tx, { ...call, now_ms: at_ms }, card.id))).balance.available;
  assert.equal(await balanceAt(Date.UTC(2026, 11, 1) - 1), 9_500);
  assert.equal(await balanceAt(Date.UTC(2026, 11, 1)), 10_000);
});

test('the available amount may be negative', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  world.use(card.id, { cleared: 10_500, uses: 1 });
  assert.equal((await world.run((tx) => readCard(tx, call, card.id))).balance.available, -500);
});

test('an ended hold is available again, and its authorization leaves the card but not the list of all', async () => {
  const world = cardWorld();
  const { card } = await world.issue(aging);
  const hold_end_ms = now_ms + day_ms;
  const first = world.authorize(card, { held: money(300), hold_end_ms });
  const increment = world.authorize(card, { root_id: first.id, incremental: true, held: money(0) });
  const partly = world.authorize(card, {
    status: 'partially_cleared',
    held: money(20),
    cleared: money(5),
    hold_end_ms,
  });
  const declined = world.authorize(card, { status: 'declined', held: money(0), decline_code: 'E' });
  world.authorize(card, { status: 'expired', held: money(0), hold_end_ms: now_ms - 1 });
  world.use(card.id, { held: 320, cleared: 5, next_hold_end_ms: hold_end_ms });
  const at = async (at_ms: number) => {
    const reading = await world.run((tx) => readCard(tx, { ...call, now_ms: at_ms }, card.id));
    return [reading.balance.available, reading.authorizations.map(({ id }) => id)];
  };
  assert.deepEqual(await at(hold_end_ms - 1), [9_675, [declined.id, partly.id, increment.id, first.id]]);
  assert.deepEqual(await at(hold_end_ms), [9_995, [declined.id, partly.id]]);
  const all = await world.run((tx) => listAuthorizations(tx, call, card.id, { limit: 50 }));
  assert.equal(all.page.items.length, 5);
});

test('a card shows its newest 100 authorizations, newest first', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  const ids = Array.from({ length: 105 }, () => world.authorize(card).id);
  const { authorizations } = await world.run((tx) => readCard(tx, call, card.id));
  assert.deepEqual(
    authorizations.map(({ id }) => id),
    ids.toReversed().slice(0, 100),
  );
});

test('a list shows the company’s cards, newest first, with activity only on request', async () => {
  const world = cardWorld();
  const first = await world.issue({ supplier_id: 7 });
  const second = await world.issue({ supplier_id: 8 });
  await world.issue({}, { ...call, company_id: 2 });
  const authorization = world.authorize(first.card);
  const list = (filter: { supplier_id?: number }, with_activity: boolean) =>
    world.run((tx) => listCards(tx, call, filter, { limit: 1 }, { with_activity }));
  const page = await list({}, false);
  assert.deepEqual(
    page.items.map(({ card }) => card.id),
    [second.card.id],
  );
  assert.notEqual(page.next, null);
  const [plain] = (await list({ supplier_id: 7 }, false)).items;
  assert.deepEqual([plain?.card.id, plain?.authorizations, plain?.clearings], [first.card.id, [], []]);
  const [active] = (await list({ supplier_id: 7 }, true)).items;
  assert.deepEqual(active?.authorizations, [authorization]);
});

test('neither a card of another company nor its activity is found', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  const stranger = { ...call, company_id: 2 };
  await assertNotFound(world.run((tx) => readCard(tx, stranger, card.id)));
  await assertNotFound(world.run((tx) => listAuthorizations(tx, stranger, card.id, { limit: 1 })));
  await assertNotFound(world.run((tx) => listClearings(tx, stranger, card.id, { limit: 1 })));
});

test('a number is shown in plain text with its code, and each time is in the audit log', async () => {
  const world = cardWorld();
  const cards = [(await world.issue({})).card, (await world.issue({})).card];
  const { vault } = world.ports;
  const shown = await world.run((tx) => revealNumbers(tx, { vault }, call, cards));
  for (const { id, last4, expiry } of cards) {
    const pan = vault.open(world.committed().numbers.get(id)!.number_sealed);
    assert.deepEqual(shown.get(id), { card_number: pan.reveal(), cvc: vault.cvc(pan, expiry) });
    assert.ok(shown.get(id)?.card_number.endsWith(last4));
    assert.match(shown.get(id)!.cvc, /^[0-9]{3}$/);
  }
  assert.deepEqual(
    world.audit(),
    cards.map(({ id }) => ({
      company_id: 1,
      actor: 'key:1',
      action: 'card_number.shown',
      object: `virtualcard:${id}`,
      request_id: 'r-1',
      source_address: null,
      details: {},
    })),
  );
});

test('no number of another company is shown, even when its card is passed in', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  const stranger = { ...call, company_id: 2 };
  await assert.rejects(
    world.run((tx) => revealNumbers(tx, world.ports, stranger, [card])),
    { name: 'Violation' },
  );
  assert.deepEqual(world.audit(), []);
});

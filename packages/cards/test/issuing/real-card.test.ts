import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRealCard, listRealCards } from '../../src/index.ts';
import { call, cardWorld, invalidFields, now_ms, type Request } from '../card-world.ts';

const sound = { alias: 'Travel', billing_currency: 'EUR', account_range: '51234567' };

function create(world: ReturnType<typeof cardWorld>, request: Request, company_id = 1) {
  return world.run((tx) => createRealCard(tx, { ...call, company_id }, { ...sound, ...request }));
}

test('a real card requires an alias, a currency and an account range; the other fields have defaults', async () => {
  const world = cardWorld();
  const { id, ...card } = await create(world, {});
  assert.deepEqual(card, {
    ...sound,
    company_id: 1,
    velocity_enabled: true,
    network_data_names: null,
    is_default: false,
    created_at_ms: now_ms,
  });
  const { id: all_id, ...all } = await create(world, {
    velocity_enabled: false,
    network_data_names: ['Trip'],
    is_default: true,
  });
  assert.deepEqual(all, { ...card, velocity_enabled: false, network_data_names: ['Trip'], is_default: true });
  assert.deepEqual(
    world.audit().map(({ action, object }) => `${action} ${object}`),
    [`real_card.created realcard:${id}`, `real_card.created realcard:${all_id}`],
  );
});

test('the first real card of a company is its default, unless the request says otherwise', async () => {
  const world = cardWorld();
  assert.equal((await create(world, { is_default: false }, 3)).is_default, false);
  assert.equal((await create(world, {}, 3)).is_default, true);
  assert.equal((await create(world, {}, 3)).is_default, false);
});

test('a new default replaces the old one: cards issued from then on are linked to it', async () => {
  const world = cardWorld();
  const real_card = await create(world, { is_default: true });
  const { card } = await world.issue({});
  assert.deepEqual([card.rcn_id, card.rcn_alias, card.billing_currency], [real_card.id, 'Travel', 'EUR']);
  const sealed = world.committed().numbers.get(card.id)!;
  assert.ok(world.ports.vault.open(sealed.number_sealed).reveal().startsWith('51234567'));
  const { items } = await world.run((tx) => listRealCards(tx, call, { limit: 50 }));
  assert.deepEqual(
    items.map(({ id, is_default }) => [id, is_default]),
    [
      [real_card.id, true],
      [52, false],
      [51, false],
    ],
  );
});

const refused: readonly (readonly [string, Request, readonly string[]])[] = [
  [
    'nothing',
    { alias: null, billing_currency: null, account_range: null },
    ['account_range', 'alias', 'billing_currency'],
  ],
  ['a blank alias', { alias: ' ' }, ['alias']],
  ['an alias of 101 characters', { alias: 'x'.repeat(101) }, ['alias']],
  ['an alias with a line break', { alias: 'a\nb' }, ['alias']],
  ['an unknown currency', { billing_currency: 'EURO' }, ['billing_currency']],
  ['an account range of 5 digits', { account_range: '51234' }, ['account_range']],
  ['an account range of 13 digits', { account_range: '5123456789012' }, ['account_range']],
  ['an account range as a number', { account_range: 512345 }, ['account_range']],
  [
    'flags that are neither true nor false',
    { velocity_enabled: 'yes', is_default: 1 },
    ['is_default', 'velocity_enabled'],
  ],
  ['no names of network data', { network_data_names: [] }, ['network_data_names']],
  ['a name twice', { network_data_names: ['Trip', 'Trip'] }, ['network_data_names[1]']],
  ['a name that is not text', { network_data_names: ['Trip', 5] }, ['network_data_names[1]']],
];
for (const [what, request, paths] of refused) {
  test(`refuses ${what}`, async () => {
    const world = cardWorld();
    assert.deepEqual(await invalidFields(create(world, request)), paths);
    assert.equal(world.commits(), 0);
  });
}

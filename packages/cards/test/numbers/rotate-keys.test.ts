import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@tallystick/kernel';
import { memoryVault } from '@tallystick/memory';
import { type CardVault, revealNumbers, rotateKeys } from '../../src/index.ts';
import { call, cardWorld, type Rival } from '../card-world.ts';

/** The vault of a ring, newest key first. */
const ringVault = (...key_ids: readonly string[]) => memoryVault(key_ids).card_vault;

async function worldWithCards(count: number, rival?: Rival) {
  const world = cardWorld(rival);
  for (let card = 0; card < count; card += 1) await world.issue({});
  const numbersBy = (vault: CardVault) =>
    new Map(
      world
        .committed()
        .numbers.entries()
        .map(([id, { number_sealed }]) => [id, vault.open(number_sealed).reveal()]),
    );
  const keyIds = () =>
    world
      .committed()
      .numbers.values()
      .map(({ number_key_id }) => number_key_id);
  return { ...world, numbersBy, keyIds };
}

test('after a rotation the newest key alone reads every number, and look-up finds them as before', async () => {
  const world = await worldWithCards(25);
  const before = world.numbersBy(ringVault('k1'));
  const indexes = world
    .committed()
    .numbers.values()
    .map(({ number_index }) => number_index);
  const resealed = await rotateKeys(world.unit_of_work, ringVault('k2', 'k1'), { key_id: 'k2', batch_max: 10 });
  assert.equal(resealed, 25);
  assert.deepEqual(world.numbersBy(ringVault('k2')), before);
  assert.deepEqual(new Set(world.keyIds()), new Set(['k2']));
  assert.deepEqual(
    world
      .committed()
      .numbers.values()
      .map(({ number_index }) => number_index),
    indexes,
  );
});

test('each batch commits separately, and progress is reported after it', async () => {
  const world = await worldWithCards(25);
  const reported: (readonly [number, number])[] = [];
  const progress = (resealed: number) => {
    reported.push([resealed, world.keyIds().filter((key_id) => key_id === 'k2').length]);
  };
  await rotateKeys(world.unit_of_work, ringVault('k2', 'k1'), { key_id: 'k2', batch_max: 10, progress });
  assert.deepEqual(reported, [
    [10, 10],
    [20, 20],
    [25, 25],
  ]);
});

test('a second rotation finds nothing to do', async () => {
  const world = await worldWithCards(3);
  const vault = ringVault('k2', 'k1');
  await rotateKeys(world.unit_of_work, vault, { key_id: 'k2' });
  assert.equal(await rotateKeys(world.unit_of_work, vault, { key_id: 'k2' }), 0);
});

test('cards are readable before, during and after a rotation', async () => {
  const world = await worldWithCards(12);
  const vault = ringVault('k2', 'k1');
  const cards = world.committed().cards.values();
  const before = await world.run((tx) => revealNumbers(tx, { vault }, call, cards));
  const during: Promise<unknown>[] = [];
  const progress = () => {
    during.push(world.run((tx) => revealNumbers(tx, { vault }, call, cards)));
  };
  await rotateKeys(world.unit_of_work, vault, { key_id: 'k2', batch_max: 5, progress });
  assert.equal(during.length, 3);
  for (const shown of await Promise.all(during)) assert.deepEqual(shown, before);
  const after = await world.run((tx) => revealNumbers(tx, { vault: ringVault('k2') }, call, cards));
  assert.deepEqual(after, before);
});

test('two rotations at the same time do the work of one', async () => {
  const world = await worldWithCards(25);
  const vault = ringVault('k2', 'k1');
  const counts = await Promise.all(
    [1, 2].map(() => rotateKeys(world.unit_of_work, vault, { key_id: 'k2', batch_max: 4 })),
  );
  assert.equal(counts[0]! + counts[1]!, 25);
  assert.deepEqual(new Set(world.keyIds()), new Set(['k2']));
});

test('numbers that another process holds are also sealed: none is left when the rotation resolves', async () => {
  let busy = true;
  const held = new Set<number>();
  const rival = {
    holds: (card_id: number) => busy && held.has(card_id),
    finished: async () => {
      busy = false;
    },
  };
  const world = await worldWithCards(9, rival);
  for (const card_id of world.committed().cards.keys().slice(3)) held.add(card_id);
  const reported: number[] = [];
  const progress = (resealed: number) => reported.push(resealed);
  await rotateKeys(world.unit_of_work, ringVault('k2', 'k1'), { key_id: 'k2', batch_max: 4, progress });
  assert.deepEqual(reported, [3, 7, 9]);
  assert.deepEqual(new Set(world.keyIds()), new Set(['k2']));
});

test('an interrupted rotation keeps its batches, and a new one continues where it stopped', async () => {
  const world = await worldWithCards(9);
  const vault = ringVault('k2', 'k1');
  const progress = (resealed: number) => {
    if (resealed >= 4) throw new Error('the process ends');
  };
  await assert.rejects(rotateKeys(world.unit_of_work, vault, { key_id: 'k2', batch_max: 2, progress }));
  assert.equal(world.keyIds().filter((key_id) => key_id === 'k2').length, 4);
  assert.equal(await rotateKeys(world.unit_of_work, vault, { key_id: 'k2', batch_max: 2 }), 5);
});

test('a number whose key is missing is a fault, and stays unchanged', async () => {
  const world = await worldWithCards(2);
  const before = world.committed().numbers.entries();
  await assert.rejects(rotateKeys(world.unit_of_work, ringVault('k3'), { key_id: 'k3' }), Fault);
  assert.deepEqual(world.committed().numbers.entries(), before);
});

test('a rotation to another key than the vault seals with is a bug, not an endless run', async () => {
  const world = await worldWithCards(2);
  await assert.rejects(rotateKeys(world.unit_of_work, ringVault('k2', 'k1'), { key_id: 'k9' }), { name: 'Violation' });
  await assert.rejects(rotateKeys(world.unit_of_work, ringVault('k2', 'k1'), { key_id: 'k2', batch_max: 0 }), {
    name: 'Violation',
  });
});

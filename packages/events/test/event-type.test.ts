import assert from 'node:assert/strict';
import { test } from 'node:test';
import { event_types, toCanonicalTypeId } from '@tallystick/events';
import { event_types_without_id, subscribedNameOf, subscribingIdsOf, toStoredName } from '../src/log/event-type.ts';

test('the types are those of the specification, by id, with 10 as the second name of 6', () => {
  assert.deepEqual(
    event_types.map(({ id, name }) => `${id} ${name}`),
    [
      '1 all',
      '2 virtualcard.created',
      '3 virtualcard.deleted',
      '4 onboarding.company.status',
      '5 ach.status',
      '6 virtualcard.realtime.auths',
      '7 virtualcard.clearings',
      '10 virtualcard.realtime.iccp.all',
      '11 virtualcard.purchasetemplate.created',
      '13 ach.status.advice',
    ],
  );
  assert.deepEqual(
    event_types.map((type) => Object.keys(type)),
    event_types.map(() => ['id', 'name']),
  );
});

test('6 and 10 are one type, and every other id is a separate type', () => {
  for (const { id } of event_types) assert.equal(toCanonicalTypeId(id), id === 10 ? 6 : id);
});

test('events are stored under the first name of their type, and no event is stored as all', () => {
  assert.equal(toStoredName('virtualcard.realtime.iccp.all'), 'virtualcard.realtime.auths');
  assert.equal(toStoredName('virtualcard.realtime.auths'), 'virtualcard.realtime.auths');
  for (const name of ['virtualcard.created', 'virtualcard.updated', 'ach.$$limit.exceeded']) {
    assert.equal(toStoredName(name), name);
  }
  for (const name of ['all', '', 'webhooks.test', 'Virtualcard.created', 'toString', '6']) {
    assert.equal(toStoredName(name), null);
  }
});

test('a subscriber receives an event under the name of the id of its subscription', () => {
  const auths = 'virtualcard.realtime.auths';
  const table: readonly (readonly [string, readonly number[], string | null])[] = [
    [auths, [6], auths],
    [auths, [10], 'virtualcard.realtime.iccp.all'],
    [auths, [10, 6], auths],
    [auths, [1], auths],
    [auths, [1, 10], 'virtualcard.realtime.iccp.all'],
    [auths, [2, 7], null],
    [auths, [], null],
    ['virtualcard.created', [2], 'virtualcard.created'],
    ['virtualcard.updated', [1], 'virtualcard.updated'],
    ['virtualcard.updated', [2, 3, 4, 5, 6, 7, 10, 11, 13], null],
    ['ach.$$limit.exceeded', [5, 13], null],
    ['ach.$$limit.exceeded', [5, 1], 'ach.$$limit.exceeded'],
  ];
  for (const [stored, ids, expected] of table)
    assert.equal(subscribedNameOf(stored, ids), expected, `${stored} ${ids}`);
});

test('each id except the id for all types subscribes exactly to the events stored under its type', () => {
  const stored = new Set([...event_types.flatMap(({ name }) => toStoredName(name) ?? []), ...event_types_without_id]);
  for (const name of stored) {
    const by_id = event_types.filter(({ id }) => id !== 1 && subscribedNameOf(name, [id]) !== null).map(({ id }) => id);
    assert.deepEqual(by_id, subscribingIdsOf(name));
    assert.deepEqual(subscribingIdsOf(name), name === 'virtualcard.realtime.auths' ? [6, 10] : by_id.slice(0, 1));
    assert.equal(subscribedNameOf(name, [1]), name);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Event,
  type EventFilter,
  type EventStore,
  foreign_event_types,
  foreign_payload_bytes_max,
  listEvents,
  matches,
  type NewEvent,
  type Payload,
  parseEventFilters,
  readEvent,
  recordForeignEvent,
} from '@tallystick/events';
import { type Call, type PageRequest, Refusal, Temporal } from '@tallystick/kernel';

const call: Call = { company_id: 7, actor: 'key:1', request_id: 'r-1', now_ms: 1_704_110_400_120 };

/** The event log in memory, which filters by the reference meaning of filters. */
function memoryLog(): { readonly events: EventStore; readonly stored: readonly Event[] } {
  const stored: Event[] = [];
  const events: EventStore = {
    async append(added: readonly NewEvent[]) {
      const made = added.map((event, at) => ({ ...event, id: stored.length + at + 1 }));
      stored.push(...made);
      return made;
    },
    find: async (company_id: number, id: number) =>
      stored.find((event) => event.company_id === company_id && event.id === id) ?? null,
    async list(company_id: number, filters: readonly EventFilter[], page: PageRequest) {
      const met = stored.filter(
        (event) => event.company_id === company_id && filters.every((filter) => matches(event, filter)),
      );
      return { items: met.toReversed().slice(0, page.limit), next: null };
    },
  };
  return { events, stored };
}

async function refusalOf(work: () => Promise<unknown>): Promise<Refusal> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error;
  }
  return assert.fail('nothing was refused');
}

test('a foreign event is recorded for the company, at the time of the call, with the request that submitted it', async () => {
  const log = memoryLog();
  for (const event_type of foreign_event_types) {
    const payload = { id: '9', status: 'FAILED', return_code: 'R01' };
    const previous = { id: '9', status: 'PENDING', return_code: null };
    const event = await recordForeignEvent(log, call, { event_type, payload, previous });
    assert.deepEqual(event, {
      id: event.id,
      company_id: 7,
      event_type,
      payload,
      previous,
      created_at_ms: call.now_ms,
      request_id: 'r-1',
    });
    assert.deepEqual(await readEvent(log, call, event.id), event);
  }
  assert.equal(log.stored.length, 4);
});

test('without a previous state the object is new', async () => {
  const log = memoryLog();
  const request = { event_type: 'ach.status', payload: {} };
  assert.equal((await recordForeignEvent(log, call, request)).previous, null);
  assert.equal((await recordForeignEvent(log, call, { ...request, previous: null })).previous, null);
});

test("the service's own types cannot be submitted from outside", async () => {
  const log = memoryLog();
  for (const event_type of ['virtualcard.created', 'virtualcard.updated', 'all', 'webhooks.test', '', 'constructor']) {
    const refusal = await refusalOf(() => recordForeignEvent(log, call, { event_type, payload: {} }));
    assert.deepEqual([refusal.code, refusal.fields.map((field) => field.path)], ['validation_failed', ['event_type']]);
    assert.match(refusal.message, /must be one of ach\.status, /);
  }
  assert.equal(log.stored.length, 0);
});

test('a state is a JSON object of at most 64 KiB, in UTF-8', async () => {
  const log = memoryLog();
  const record = (payload: unknown, previous: unknown = null) =>
    recordForeignEvent(log, call, {
      event_type: 'ach.status',
      payload: payload as Payload,
      previous: previous as Payload | null,
    });
  const filler = foreign_payload_bytes_max - '{"x":""}'.length;
  await record({ x: 'a'.repeat(filler) }, { x: 'é'.repeat(filler / 2) });
  assert.match((await refusalOf(() => record({ x: 'a'.repeat(filler + 1) }))).message, /it has 65537/);
  assert.match(
    (await refusalOf(() => record({}, { x: 'é'.repeat(filler / 2 + 1) }))).message,
    /^previous must be at most /,
  );

  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
  await record({ x: nested(31) });
  const refused: readonly unknown[] = [
    undefined,
    null,
    'text',
    17,
    [],
    new Map(),
    { x: nested(32) },
    { x: JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`) },
    { x: undefined },
    { x: Number.NaN },
    { x: [2 ** 53] },
    { x: -6304000000000000000 },
    { x: 1n },
    { x: Temporal.PlainDate.from('2024-01-01') },
    { x: 'a\0b' },
    { x: ['\ud800'] },
    { 'a\0b': 1 },
  ];
  for (const payload of refused) {
    const refusal = await refusalOf(() => record(payload));
    assert.deepEqual(
      refusal.fields.map((field) => field.path),
      ['payload'],
      String(payload),
    );
  }
  const both = await refusalOf(() => record([], 'x'));
  assert.deepEqual(
    both.fields.map((field) => field.path),
    ['payload', 'previous'],
  );
  assert.equal(log.stored.length, 2);
});

test('a card number of a foreign event is masked in both its states, at any depth, in text and as a number', async () => {
  const log = memoryLog();
  const stateWith = (number: unknown, spaced: unknown) => ({
    id: '4012888888881881',
    note: `card ${spaced}, ref 17`,
    list: [number, [number, { deep: { deeper: String(number) } }]],
    number,
    negative: -4111111111111111,
    kept: [4111111111111112, 2 ** 53 - 1, 0.4111111111111111, -0, true, null, 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
  });
  const state = stateWith(4111111111111111, '4111 1111 1111 1111');
  const event = await recordForeignEvent(log, call, { event_type: 'ach.status', payload: state, previous: state });
  const masked = '************1111';
  const expected = { ...stateWith(masked, masked), id: '************1881', negative: `-${masked}` };
  assert.deepEqual(event.payload, expected);
  assert.deepEqual(event.previous, expected);
  assert.deepEqual(log.stored, [event]);
  assert.equal(state.number, 4111111111111111, 'the argument is not changed');
});

test('a card number in a property name of a foreign event is refused, and the message does not repeat it', async () => {
  const log = memoryLog();
  const payload = { cards: [{ '4111-1111-1111-1111': { status: 'lost' } }] };
  const refusal = await refusalOf(() => recordForeignEvent(log, call, { event_type: 'ach.status', payload }));
  assert.deepEqual(
    refusal.fields.map((field) => field.path),
    ['payload'],
  );
  assert.match(refusal.message, /card number as the name/);
  assert.ok(!JSON.stringify(refusal).includes('4111'));
  assert.equal(log.stored.length, 0);
});

test('an event of another company is not found, like an unknown one', async () => {
  const log = memoryLog();
  const event = await recordForeignEvent(log, call, { event_type: 'ach.status', payload: {} });
  for (const [company_id, id] of [
    [8, event.id],
    [7, event.id + 1],
  ] as const) {
    assert.equal((await refusalOf(() => readEvent(log, { ...call, company_id }, id))).code, 'not_found');
  }
});

test("a list has the company's events that meet every filter, newest first", async () => {
  const log = memoryLog();
  for (const [company_id, event_type, status] of [
    [7, 'ach.status', 'FAILED'],
    [7, 'ach.status.advice', 'FAILED'],
    [8, 'ach.status', 'FAILED'],
    [7, 'ach.status', 'RETURNED'],
    [7, 'ach.status', 'FAILED'],
  ] as const) {
    await recordForeignEvent(log, { ...call, company_id }, { event_type, payload: { status } });
  }
  const filters = parseEventFilters([
    ['event_type', 'ach.status'],
    ['payload.status', 'FAILED'],
  ]);
  const page = await listEvents(log, call, filters, { limit: 50 });
  assert.deepEqual(
    page.items.map((event) => event.id),
    [5, 1],
  );
});

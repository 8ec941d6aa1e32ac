import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Event,
  type EventFilter,
  type FilterName,
  filter_fields,
  matches,
  type NewEvent,
} from '@tallystick/events';
import { type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { connect } from '../../src/connection/connection.ts';
import { event_segment_bits } from '../../src/schema/event-segments.ts';
import { type Fixture, noon_ms, onEveryDatabase } from './fixture.ts';

const company = 1;

function told(payload: NewEvent['payload'], changes: Partial<NewEvent> = {}): NewEvent {
  return {
    company_id: company,
    event_type: 'virtualcard.realtime.auths',
    payload,
    previous: null,
    created_at_ms: noon_ms,
    request_id: null,
    ...changes,
  };
}

/** Every page of a list, from the first to the last. */
async function readEveryPage(
  list: (page: PageRequest) => Promise<Page<Event>>,
  limit: number,
): Promise<readonly Event[]> {
  const items: Event[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await list({ limit, ...(after === undefined ? {} : { after }) });
    assert(page.items.length <= limit);
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

/** Makes the next event's id this one, as if the log were as long. */
async function jumpTo(fixture: Fixture, id: number): Promise<void> {
  const connection = await connect(fixture.database);
  const insert = `insert into events (id, company_id, event_type, created_at_ms, payload) values (${id - 1}, 999, 'x', 0, '{}')`;
  if (connection.dialect === 'sqlite') await connection.exclusively((database) => database.exec(insert));
  else await connection.pool.query(`${insert}; select setval('events_id_seq', ${id - 1})`);
  await connection.close();
}

onEveryDatabase('the event log', (fixture) => {
  const list = (filters: readonly EventFilter[], page: PageRequest, company_id = company) =>
    fixture().persistence.unitOfWork.read((tx) => tx.events.list(company_id, filters, page));
  const append = (events: readonly NewEvent[]) => fixture().run((tx) => tx.events.append(events));

  it('gives events back as they were written, by rising ids', async () => {
    const events = await append([
      told({ id: 7, text: 'é "quoted" 𝄞 \u0000', nested: { list: [1, null, { a: 1.5 }] } }, { request_id: 'r-1' }),
      told({ id: 8 }, { previous: { id: 8, status: 'Approved' } }),
    ]);
    assert.deepEqual(
      events.map(({ id }) => id).toSorted((a, b) => a - b),
      events.map(({ id }) => id),
    );
    for (const event of events) {
      assert.deepEqual(await fixture().run((tx) => tx.events.find(company, event.id)), event);
    }
  });

  it('shows a company nothing of another', async () => {
    const [event] = await append([told({ mcc: '9999' }, { company_id: 2 })]);
    assert.equal(await fixture().run((tx) => tx.events.find(company, event!.id)), null);
    assert.deepEqual((await list([{ name: 'payload.mcc', kind: 'equals', value: '9999' }], { limit: 5 })).items, []);
    assert((await readEveryPage((page) => list([], page), 50)).every(({ company_id }) => company_id === company));
  });

  it('appends nothing when given nothing, and many in one go', async () => {
    assert.deepEqual(await append([]), []);
    const many = await append(Array.from({ length: 1_201 }, (_, id) => told({ id }, { company_id: 3 })));
    assert.equal(new Set(many.map(({ id }) => id)).size, 1_201);
    assert.deepEqual(
      (await readEveryPage((page) => list([], page, 3), 100)).map(({ id }) => id),
      many.map(({ id }) => id).toReversed(),
    );
  });

  it('refuses a cursor that it did not make', async () => {
    const { next } = await list([], { limit: 1 }, 3);
    assert(next !== null);
    const text = Buffer.from(next, 'base64url').toString();
    const forged = [
      'x',
      '',
      `${next}!`,
      `${next}=`,
      Buffer.from(text.replace('events', 'companies')).toString('base64url'),
      Buffer.from(text.replace(/\d+/, '-1')).toString('base64url'),
      Buffer.from(text.replace(/\d+/, '1e3')).toString('base64url'),
    ];
    for (const after of forged) {
      for (const filters of [[], [{ name: 'payload.mcc', kind: 'equals', value: '1' }] as const]) {
        await assert.rejects(list(filters, { limit: 1, after }, 3), (error) => {
          assert(error instanceof Refusal && error.code === 'invalid_query', String(error));
          assert.equal(error.fields[0]?.path, 'page[after]');
          return true;
        });
      }
    }
  });

  describe('filtered', () => {
    const texts = ['a', 'b', 'Z', 'é', '𝄞', '12'];
    const text = fc.constantFrom(...texts, null, undefined);
    const integer = fc.constantFrom(-3, 0, 5, 900_000_000_000, null, undefined);
    const moment = fc.constantFrom('2026-05-20T12:00:00Z', '2026-05-20T12:00:00.001Z', null, undefined);
    const event = fc
      .record({
        payload: fc.record(
          Object.fromEntries(
            Object.values(filter_fields).flatMap(({ payload_key, type }) =>
              payload_key === null
                ? []
                : [[payload_key, type === 'integer' ? integer : type === 'instant' ? moment : text]],
            ),
          ) as Record<string, fc.Arbitrary<unknown>>,
        ),
        event_type: fc.constantFrom('virtualcard.created', 'virtualcard.clearings'),
        created_at_ms: fc.constantFrom(noon_ms, noon_ms + 1, noon_ms + 2),
      })
      .map(({ payload, ...rest }) => told(JSON.parse(JSON.stringify(payload)), rest));
    const filter = fc
      .constantFrom(...(Object.keys(filter_fields) as FilterName[]))
      .chain((name): fc.Arbitrary<EventFilter> => {
        const { type, range } = filter_fields[name];
        const value =
          name === 'event_type'
            ? fc.constantFrom('virtualcard.created', 'virtualcard.clearings', 'none')
            : type === 'text'
              ? fc.constantFrom(...texts, 'none')
              : type === 'integer'
                ? fc.constantFrom(-3, 0, 5, 900_000_000_000, 7)
                : fc.constantFrom(noon_ms, noon_ms + 1, noon_ms - 1);
        const equals = value.map((of) => ({ name, kind: 'equals' as const, value: of }));
        if (!range) return equals;
        const between = fc.record({ from: value, to: value }, { requiredKeys: [] });
        return fc.oneof(
          equals,
          between.map((ends) => ({ name, kind: 'range' as const, ...ends })),
        );
      });

    it('finds exactly the events that meet every filter, newest first, on pages of any size, across segments', async () => {
      const size = 2 ** event_segment_bits[fixture().name];
      const events: Event[] = [];
      let segment = 3;
      await fc.assert(
        fc.asyncProperty(
          fc.array(event, { minLength: 1, maxLength: 12 }),
          fc.array(fc.array(filter, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 7 }),
          async (more, searches, limit) => {
            // Each run's events lie on both sides of a border between segments.
            segment += 1 + (segment % 3);
            await jumpTo(fixture(), segment * size - Math.ceil(more.length / 2));
            events.push(...(await append(more)));
            for (const filters of searches) {
              const expected = events.filter((event) => filters.every((filter) => matches(event, filter))).toReversed();
              const found = await readEveryPage((page) => list(filters, page), limit);
              const ids = found.filter(({ id }) => id >= events[0]!.id).map(({ id }) => id);
              assert.deepEqual(
                ids,
                expected.map(({ id }) => id),
                JSON.stringify(filters),
              );
              const offset = Math.floor(limit / 2);
              assert.deepEqual(
                (await list(filters, { limit: 2, offset })).items.map(({ id }) => id),
                found.slice(offset, offset + 2).map(({ id }) => id),
                `${JSON.stringify(filters)} after ${offset}`,
              );
            }
          },
        ),
        propertyParameters({ short: 25, full: 150 }),
      );
    });

    it('is found though the newest thousands of events are another company’s', async () => {
      const [mine] = await append([told({ approval_code: 'FARBCK' })]);
      for (let at = 0; at < 5; at += 1) {
        await append(Array.from({ length: 500 }, (_, id) => told({ id, approval_code: 'FARBCK' }, { company_id: 4 })));
      }
      const { items, next } = await list([{ name: 'payload.approval_code', kind: 'equals', value: 'FARBCK' }], {
        limit: 2,
      });
      assert.deepEqual([items.map(({ id }) => id), next], [[mine!.id], null]);
    });
  });
});

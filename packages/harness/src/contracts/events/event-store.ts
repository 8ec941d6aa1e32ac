import {
  type Event,
  type EventFilter,
  type FilterName,
  filter_fields,
  matches,
  type NewEvent,
} from '@tallystick/events';
import { assert, type PageRequest, Refusal } from '@tallystick/kernel';
import fc from 'fast-check';
import { assertEqual, assertRejects } from '../assertions.ts';
import { type ContractRule, type PropertyRuns, rule } from '../rule.ts';
import { type CardStorage, everyPage, idsOf, newCompany, rising } from '../storage/storage.ts';

/** 2026-05-20, noon UTC. */
const noon_ms = 1_779_278_400_000;

function newEvent(company_id: number, payload: NewEvent['payload'], changes: Partial<NewEvent> = {}): NewEvent {
  return {
    company_id,
    event_type: 'virtualcard.realtime.auths',
    payload,
    previous: null,
    created_at_ms: noon_ms,
    request_id: null,
    ...changes,
  };
}

function append({ unitOfWork }: CardStorage, events: readonly NewEvent[]): Promise<readonly Event[]> {
  return unitOfWork.run((tx) => tx.events.append(events));
}

export function eventStoreContract(runs: PropertyRuns = { numRuns: 25 }): readonly ContractRule<CardStorage>[] {
  return [
    rule('events are read as they were written, and their ids ascend', async (storage) => {
      const company_id = await newCompany(storage);
      const fresh = [
        newEvent(
          company_id,
          { id: 7, text: 'é "quoted" 𝄞 \u0000', nested: { list: [1, null, { a: 1.5 }] } },
          { request_id: 'r-1' },
        ),
        newEvent(company_id, { id: 8 }, { previous: { id: 8, status: 'Approved' } }),
      ];
      const events = await append(storage, fresh);
      assertEqual(
        events,
        fresh.map((event, at) => ({ ...event, id: events[at]?.id })),
        'what was appended',
      );
      assertEqual(idsOf(events), rising(idsOf(events)), 'the order of the ids');
      for (const event of events) {
        const found = await storage.unitOfWork.read((tx) => tx.events.find(company_id, event.id));
        assertEqual(found, event, 'what is found');
      }
    }),
    rule('events of a transaction that does not commit are not stored', async (storage) => {
      const company_id = await newCompany(storage);
      const dropped = storage.unitOfWork.run(async (tx) => {
        await tx.events.append([newEvent(company_id, { id: 9 })]);
        throw new Refusal('not_found', 'no');
      });
      await assertRejects(dropped, (error) => error instanceof Refusal, 'the transaction');
      const { items } = await storage.unitOfWork.read((tx) => tx.events.list(company_id, [], { limit: 5 }));
      assertEqual(items, [], 'the log');
    }),
    rule('a company finds no event of another', async (storage) => {
      const [mine, other] = [await newCompany(storage), await newCompany(storage)];
      const [event] = await append(storage, [newEvent(other, { mcc: '9999' })]);
      const filters: readonly (readonly EventFilter[])[] = [
        [],
        [{ name: 'payload.mcc', kind: 'equals', value: '9999' }],
      ];
      await storage.unitOfWork.read(async (tx) => {
        assertEqual(await tx.events.find(mine, event!.id), null, 'the event');
        for (const one of filters) {
          assertEqual((await tx.events.list(mine, one, { limit: 5 })).items, [], 'a list');
          assertEqual(idsOf((await tx.events.list(other, one, { limit: 5 })).items), [event!.id], 'its own list');
        }
      });
    }),
    rule('none or many events are appended in one call', async (storage) => {
      const company_id = await newCompany(storage);
      assertEqual(await append(storage, []), [], 'none');
      const fresh = Array.from({ length: 1_201 }, (_, id) => newEvent(company_id, { id }));
      const many = await append(storage, fresh);
      assertEqual(new Set(idsOf(many)).size, 1_201, 'how many ids');
      const found = await everyPage(
        (page) => storage.unitOfWork.read((tx) => tx.events.list(company_id, [], page)),
        100,
      );
      assertEqual(idsOf(found), idsOf(many).toReversed(), 'all pages');
    }),
    rule('a cursor that the log did not create is refused', async (storage) => {
      const company_id = await newCompany(storage);
      await append(storage, [newEvent(company_id, {}), newEvent(company_id, {})]);
      const list = (filters: readonly EventFilter[], after?: string) =>
        storage.unitOfWork.read((tx) =>
          tx.events.list(company_id, filters, { limit: 1, ...(after === undefined ? {} : { after }) }),
        );
      const { next } = await list([]);
      assert(next !== null, 'the first of two pages has no cursor');
      const isExpected = (error: unknown) =>
        error instanceof Refusal && error.code === 'invalid_query' && error.fields[0]?.path === 'after';
      for (const after of ['x', '', `${next}!`, `${next}=`, next.slice(1), `${next.slice(0, -1)}~`]) {
        for (const filters of [[], [{ name: 'payload.mcc', kind: 'equals', value: '1' }] as const]) {
          await assertRejects(list(filters, after), isExpected, JSON.stringify(after));
        }
      }
    }),
    rule('each filter finds its value; each range includes both ends, and either may be open', async (storage) => {
      const company_id = await newCompany(storage);
      const moments = [1_000, 2_000, 3_000].map((after_ms) => noon_ms + after_ms);
      const fresh = moments.map((created_at_ms, at) => newEvent(company_id, payloadOf(at), { created_at_ms }));
      const [low, middle, high] = idsOf(await append(storage, fresh));
      for (const name of filter_names) {
        const found = async (filter: EventFilter) =>
          idsOf((await storage.unitOfWork.read((tx) => tx.events.list(company_id, [filter], { limit: 9 }))).items);
        const [, value] = filterValues(name);
        const equal = name === 'event_type' ? [high, middle, low] : [middle];
        assertEqual(await found({ name, kind: 'equals', value: value! }), equal, `${name}, equal`);
        if (!filter_fields[name].range) continue;
        const [from, , to] = filterValues(name);
        const range = { name, kind: 'range' } as const;
        assertEqual(await found({ ...range, from: from!, to: value! }), [middle, low], `${name}, both ends`);
        assertEqual(await found({ ...range, from: value! }), [high, middle], `${name}, from a value on`);
        assertEqual(await found({ ...range, to: value! }), [middle, low], `${name}, up to a value`);
        assertEqual(await found({ ...range, from: to!, to: to! }), [high], `${name}, one value`);
      }
    }),
    rule('a filter finds exactly the events that meet it, newest first, on pages of any size', async (storage) => {
      const companies = [await newCompany(storage), await newCompany(storage), await newCompany(storage)];
      const list = (company_id: number, filters: readonly EventFilter[], page: PageRequest) =>
        storage.unitOfWork.read((tx) => tx.events.list(company_id, filters, page));
      const events: Event[] = [];
      const property = fc.asyncProperty(
        fc.array(fc.record({ company: fc.nat({ max: 2 }), details: eventDetails }), { minLength: 1, maxLength: 60 }),
        fc.array(fc.array(eventFilter, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        async (more, searches, limit, does_later_work) => {
          const fresh = more.map(({ company, details: { payload, ...changes } }) =>
            newEvent(companies[company]!, payload, changes),
          );
          events.push(...(await append(storage, fresh)));
          if (does_later_work) await storage.doLaterWork?.();
          for (const [at, filters] of searches.entries()) {
            const company_id = companies[at % companies.length]!;
            const what = `${JSON.stringify(filters)} of company ${company_id}`;
            const met = idsOf(
              events.filter((event) => event.company_id === company_id && filters.every((one) => matches(event, one))),
            ).toReversed();
            assertEqual(idsOf(await everyPage((page) => list(company_id, filters, page), limit + 40)), met, what);
            const first = await list(company_id, filters, { limit });
            assertEqual(idsOf(first.items), met.slice(0, limit), `${what}, the first page`);
            const offset = Math.floor(limit / 2);
            const skipped = await list(company_id, filters, { limit: 2, offset });
            assertEqual(idsOf(skipped.items), met.slice(offset, offset + 2), `${what} after ${offset}`);
          }
        },
      );
      await fc.assert(property, runs);
    }),
    rule('an event is found although thousands of newer events belong to another company', async (storage) => {
      const [mine, other] = [await newCompany(storage), await newCompany(storage)];
      const [event] = await append(storage, [newEvent(mine, { approval_code: 'FARBCK' })]);
      for (let at = 0; at < 5; at += 1) {
        await append(
          storage,
          Array.from({ length: 500 }, (_, id) => newEvent(other, { id, approval_code: 'FARBCK' })),
        );
      }
      const filter = { name: 'payload.approval_code', kind: 'equals', value: 'FARBCK' } as const;
      const { items, next } = await storage.unitOfWork.read((tx) => tx.events.list(mine, [filter], { limit: 2 }));
      assertEqual([idsOf(items), next], [[event!.id], null], 'the page');
    }),
    rule('filters of texts find the events of all companies, newest first', async (storage) => {
      const companies = [await newCompany(storage), await newCompany(storage)];
      const code = `of all ${companies.join()}`;
      const events: Event[] = [];
      for (let at = 0; at < 6; at += 1) {
        const of_each = companies.flatMap((company_id) =>
          Array.from({ length: 200 }, (_, number) =>
            newEvent(company_id, { approval_code: number === at ? code : `${code} ${number}`, mcc: `${number % 2}` }),
          ),
        );
        events.push(...(await append(storage, of_each)));
        await storage.doLaterWork?.();
      }
      for (const filters of [
        [{ name: 'payload.approval_code', kind: 'equals', value: code }],
        [
          { name: 'payload.approval_code', kind: 'range', from: code, to: `${code} 1` },
          { name: 'payload.mcc', kind: 'equals', value: '1' },
        ],
      ] as const) {
        const found = await everyPage(
          (page) => storage.unitOfWork.read((tx) => tx.events.list(null, filters, page)),
          7,
        );
        const met = events.filter((event) => filters.every((filter) => matches(event, filter)));
        assertEqual(idsOf(found), idsOf(met).toReversed(), JSON.stringify(filters));
      }
    }),
  ];
}

const filter_names = Object.keys(filter_fields) as FilterName[];

/** Returns a payload with a value for every filter. The values ascend over three indexes. */
function payloadOf(at: number): NewEvent['payload'] {
  const values = { integer: 10 + at, instant: `2026-05-20T12:00:0${1 + at}Z`, text: `text ${at}` };
  return Object.fromEntries(
    Object.values(filter_fields).flatMap(({ payload_key, type }) =>
      payload_key === null ? [] : [[payload_key, values[type]]],
    ),
  );
}

/** Returns the values with which a filter finds the three events of `payloadOf`. */
function filterValues(name: FilterName): readonly (string | number)[] {
  if (name === 'event_type') return Array.from({ length: 3 }, () => 'virtualcard.realtime.auths');
  const { type } = filter_fields[name];
  return [0, 1, 2].map((at) => ({ integer: 10 + at, instant: noon_ms + 1_000 * (1 + at), text: `text ${at}` })[type]);
}

const texts = ['a', 'b', 'Z', 'é', '𝄞', '12'];
const text_value = fc.constantFrom(...texts, null, undefined);
const integer_value = fc.constantFrom(-3, 0, 5, 900_000_000_000, null, undefined);
const instant_value = fc.constantFrom('2026-05-20T12:00:00Z', '2026-05-20T12:00:00.001Z', null, undefined);
const values_by_type = { integer: integer_value, instant: instant_value, text: text_value };

/** Few different values, so that filters often match events. */
const eventDetails: fc.Arbitrary<Pick<NewEvent, 'payload' | 'event_type' | 'created_at_ms'>> = fc.record({
  payload: fc
    .record(
      Object.fromEntries(
        Object.values(filter_fields).flatMap(({ payload_key, type }) =>
          payload_key === null ? [] : [[payload_key, values_by_type[type]]],
        ),
      ) as Record<string, fc.Arbitrary<unknown>>,
    )
    .map((payload) => JSON.parse(JSON.stringify(payload)) as NewEvent['payload']),
  event_type: fc.constantFrom('virtualcard.created', 'virtualcard.clearings'),
  created_at_ms: fc.constantFrom(noon_ms, noon_ms + 1, noon_ms + 2),
});

const eventFilter: fc.Arbitrary<EventFilter> = fc
  .constantFrom(...filter_names)
  .chain((name): fc.Arbitrary<EventFilter> => {
    const value = drawnValue(name);
    const equals = value.map((of) => ({ name, kind: 'equals' as const, value: of }));
    if (!filter_fields[name].range) return equals;
    const between = fc.record({ from: value, to: value }, { requiredKeys: [] });
    return fc.oneof(
      equals,
      between.map((ends) => ({ name, kind: 'range' as const, ...ends })),
    );
  });

function drawnValue(name: FilterName): fc.Arbitrary<string | number> {
  if (name === 'event_type') return fc.constantFrom('virtualcard.created', 'virtualcard.clearings', 'none');
  const { type } = filter_fields[name];
  if (type === 'text') return fc.constantFrom(...texts, 'none');
  return type === 'integer'
    ? fc.constantFrom(-3, 0, 5, 900_000_000_000, 7)
    : fc.constantFrom(noon_ms, noon_ms + 1, noon_ms - 1);
}

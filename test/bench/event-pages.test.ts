import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventFilter } from '@tallystick/events';
import { database_names, full_run } from '@tallystick/test-support';
import { filledDatabase } from './filled-database.ts';

const started_ms = 1_700_000_000_000;
/** In the long run, more events before the date match than a call has arguments: 120,000. */
const events_before = full_run ? 150_000 : 10_000;
const events = events_before + 20_000;

for (const name of database_names) {
  test(`a page of all events before a date has the newest of them, alone and with common values, on ${name}`, async (t) => {
    const database = await filledDatabase(name, { cards: 10, authorizations: 0, events });
    t.after(() => database.dispose());
    const before_date: EventFilter = {
      name: 'created_at',
      kind: 'range',
      to: started_ms + events_before * 1_000,
    };
    // The blocks of these values are longer than what a search reads of them first.
    const common: EventFilter[] = [
      { name: 'payload.mcc_description', kind: 'equals', value: 'Eating places' },
      { name: 'payload.financial_network_code', kind: 'range', from: 'MC', to: 'MD' },
    ];
    const expected = (matches: (number: number) => boolean) =>
      Array.from({ length: events_before }, (_, at) => events_before - at)
        .filter((number) => number % 10 !== 0 && matches(number))
        .slice(0, 50);
    const find = async (filters: readonly EventFilter[]) => {
      const { items } = await database.persistence.unitOfWork.read((tx) => tx.events.list(1, filters, { limit: 50 }));
      return items.map(({ id }) => id);
    };
    assert.deepEqual(
      await find([before_date]),
      expected(() => true),
    );
    assert.deepEqual(
      await find([before_date, ...common]),
      expected((number) => number % 100_000 !== 1),
    );
    assert.deepEqual(
      await find([before_date, ...common, { name: 'payload.mcc', kind: 'equals', value: '5812' }]),
      expected((number) => number % 100_000 !== 1 && (number % 3 === 0 || number % 800 === 812 % 800)),
    );
  });
}

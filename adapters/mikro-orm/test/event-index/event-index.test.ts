import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { EventFilter, NewEvent } from '@tallystick/events';
import { connect } from '../../src/connection/connection.ts';
import type { Persistence } from '../../src/index.ts';
import { type Fixture, noon_ms, onEveryDatabase } from '../contract/fixture.ts';
import { run } from '../ledger-fixture.ts';

/** As in the fixture. */
const segment_size = 16;

let next_company_id = 100;

function newEvents(company_id: number, count: number, mcc: string): NewEvent[] {
  return Array.from({ length: count }, () => ({
    company_id,
    event_type: 'virtualcard.realtime.auths',
    payload: { mcc },
    previous: null,
    created_at_ms: noon_ms,
    request_id: null,
  }));
}

async function append({ unitOfWork }: Pick<Persistence, 'unitOfWork'>, events: readonly NewEvent[]) {
  return (await unitOfWork.run((tx) => tx.events.append(events))).map(({ id }) => id);
}

async function find({ unitOfWork }: Pick<Persistence, 'unitOfWork'>, company_id: number, mcc: string) {
  const filter: EventFilter = { name: 'payload.mcc', kind: 'equals', value: mcc };
  const { items } = await unitOfWork.read((tx) => tx.events.list(company_id, [filter], { limit: 1_000 }));
  return items.map(({ id }) => id).toReversed();
}

/** Executes a statement on a connection of its own. */
async function execute({ database }: Fixture, sql: string): Promise<readonly Record<string, unknown>[]> {
  const connection = await connect(database);
  try {
    return await run(connection, sql);
  } finally {
    await connection.close();
  }
}

const blocksOf = (fixture: Fixture) =>
  execute(fixture, 'select * from tallystick_event_filter_blocks order by range_size, from_id, field, first_key');

onEveryDatabase('the index of event filters', (fixture, name) => {
  it('has at most one full segment left when a writer of events returns', async () => {
    const { persistence } = fixture();
    const company_id = next_company_id++;
    for (const count of [1, segment_size, 3, 40 * segment_size, segment_size - 1, 2 * segment_size]) {
      await append(persistence, newEvents(company_id, count, '1'));
      const left = await persistence.event_index.unindexedSegments();
      assert(left <= 1, `${left} segments are left after ${count} events`);
    }
    await persistence.event_index.run();
    assert.equal(await persistence.event_index.unindexedSegments(), 0);
  });

  it('does not keep a writer waiting for a single full segment', async () => {
    const { persistence } = fixture();
    const company_id = next_company_id++;
    await persistence.event_index.run();
    const ids: number[] = [];
    do {
      ids.push(...(await append(persistence, newEvents(company_id, 1, 'full'))));
    } while ((ids.at(-1)! + 1) % segment_size !== 0);
    assert.equal(await persistence.event_index.unindexedSegments(), 1);
    await persistence.event_index.run();
    assert.equal(await persistence.event_index.unindexedSegments(), 0);
    assert.deepEqual(await find(persistence, company_id, 'full'), ids);
  });

  it('merges segments into volumes, and keeps no block of a merged segment', async () => {
    const { persistence } = fixture();
    const company_id = next_company_id++;
    const ids = await append(persistence, newEvents(company_id, 20 * segment_size, '1'));
    await persistence.event_index.run();
    const [state] = await execute(fixture(), 'select indexed_below, merged_below from tallystick_event_index');
    const { indexed_below, merged_below } = state as Record<string, number>;
    assert(indexed_below! > ids.at(-1)! - segment_size && merged_below! > indexed_below! - 4 * segment_size);
    for (const { range_size, from_id } of await blocksOf(fixture())) {
      assert.equal(range_size === segment_size, Number(from_id) >= merged_below!, `block ${range_size} at ${from_id}`);
    }
    assert.deepEqual(await find(persistence, company_id, '1'), ids);
  });

  it('is the same when two processes build it at the same time', async () => {
    const { persistence } = fixture();
    const others = [await fixture().another(), await fixture().another()];
    const company_id = next_company_id++;
    const ids: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      ids.push(...(await append(persistence, newEvents(company_id, 2 * segment_size - 1, String(round % 2)))));
      await Promise.all([persistence, ...others].map(({ event_index }) => event_index.run()));
    }
    // A process may have returned because another one was working.
    await persistence.event_index.run();
    assert.equal(await persistence.event_index.unindexedSegments(), 0);
    const found = [...(await find(persistence, company_id, '0')), ...(await find(persistence, company_id, '1'))];
    assert.deepEqual(
      found.toSorted((a, b) => a - b),
      ids,
    );
  });

  it('is built again after a process has died while it wrote a segment', async () => {
    const { persistence } = fixture();
    const company_id = next_company_id++;
    const ids: number[] = [];
    const appendAndIndex = async (segments: number) => {
      ids.push(...(await append(persistence, newEvents(company_id, segments * segment_size, '1'))));
      await persistence.event_index.run();
      const [state] = await execute(fixture(), 'select indexed_below, merged_below from tallystick_event_index');
      return state as { readonly indexed_below: number; readonly merged_below: number };
    };
    let state = await appendAndIndex(20);
    if (state.indexed_below === state.merged_below) state = await appendAndIndex(1);
    const before = await blocksOf(fixture());
    // A process that dies leaves some of the blocks, and the state of before.
    const last = state.indexed_below - segment_size;
    await execute(
      fixture(),
      `delete from tallystick_event_filter_blocks where range_size = 16 and from_id = ${last} and field > 9`,
    );
    await execute(fixture(), `update tallystick_event_index set indexed_below = ${last}`);
    const next = await fixture().another();
    assert.deepEqual(await find(next, company_id, '1'), ids);
    if (name === 'postgres')
      await execute(fixture(), `delete from tallystick_event_filter_blocks where from_id = ${last}`);
    await next.event_index.run();
    assert.deepEqual(await find(next, company_id, '1'), ids);
    assert.deepEqual(await blocksOf(fixture()), before);
  });

  if (name === 'sqlite') return;

  it('never misses an event whose transaction drew its id before its segment was full, and commits after', async (t) => {
    const { persistence } = fixture();
    const other = await fixture().another();
    const company_id = next_company_id++;
    await append(persistence, newEvents(company_id, segment_size, '1'));
    const drawn = Promise.withResolvers<number>();
    const commit = Promise.withResolvers<void>();
    t.after(() => commit.resolve());
    const late = persistence.unitOfWork.run(async (tx) => {
      const [event] = await tx.events.append(newEvents(company_id, 1, 'late'));
      drawn.resolve(event!.id);
      await commit.promise;
    });
    const id = await drawn.promise;
    // These writers also try to index, and return although the transaction stays open.
    for (let round = 0; round < 3; round += 1) await append(other, newEvents(company_id, 2 * segment_size, '1'));
    await other.event_index.run();
    await persistence.event_index.run();
    const [state] = await execute(fixture(), 'select indexed_below from tallystick_event_index');
    assert(Number(state?.indexed_below) <= id, 'the segment of an open transaction was indexed');
    assert((await other.event_index.unindexedSegments()) > 2);
    assert.deepEqual(await find(other, company_id, 'late'), []);
    commit.resolve();
    await late;
    assert.deepEqual(await find(other, company_id, 'late'), [id]);
    // The writer may be indexing since its commit, and the other one returns early then.
    await persistence.event_index.run();
    await other.event_index.run();
    assert.equal(await other.event_index.unindexedSegments(), 0);
    assert.deepEqual(await find(other, company_id, 'late'), [id]);
  });

  it('does not wait for a transaction that writes no events', async (t) => {
    const { persistence } = fixture();
    const company_id = next_company_id++;
    const begun = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    t.after(() => commit.resolve());
    const open = persistence.unitOfWork.run(async (tx) => {
      await tx.sandbox_clock.read();
      begun.resolve();
      await commit.promise;
    });
    await begun.promise;
    const other = await fixture().another();
    await append(other, newEvents(company_id, 2 * segment_size, '1'));
    await other.event_index.run();
    assert.equal(await other.event_index.unindexedSegments(), 0);
    commit.resolve();
    await open;
  });
});

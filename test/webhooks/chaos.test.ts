/**
 * Each committed event reaches each subscriber, even when processes are killed and servers are
 * emptied or restarted. A delivery that the receiver took is sent again only if a process died
 * between the receiver's answer and its record; these repetitions are counted and printed.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type LocalPostgres,
  type LocalRedis,
  long_run,
  migratedDatabase,
  own_servers_expected,
  type Received,
  readRows,
  repeatableRandom,
  type ServerProcess,
  send,
  startLocalPostgres,
  startLocalRedis,
  startServer,
  type TlsReceiver,
  test_seed,
  tlsReceiver,
} from '@tallystick/test-support';
import { authorize, type Card, issue, purchase } from '../end-to-end/purchases.ts';
import { moveClock } from './company.ts';

/** The number of events; about half of them have two deliveries. */
const events_min = long_run ? 2_000 : 150;
const callers = 8;
const resets_per_hundred = 20;
/** Stored names of the events to which each endpoint subscribes. */
const subscriptions = {
  '/all': ['virtualcard.created', 'virtualcard.realtime.auths'],
  '/auths': ['virtualcard.realtime.auths'],
};
/** The company of the sandbox makes all events. */
const company_key = 'client';

/** A delivery as the receiver got it, by its stable id. */
interface Arrival {
  readonly delivery_id: number;
  readonly path: string;
  readonly event_id: number;
  readonly sequence: number;
  readonly at_ms: number;
  /** When the connection of the request was accepted. */
  readonly connected_ms: number;
}

/** When a sending process was killed, and when its end was certain. */
interface Crash {
  readonly begun_ms: number;
  readonly ended_ms: number;
}

type DatabaseAt = Parameters<typeof readRows>[0];

/**
 * A failure that the test causes; resolves when the affected parts run again. `answered` resolves
 * when the receiver next takes a delivery.
 */
type Fault = (answered: () => Promise<void>) => Promise<void>;

/** An installation, and the failures that the test causes in it. */
interface Stage {
  readonly database: DatabaseAt;
  /** The address for requests; it changes when the server is started again. */
  url(): string;
  readonly faults: readonly Fault[];
  /** The crashes of sending processes. */
  readonly crashes: readonly Crash[];
  output(): string;
}

/** Registers work to do after the tests of a stage, the last first, even if they failed. */
type Release = (work: () => Promise<unknown>) => void;

/** How long after a crash the receiver may still answer requests that were sent before it. */
const answering_ms_max = 10_000;

/**
 * After this time another process may send a delivery whose result could not be recorded: a claim
 * lasts 30 s.
 */
const unrecorded_ms_max = 15_000;

/** How often a condition is looked at. Requests to a server that is down take the time of its start. */
const look_every_ms = 100;

/** The longest wait for anything. After it the test fails, and reports what it waited for. */
const patience_ms = 300_000;

describe('a server killed under deliveries, the embedded queue, SQLite', () => rules(embeddedStage));

if (own_servers_expected) {
  describe('every part broken in turn, Bull and Postgres', () => rules(wholeStage));
}

function rules(open: (release: Release) => Promise<Stage>): void {
  let stage: Stage;
  const releases: (() => Promise<unknown>)[] = [];
  let receiver: TlsReceiver;
  /** Deliveries that the receiver took: answered with 200. */
  const arrivals: Arrival[] = [];
  const answered_waiters: (() => void)[] = [];
  const random = repeatableRandom(test_seed);
  let resets = 0;
  let cards: readonly Card[] = [];
  let asked = 0;

  function answer(request: Received, response: ServerResponse, socket: Socket): void {
    if (random.below(100) < resets_per_hundred) {
      resets += 1;
      receiver.reset(socket);
      return;
    }
    response.writeHead(200).end(() => {
      arrivals.push({
        delivery_id: Number(request.headers['webhook-id']),
        path: request.path,
        event_id: JSON.parse(request.body).data['event-id'],
        sequence: Number(request.headers['x-webhook-sequence']),
        at_ms: performance.now(),
        connected_ms: request.connected_ms,
      });
      for (const resolve of answered_waiters.splice(0)) resolve();
    });
  }

  const answered = (): Promise<void> => new Promise((resolve) => answered_waiters.push(resolve));

  before(async () => {
    receiver = await tlsReceiver(answer);
    stage = await open((work) => releases.unshift(work));
    await moveClock(stage.url(), { set: '2099-03-15T10:00:00Z' });
    for (const [path, event_type_ids] of [
      ['/all', [1]],
      ['/auths', [10]],
    ] as const) {
      const body = { data: { callback_url: receiver.origin + path, event_type_ids } };
      const made = await send(stage.url(), 'POST', '/v1/webhooks', { key: company_key, body });
      assert.equal(made.status, 200, made.text);
    }
    const data = { total_card_amount: 100_000_000, per_transaction_max: 1_000 };
    cards = await Promise.all(Array.from({ length: 4 }, () => issue(stage.url(), data)));
  });
  after(async () => {
    for (const work of releases) await work();
    await receiver?.close();
  });

  it('delivers every event to every subscriber', async (t) => {
    t.diagnostic(`connections are reset by seed ${test_seed}`);
    const rounds = stage.faults.length + 1;
    for (let round = 0; round < rounds; round += 1) {
      const fault = stage.faults[round];
      const before_it = arrivals.length;
      const share = Math.ceil(events_min / rounds);
      const load = produce(asked + share);
      if (fault !== undefined) {
        // In the middle: some of this round's deliveries are done, others are in progress, and
        // others are not yet made.
        await until('a third of the round', () => arrivals.length >= before_it + share / 3);
        await fault(answered);
      }
      await load;
    }
    await deliverAll();

    const events = await readRows<{ id: number; event_type: string }>(
      stage.database,
      'select id, event_type from tallystick_events order by id',
    );
    assert.ok(events.length >= events_min, `${events.length} events`);
    for (const [path, event_types] of Object.entries(subscriptions)) {
      const event_ids = events.filter(({ event_type }) => event_types.includes(event_type)).map(({ id }) => id);
      const came = new Set(arrivals.filter((one) => one.path === path).map(({ event_id }) => event_id));
      const missing = event_ids.filter((id) => !came.has(id));
      assert.deepEqual(missing, [], `missing at ${path}:\n${stage.output()}`);
      assert.equal(came.size, event_ids.length, 'only committed events arrive');
    }
    t.diagnostic(`${events.length} events, ${arrivals.length} taken by the receiver, ${resets} connections reset`);
  });

  it('sends a taken delivery again only after a crash between the answer and its record', async (t) => {
    const attempts = await readRows<{ delivery_id: number; status: number | null }>(
      stage.database,
      'select delivery_id, status from tallystick_delivery_attempts',
    );
    const recorded = new Map<number, number>();
    for (const { delivery_id, status } of attempts) {
      if (status === 200) recorded.set(delivery_id, (recorded.get(delivery_id) ?? 0) + 1);
    }
    let duplicates = 0;
    for (const [delivery_id, its] of Map.groupBy(arrivals, (one) => one.delivery_id)) {
      assert.equal(recorded.get(delivery_id), 1, `delivery ${delivery_id} is recorded as taken once`);
      for (const [place, again] of its.entries()) {
        const earlier = its[place - 1];
        if (earlier === undefined) continue;
        duplicates += 1;
        assert.ok(
          stage.crashes.some((crash) => fellBetween(crash, earlier, again)),
          `delivery ${delivery_id} was sent again without a crash`,
        );
      }
    }
    t.diagnostic(`${duplicates} deliveries sent again over ${stage.crashes.length} crashes`);
  });

  it('numbers the deliveries of each webhook without a gap', () => {
    for (const path of ['/all', '/auths']) {
      const numbers = [...new Set(arrivals.filter((one) => one.path === path).map(({ sequence }) => sequence))];
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        numbers.map((_, place) => place + 1),
      );
    }
  });

  /** Callers make events until this number was requested, whatever the state of the server. */
  async function produce(asked_max: number): Promise<void> {
    const caller = async (): Promise<void> => {
      while (asked < asked_max) {
        asked += 1;
        const number = asked;
        await persistently(() =>
          number % 2 === 0
            ? authorize(stage.url(), purchase(cards[number % cards.length]!.card_number, 100))
            : issue(stage.url(), { total_card_amount: number }),
        );
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
  }

  /**
   * Moves the clock until no delivery is pending, and retries the deliveries that failed five
   * times.
   */
  async function deliverAll(): Promise<void> {
    const until_ms = performance.now() + patience_ms;
    for (;;) {
      assert.ok(performance.now() < until_ms, `not everything was delivered:\n${stage.output()}`);
      await moveClock(stage.url(), { advance: 'PT40M' });
      const [row] = await readRows<{ pending: number; outbox: number; failed: number }>(
        stage.database,
        `select (select count(*) from tallystick_deliveries where state = 'pending') as pending,
          (select count(*) from tallystick_event_outbox) as outbox,
          (select count(*) from tallystick_deliveries where state = 'failed') as failed`,
      );
      const { pending, outbox, failed } = row!;
      if (pending + outbox + failed === 0) return;
      if (pending + outbox > 0) continue;
      for (const id of [1, 2]) {
        const body = { data: { since: '2099-01-01T00:00:00Z' } };
        const again = await send(stage.url(), 'POST', `/v1/webhooks/${id}/recover`, { key: company_key, body });
        assert.equal(again.status, 200, again.text);
      }
    }
  }
}

/**
 * Returns whether a crash explains the repetition. A dead process sends nothing: its requests
 * arrived on a connection from before the crash, even if the receiver answered later.
 */
function fellBetween(crash: Crash, earlier: Arrival, again: Arrival): boolean {
  const sent_before = earlier.connected_ms < crash.ended_ms && earlier.at_ms < crash.ended_ms + answering_ms_max;
  return sent_before && crash.begun_ms < again.at_ms;
}

async function embeddedStage(release: Release): Promise<Stage> {
  const database = await migratedDatabase('sqlite');
  release(() => database.dispose());
  const crashes: Crash[] = [];
  const outputs: string[] = [];
  const start = async () => {
    const started = await startServer({ database_url: database.database_url });
    release(() => started.kill());
    return started;
  };
  let server = await start();
  const kill: Fault = async () => {
    const begun_ms = performance.now();
    await server.kill();
    crashes.push({ begun_ms, ended_ms: performance.now() });
    outputs.push(server.output());
    server = await start();
  };
  return {
    database,
    url: () => server.url,
    faults: [kill, (answered) => answered().then(() => kill(answered))],
    crashes,
    output: () => [...outputs, server.output()].join('\n'),
  };
}

/** An API process and two workers on separate Postgres and Redis servers. */
async function wholeStage(release: Release): Promise<Stage> {
  const crashes: Crash[] = [];
  const outputs: string[] = [];
  const postgres: LocalPostgres = await startLocalPostgres();
  release(() => postgres.stop());
  const redis: LocalRedis = await startLocalRedis();
  release(() => redis.stop());
  const start = async (ROLE: string) => {
    const started = await startServer({ database_url: postgres.url, env: { ROLE, REDIS_URL: redis.url } });
    release(() => started.kill());
    return started;
  };
  let api = await start('api');
  let workers: readonly ServerProcess[] = await Promise.all([start('worker'), start('worker')]);

  const replace = async (role: string, dead: ServerProcess): Promise<ServerProcess> => {
    const begun_ms = performance.now();
    await dead.kill();
    crashes.push({ begun_ms, ended_ms: performance.now() });
    outputs.push(dead.output());
    return await start(role);
  };
  const killApi: Fault = async () => {
    api = await replace('api', api);
  };
  /** The moment when the receiver has answered, whichever worker received the answer. */
  const killWorkers: Fault = async (answered) => {
    await answered();
    workers = await Promise.all(workers.map((worker) => replace('worker', worker)));
  };
  const restartPostgres: Fault = async () => {
    const begun_ms = performance.now();
    await postgres.restart();
    const ended_ms = performance.now();
    if (ended_ms - begun_ms > unrecorded_ms_max) crashes.push({ begun_ms, ended_ms });
  };
  return {
    database: { name: 'postgres', database_url: postgres.url },
    url: () => api.url,
    faults: [killApi, killWorkers, () => redis.flush(), () => redis.restart(), restartPostgres],
    crashes,
    output: () => [...outputs, ...[api, ...workers].map((one) => one.output())].join('\n'),
  };
}

/** Repeats the request until the answer is 200, because the server or its database may be down. */
async function persistently(ask: () => Promise<unknown>): Promise<void> {
  await until('an answer', async () => {
    try {
      const reply = await ask();
      return (
        !(reply instanceof Object && 'status' in reply && typeof reply.status === 'number') || reply.status === 200
      );
    } catch {
      return false;
    }
  });
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const until_ms = performance.now() + patience_ms;
  while (!(await isSo())) {
    assert.ok(performance.now() < until_ms, `waited ${patience_ms} ms for ${what}`);
    await delay(look_every_ms);
  }
}

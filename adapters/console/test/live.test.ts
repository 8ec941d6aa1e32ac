import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { createLive, type KnownEvents } from '../src/live/live.ts';
import type { NewsEvent } from '../src/ports.ts';

/** Live answers, with what each of their ports was asked, and timers that run when they are moved on. */
function openLive() {
  const asked = { news: 0, sessions: [] as (readonly string[])[] };
  const ended = new Set<string>();
  const stop = new AbortController();
  const due = new Map<symbol, { readonly at_ms: number; readonly run: () => void }>();
  let now_ms = 0;
  let listener: ((event: NewsEvent) => void) | null = null;
  let is_database_up = true;
  const errors: string[] = [];
  const live = createLive({
    news(hear) {
      asked.news += 1;
      listener = hear;
      return () => {
        listener = null;
      };
    },
    async openSessions(tokens) {
      asked.sessions.push(tokens);
      if (!is_database_up) throw new Error('the database is away');
      return new Set(tokens.filter((token) => !ended.has(token)));
    },
    timers: {
      ...machine_timers,
      after(ms, run) {
        const key = Symbol();
        due.set(key, { at_ms: now_ms + ms, run });
        return () => void due.delete(key);
      },
    },
    stop: stop.signal,
    log: { error: (_, message) => errors.push(message) },
  });

  /** Opens the answer of a visitor, lists what is known, and reads the answer. */
  function listen(
    visitor: string,
    session: string | null = visitor,
    list = (): KnownEvents => ({ newest_id: 0, missed: [] }),
  ) {
    const here = { is_gone: false, is_over: false, text: '' };
    const isGone = () => here.is_gone;
    const opened = live.open({ visitor, session, company_id: 1, isGone });
    assert.ok(opened?.answer.body, 'no answer');
    const read = async (): Promise<void> => {
      for await (const chunk of opened.answer.body!.pipeThrough(new TextDecoderStream())) here.text += chunk;
      here.is_over = true;
    };
    void read();
    opened.begin(list());
    return here;
  }

  /** Moves the timers on, in order, and lets what they begin come to its end. */
  async function pass(ms: number): Promise<void> {
    const until_ms = now_ms + ms;
    for (;;) {
      const next = [...due].filter(([, one]) => one.at_ms <= until_ms).sort(([, a], [, b]) => a.at_ms - b.at_ms)[0];
      if (next === undefined) break;
      const [key, { at_ms, run }] = next;
      due.delete(key);
      now_ms = at_ms;
      run();
      await settled();
    }
    now_ms = until_ms;
  }

  return {
    asked,
    ended,
    errors,
    listen,
    lookSoon: () => live.lookSoon(),
    pass,
    happen: (event: NewsEvent) => listener?.(event),
    isListening: () => listener !== null,
    loseDatabase() {
      is_database_up = false;
    },
  };
}

/** What is read of a stream arrives after several turns. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await machine_timers.nextTurn();
}

const bought: NewsEvent = { id: 8, company_id: 1, event_type: 'virtualcard.realtime.auths', payload: { vcn_id: 3 } };

describe('the open pages of one process', () => {
  it('share one listener, and one look at their sessions with each heartbeat', async () => {
    const world = openLive();
    const pages = Array.from({ length: 200 }, (_, at) => world.listen(`visitor ${at}`));
    await world.pass(60_000);
    assert.equal(world.asked.news, 1);
    assert.deepEqual(
      world.asked.sessions.map((tokens) => tokens.length),
      [200, 200, 200, 200],
    );
    world.happen(bought);
    await world.pass(500);
    for (const page of pages) {
      assert.match(page.text, /\n\nid: 8\nevent: news\ndata: \{"event":\[8\],"card-3":\[8\]\}\n\n$/);
    }
    assert.equal(world.asked.sessions.length, 4, 'an event needs no look');
  });

  it('get something every 15 s, so that no proxy ends them, and ask nothing for a host', async () => {
    const world = openLive();
    const page = world.listen('of a host', null, () => ({ newest_id: 7, missed: [] }));
    await world.pass(45_000);
    assert.equal(page.text, `retry: 3000\nid: 7\nevent: at\ndata: 7\n\n${':\n\n'.repeat(3)}`);
    assert.deepEqual(world.asked.sessions, []);
  });

  it('hear once what happens while it is listed what they have missed', async () => {
    const world = openLive();
    const page = world.listen('anna', 'anna', () => {
      world.happen(bought);
      return { newest_id: 8, missed: [bought] };
    });
    await world.pass(500);
    assert.match(page.text, /\n\nid: 8\nevent: news\ndata: \{"event":\[8\],"card-3":\[8\]\}\n\n$/);
  });

  it('end with their session, and others go on', async () => {
    const world = openLive();
    const [ended, other] = [world.listen('anna'), world.listen('otto')];
    world.ended.add('anna');
    await world.pass(15_000);
    assert.deepEqual([ended.is_over, other.is_over], [true, false]);
  });

  it('end soon after a form that ended their session, with one look for many forms', async () => {
    const world = openLive();
    world.lookSoon();
    const [ended, other] = [world.listen('anna'), world.listen('otto')];
    world.ended.add('anna');
    for (let form = 0; form < 100; form += 1) world.lookSoon();
    await world.pass(500);
    assert.deepEqual([ended.is_over, other.is_over, world.asked.sessions.length], [true, false, 1]);
    world.ended.add('otto');
    world.lookSoon();
    await world.pass(500);
    assert.deepEqual([other.is_over, world.asked.sessions.length], [true, 2]);
  });

  it('go on while the database is away', async () => {
    const world = openLive();
    const page = world.listen('anna');
    world.loseDatabase();
    await world.pass(15_000);
    assert.deepEqual([page.is_over, world.errors], [false, ['the sessions of open pages were not read']]);
    assert.match(page.text, /:\n\n$/);
  });

  it('end after five minutes or when their browser has left, and nothing listens then', async () => {
    const world = openLive();
    const [left, kept] = [world.listen('anna'), world.listen('otto')];
    left.is_gone = true;
    await world.pass(15_000);
    assert.deepEqual([left.is_over, kept.is_over], [true, false]);
    await world.pass(284_000);
    assert.deepEqual([kept.is_over, world.isListening()], [false, true]);
    await world.pass(1_000);
    assert.deepEqual([kept.is_over, world.isListening()], [true, false]);
    const looks = world.asked.sessions.length;
    await world.pass(60_000);
    assert.equal(world.asked.sessions.length, looks);
  });
});

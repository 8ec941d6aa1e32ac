import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listAuthorizations, listClearings, readCard } from '@tallystick/cards';
import { createAccountAccessConsent } from '@tallystick/consents';
import { createWebhook, recordForeignEvent, relayEvents } from '@tallystick/events';
import { machine_timers, type RetentionKind, type RowArchive, sealAuditLog } from '@tallystick/kernel';
import { changeRows, database_names, readRows } from '@tallystick/test-support';
import { archiveFiles } from '../../src/background/archive-files.ts';
import { retentionJob } from '../../src/background/retention.ts';
import { default_settings } from '../../src/composition/default-settings.ts';
import { day_ms, type RetentionWorld, retentionWorld, start_ms, vault } from './retention-world.ts';

const for_ever = {
  delivery_attempts: null,
  deliveries: null,
  events: null,
  clearings: null,
  authorizations: null,
  mails: null,
  consents: null,
  audit_entries: null,
} satisfies Record<RetentionKind, null>;

/** Runs the job of a server until nothing is left, and returns how many rows it counted. */
async function purge(
  world: RetentionWorld,
  kept_days: Partial<Record<RetentionKind, number | null>>,
  archive: RowArchive | null = archiveFiles(world.folder, () => '2026-05-20'),
): Promise<Partial<Record<RetentionKind, number>>> {
  const counts: Partial<Record<RetentionKind, number>> = {};
  const job = retentionJob({
    kept_days: { ...for_ever, ...kept_days },
    persistence: world.persistence,
    archive,
    random: vault.random,
    clock: world.clock,
    timers: machine_timers,
    metrics: {
      rowsPurged(kind, count) {
        counts[kind] = (counts[kind] ?? 0) + count;
      },
    },
    logger: { info: () => undefined },
    refresh: async () => undefined,
  });
  for (let sum = -1, next = 0; next > sum; next = Object.values(counts).reduce((a, b) => a + b, 0)) {
    sum = next;
    await job.run();
  }
  return counts;
}

const order = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();

for (const name of database_names) {
  describe(`retention on ${name}`, () => {
    const open = async (t: TestContext, card: Record<string, unknown> = {}): Promise<RetentionWorld> => {
      const world = await retentionWorld(name, card);
      t.after(() => world.dispose());
      return world;
    };

    it('ends a consent that nobody authorised after 90 days, without any setting', async (t) => {
      const world = await open(t);
      const { unitOfWork } = world.persistence;
      const call = { client_id: 'budget-app', request_id: null, now_ms: start_ms };
      const body = { Data: { Permissions: ['ReadBalances', 'ReadAccountsBasic'] }, Risk: {} };
      const [awaiting, authorised] = await unitOfWork.run(async (tx) => {
        const made = async () => await createAccountAccessConsent(tx, { random: vault.random }, call, body);
        const both = [await made(), await made()] as const;
        await tx.consents.update({ ...both[1], status: 'Authorised', authorised_at_ms: start_ms });
        return both;
      });
      const left = () =>
        unitOfWork.read(async ({ consents }) =>
          (await Promise.all([awaiting, authorised].map(async (one) => await consents.find(one.consent_id)))).map(
            (found) => found !== null,
          ),
        );
      world.now_ms = start_ms + 90 * day_ms;
      await purge(world, default_settings.kept_days);
      assert.deepEqual(await left(), [true, true]);
      world.now_ms += 1;
      assert.equal((await purge(world, default_settings.kept_days)).consents, 1);
      assert.deepEqual(await left(), [false, true]);
    });

    it('deletes all attempts and finished deliveries after 30 days, and never pending ones', async (t) => {
      const world = await open(t);
      const { unitOfWork, delivery_desk } = world.persistence;
      const own = { actor: 'test', request_id: null, now_ms: start_ms, company_id: world.company_id };
      const parts = { sealer: vault.sealer, random: vault.random, url_policy: () => null };
      await unitOfWork.run(async (tx) => {
        await relayEvents(tx, start_ms, 500);
        await createWebhook(tx, parts, own, { callback_url: 'https://example.com/', event_type_ids: [1] });
        for (let number = 0; number < 1_100; number += 1)
          await recordForeignEvent(tx, own, { event_type: 'ach.status', payload: { id: number } });
      });
      while ((await unitOfWork.run((tx) => relayEvents(tx, start_ms, 500))).events > 0);
      const offers = await delivery_desk.due(start_ms, start_ms, { per_webhook: 1_500, limit: 1_500, passed_over: [] });
      const [pending_id, ...finished] = offers.map((offer) => offer.delivery_id);
      assert.equal(finished.length, 1_099);
      const lease = { token: 'lease', machine_ms: start_ms, until_machine_ms: start_ms + 30_000 };
      const orders = await delivery_desk.claim([...finished, pending_id!], start_ms, lease);
      await delivery_desk.record(
        orders.map(({ delivery, lease: token }) => {
          const is_pending = delivery.id === pending_id;
          const ended = { state: 'succeeded' as const, due_at_ms: null, finished_at_ms: start_ms };
          const round = { attempts: 1, round_started_at_ms: start_ms, round_attempts: 1 };
          return {
            delivery: { ...delivery, ...round, ...(is_pending ? {} : ended) },
            attempt: {
              delivery_id: delivery.id,
              number: 1,
              at_ms: start_ms,
              signature: '{}',
              status: is_pending ? 503 : 200,
              error: null,
              duration_ms: 1,
              excerpt: '',
              retry_after: null,
            },
            lease: token,
          };
        }),
      );
      const kept = { delivery_attempts: 30, deliveries: 30 };
      world.now_ms = start_ms + 30 * day_ms;
      assert.deepEqual(await purge(world, kept), {}, 'on the thirtieth day');
      world.now_ms += 1;
      const attempts = await readRows(world.scratch, 'select * from tallystick_delivery_attempts');
      assert.deepEqual(await purge(world, kept), { delivery_attempts: 1_100, deliveries: 1_099 });
      const left = await readRows<{ id: number; state: string }>(
        world.scratch,
        'select id, state from tallystick_deliveries',
      );
      assert.deepEqual(
        left.map(({ id, state }) => [id, state]),
        [[pending_id, 'pending']],
      );
      assert.deepEqual(order(world.archived('delivery_attempts')), order(attempts));
    });

    it('answers repeated messages as at first, and shows the same balance, after the records are reduced', async (t) => {
      const world = await open(t, { transactions_max: 9 });
      const call = { actor: 'test', request_id: null, now_ms: start_ms, company_id: world.company_id };
      const read = () =>
        world.persistence.unitOfWork.read((tx) => readCard(tx, { ...call, now_ms: world.now_ms }, world.card_id));
      const answers = [];
      const sends: (() => Promise<unknown>)[] = [
        () => world.authorize('T-cleared', { net_reference_number: 'MCCQQ12340520' }),
        () => world.authorize('T-declined', { billing_amount: 99_000_000, merchant_amount: 99_000_000 }),
        () => world.authorize('T-advice', { message_type_indicator: '0120', approval_code: 'ADVICE' }),
        () => world.authorize('T-refund', { card_holder_transaction_type_code: '20' }),
        () => world.clear('F-1', { net_reference_number: 'MCCQQ12340520' }),
      ];
      for (const sent of sends) answers.push(await sent());
      world.now_ms = start_ms + 61 * day_ms;
      const before = await read();
      const kept = { authorizations: 60, clearings: 60 };
      await purge(world, kept);
      // The holds that ended are swept by the next pass.
      assert.deepEqual(await Promise.all(sends.map((sent) => sent())), answers);
      // What had to stay is examined again a day later.
      world.now_ms += day_ms;
      await purge(world, kept);
      const unreduced = 'select id from tallystick_authorizations where reduced_at_ms is null and held = 0';
      assert.deepEqual(await readRows(world.scratch, unreduced), []);
      const again = [];
      for (const sent of sends) again.push(await sent());
      assert.deepEqual(again, answers, 'after the purge');
      const after = await read();
      assert.deepEqual(after.balance, before.balance);
      assert.equal(after.card.counters.uses, before.card.counters.uses);
      assert.equal(after.card.counters.cleared, 1_000);
      const page = { limit: 10 };
      const { unitOfWork } = world.persistence;
      const listed = await unitOfWork.read((tx) => listClearings(tx, call, world.card_id, page));
      assert.deepEqual(listed.page.items, []);
      const left = await unitOfWork.read((tx) => listAuthorizations(tx, call, world.card_id, page));
      assert.deepEqual(left.page.items, []);
      assert.equal(
        JSON.stringify(await readRows(world.scratch, 'select * from tallystick_clearings')).includes('Diner'),
        false,
      );
      const [archived] = world.archived('clearings');
      assert.equal((archived!.details as Record<string, unknown>).merchant_name, 'Diner');
      assert.deepEqual(
        world
          .archived('authorizations')
          .map(({ trace_id }) => trace_id)
          .sort(),
        ['T-advice', 'T-cleared', 'T-declined', 'T-refund'],
      );
    });

    it('lets a late clearing, a reversal and an increment find a reduced authorization', async (t) => {
      const world = await open(t, { transactions_max: 2 });
      await world.authorize('T-1', { net_reference_number: 'MCCQQ12340520' });
      world.now_ms = start_ms + 61 * day_ms;
      // A message of the card ends the hold that is over.
      await world.authorize('T-2');
      await purge(world, { authorizations: 60, clearings: 60 });
      const reduced = 'select id from tallystick_authorizations where reduced_at_ms is not null';
      assert.deepEqual(
        (await readRows<{ id: number }>(world.scratch, reduced)).map(({ id }) => id),
        [1],
      );
      const late = (await world.clear('F-late', {
        net_reference_number: 'MCCQQ12340520',
        settlement_date: '2026-07-20',
      })) as Record<string, unknown>;
      assert.deepEqual([late.class, late.match_rule, late.authorization_id], ['late', 3, 1]);
      const increment = (await world.authorize('T-1', {
        incremental: true,
        system_trace_audit_number: '2',
      })) as Record<string, unknown>;
      assert.equal(increment.decline_reason, 'G', 'it adds to no hold, so it is a third use');
      await world.authorize('T-1', { message_type_indicator: '0400' });
      const [row] = await readRows(
        world.scratch,
        'select cleared, held, authorized from tallystick_authorizations where id = 1',
      );
      assert.deepEqual({ ...row }, { cleared: 1_000, held: 0, authorized: 0 });
    });

    it('archives each row before it removes it, readable by this user only', async (t) => {
      const world = await open(t);
      for (let number = 0; number < 5; number += 1) await world.authorize(`T-${number}`);
      await world.persistence.unitOfWork.run((tx) => relayEvents(tx, start_ms, 500));
      const events = await readRows<{ id: number }>(world.scratch, 'select * from tallystick_events order by id');
      const { unitOfWork } = world.persistence;
      const { items } = await unitOfWork.run((tx) => tx.events.list(null, [], { limit: 100 }));
      const payloads = new Map(items.map(({ id, payload }) => [id, payload]));
      await sealAuditLog({ unitOfWork, mac: vault.audit_mac });
      const entries = await readRows<{ details: string }>(
        world.scratch,
        'select * from tallystick_audit_entries order by id',
      );
      world.now_ms = start_ms + 8 * day_ms;
      assert.deepEqual(await purge(world, { events: 7, audit_entries: 7 }), {
        events: events.length,
        audit_entries: entries.length,
      });
      assert.deepEqual(await readRows(world.scratch, 'select id from tallystick_events'), []);
      assert.deepEqual(await readRows(world.scratch, 'select id from tallystick_audit_entries'), []);
      assert.deepEqual(
        world.archived('events'),
        events.map((event) => ({ ...event, payload: payloads.get(event.id) })),
      );
      assert.deepEqual(
        world.archived('audit_entries'),
        entries.map((entry) => ({ ...entry, details: JSON.parse(entry.details) })),
      );
      const files = readdirSync(world.folder);
      assert.deepEqual(files.sort(), ['audit_entries-2026-05-20-1.ndjson', 'events-2026-05-20-1.ndjson']);
      for (const file of files) assert.equal(statSync(join(world.folder, file)).mode & 0o777, 0o600);
    });

    it('removes nothing when the archive fails, and continues when it works again', async (t) => {
      const world = await open(t);
      await world.authorize('T-1');
      await world.persistence.unitOfWork.run((tx) => relayEvents(tx, start_ms, 500));
      world.now_ms = start_ms + 8 * day_ms;
      const full: RowArchive = {
        write: () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })),
      };
      const count = async () => (await readRows(world.scratch, 'select id from tallystick_events')).length;
      const before = await count();
      await assert.rejects(purge(world, { events: 7 }, full), /no space/);
      assert.equal(await count(), before);
      assert.deepEqual(await purge(world, { events: 7 }), { events: before });
      assert.equal(world.archived('events').length, before);
    });

    it('loses no row when the process is killed at any point', async (t) => {
      const world = await open(t);
      const { unitOfWork } = world.persistence;
      const own = { actor: 'test', request_id: null, now_ms: start_ms, company_id: world.company_id };
      const event = { company_id: own.company_id, event_type: 'ach.status', previous: null, request_id: null };
      for (let batch = 0; batch < 9; batch += 1) {
        const events = Array.from({ length: 500 }, (_, id) => ({ ...event, payload: { id }, created_at_ms: start_ms }));
        await unitOfWork.run((tx) => tx.events.append(events));
      }
      while ((await unitOfWork.run((tx) => relayEvents(tx, start_ms, 500))).events > 0);
      const idsIn = async () =>
        (await readRows<{ id: number }>(world.scratch, 'select id from tallystick_events')).map(({ id }) => id);
      const all = await idsIn();
      const process_file = fileURLToPath(new URL('purge-process.ts', import.meta.url));
      const words = [world.scratch.database_url, world.folder, String(start_ms + 1)];
      for (const [at, word] of ['archive', 'archived', 'removed', 'done'].entries()) {
        const child = spawn(process.execPath, ['--conditions=source', process_file, ...words], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const ended = new Promise((resolve) => child.once('exit', resolve));
        for await (const line of createInterface(child.stdout)) {
          if (line === word && line !== 'done') child.kill('SIGKILL');
        }
        await ended;
        const live = await idsIn();
        const archived = new Set(world.archived('events').map(({ id }) => id));
        const lost = all.filter((id) => !live.includes(id) && !archived.has(id));
        assert.deepEqual(lost, [], `killed at ${word} (${at})`);
        // Machine time has to pass before another process takes the kind over.
        await changeRows(world.scratch, 'update tallystick_retention set lease_until_machine_ms = 0');
      }
      assert.deepEqual(await idsIn(), [], 'the last run removed the rest');
    });
  });
}

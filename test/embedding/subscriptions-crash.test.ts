import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  changeRows,
  database_names,
  long_run,
  migratedDatabase,
  readRows,
  type ScratchDatabase,
  test_seed,
  testRuns,
} from '@tallystick/test-support';
import { createKeys, createTallystick } from 'tallystick';
import { openCompany } from './hosts/host.ts';
import type { HostPlan } from './subscriptions-host.ts';

const events_count = long_run ? 10_000 : 1_000;
const kills = testRuns({ short: 3, full: 4 });
/** Cards with which each process buys. */
const cards_count = 3;
/** More than a process buys with one card before it is killed. */
const numbers_of_process = 10_000;
const host_path = fileURLToPath(new URL('subscriptions-host.ts', import.meta.url));
const root_path = fileURLToPath(new URL('../../', import.meta.url));

/** A process of the host application, and what it prints. */
interface Host {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  output: string;
  /** It writes no further event. */
  is_complete: boolean;
}

describe('SIGKILL of the host at random points, with two processes that handle events', { concurrency: true }, () => {
  for (const name of database_names) {
    describe(`on ${name}`, () => {
      let database: ScratchDatabase;
      const plans: HostPlan[] = [];
      const hosts: Host[] = [];
      /** Receives each line of each host. */
      let onLine: (host: Host, line: string) => void = () => {};
      let state = test_seed;

      before(async () => {
        database = await migratedDatabase(name);
        const { database_url } = database;
        const keys = await createKeys();
        await using tally = await createTallystick({ database: database_url, keys });
        await tally.migrate();
        const company_id = await openCompany(tally);
        const issue = async () => {
          const { cards } = tally.company(company_id);
          const { card_number } = await cards.issue({ total_card_amount: 900_000_000 }, { show_card_number: true });
          return String(card_number);
        };
        for (const place of [0, 1]) {
          const card_numbers = await Promise.all(Array.from({ length: cards_count }, issue));
          plans[place] = { database_url, keys, company_id, card_numbers, first_number: 1, events_max: events_count };
        }
        const id = name === 'sqlite' ? 'integer primary key autoincrement' : 'bigserial primary key';
        await changeRows(
          database,
          `create table effects (position ${id}, event_id bigint not null, card bigint not null, number bigint not null)`,
        );
        hosts.push(start(0), start(1));
      });
      after(async () => {
        for (const { child, exited } of hosts) {
          child.kill('SIGKILL');
          await exited;
        }
        await database?.dispose();
      });

      function start(place: number): Host {
        const plan = plans[place]!;
        plans[place] = { ...plan, first_number: plan.first_number + numbers_of_process };
        const child = spawn(process.execPath, ['--conditions=source', host_path, JSON.stringify(plan)], {
          cwd: root_path,
          stdio: ['pipe', 'pipe', 'pipe'],
        });
        const host: Host = { child, exited: once(child, 'exit'), output: '', is_complete: false };
        createInterface(child.stdout).on('line', (line) => {
          if (line === 'complete') host.is_complete = true;
          onLine(host, line);
        });
        child.stderr.on('data', (data) => {
          host.output += String(data);
        });
        return host;
      }

      /** A number from 0 up to, but without, the bound. */
      function draw(bound: number): number {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return (state >>> 8) % bound;
      }

      /** Resolves with the host that printed such a line, at that moment. */
      function nextLine(isWanted: (host: Host, line: string) => boolean): Promise<Host> {
        return new Promise((resolve, reject) => {
          onLine = (host, line) => {
            if (isWanted(host, line)) resolve(host);
          };
          for (const host of hosts) {
            void host.exited.then(() => {
              if (hosts.includes(host)) reject(new Error(`a host ended: ${host.output}`));
            });
          }
        });
      }

      it('each effect of a handler is there exactly once, and the order of each card is kept', async () => {
        for (let kill = 1; kill <= kills; kill += 1) {
          const from = Math.floor((kill * events_count) / (kills + 1));
          await nextLine((_, line) => line.startsWith('written ') && Number(line.slice('written '.length)) >= from);
          // In a call of the handler, or at a commit of a writer.
          const kind = draw(3) === 0 ? 'written' : 'call';
          let skipped = draw(4);
          const killed = await nextLine((_, line) => {
            if (!line.startsWith(kind)) return false;
            skipped -= 1;
            return skipped < 0;
          });
          killed.child.kill('SIGKILL');
          const place = hosts.indexOf(killed);
          hosts[place] = start(place);
          await killed.exited;
          // Nobody waits for the end of its lease. If the other process owns the subscription, there
          // are two owners now.
          await changeRows(database, 'update tallystick_subscriptions set lease_until_machine_ms = 0');
        }
        const effects_of_all = 'select count(*) as count from effects';
        const log = () =>
          readRows<{ id: number; payload: string }>(database, 'select id, payload from tallystick_events order by id');
        const wanted = async () => {
          if (!hosts.every(({ is_complete }) => is_complete)) return false;
          const [{ count } = { count: 0 }] = await readRows<{ count: number }>(database, effects_of_all);
          return Number(count) >= (await log()).length;
        };
        await until(wanted);
        for (const { child } of hosts) child.stdin?.end();
        const ended = hosts.splice(0);
        for (const { exited } of ended) await exited;

        const events = await log();
        const effects = await readRows<{ event_id: number; card: number; number: number }>(
          database,
          'select event_id, card, number from effects order by position',
        );
        assert.ok(events.length >= events_count, `${events.length} events`);
        assert.deepEqual(
          effects.map(({ event_id }) => Number(event_id)),
          events.map(({ id }) => Number(id)),
          'the effects are not those of the log, each once',
        );
        const of_purchases = Map.groupBy(
          effects.filter(({ card }) => Number(card) !== 0),
          ({ card }) => Number(card),
        );
        assert.equal(of_purchases.size, 2 * cards_count);
        for (const [card, of_card] of of_purchases) {
          const numbers = of_card.map(({ number }) => Number(number));
          assert.deepEqual(
            numbers,
            numbers.toSorted((one, other) => one - other),
            `the order of card ${card}`,
          );
          assert.equal(new Set(numbers).size, numbers.length, `the purchases of card ${card}`);
        }
      });

      async function until(isMet: () => Promise<boolean>): Promise<void> {
        const until_ms = performance.now() + 120_000;
        while (!(await isMet())) {
          const output = hosts.map((host) => host.output).join('\n');
          assert.ok(performance.now() < until_ms, `not every event is handled after two minutes: ${output}`);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    });
  }
});

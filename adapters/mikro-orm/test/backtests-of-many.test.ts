import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import {
  type Authorization,
  type Backtest,
  type ControlsChange,
  type Difference,
  foldMessages,
  lookupsOf,
  type NetworkAnswer,
  type NetworkMessage,
  type PassPorts,
  type RecordedDifference,
  type RunOptions,
  runBacktests,
} from '@tallystick/cards';
import { type Clock, machine_timers, money } from '@tallystick/kernel';
import {
  changeRows,
  crashEnvironment,
  database_names,
  repeatableRandom,
  type ScratchDatabase,
  testAuditMac,
  testRuns,
} from '@tallystick/test-support';
import { mikroOrmPersistence, type Persistence } from '../src/index.ts';
import { noon_ms, plain_quarantine, seededDatabase } from './ledger-fixture.ts';
import { tickingClock } from './ticking-clock.ts';
import { Traffic } from './traffic.ts';

/** How many messages are recorded. `TALLYSTICK_TEST_RUNS=100000` for a large installation. */
const messages_count = testRuns({ short: 1_500, full: 3_000 });
const is_large = messages_count > 20_000;
const pass_max = is_large ? 400 : 50;
/** Few merchants and amounts, so that matching has to choose; more where it would choose from thousands. */
const [merchants, amount_max, cards] = is_large ? [5_000, 20_000, 20] : [40, 120, 2];
const total = amount_max * (is_large ? 2_000 : 8);
const limits = { recurring: 'Weekly', per_transaction_max: total, total_card_amount: total };
const lower = { total_card_amount: money(total / 4) };

/** A message that was recorded. */
interface Sent {
  readonly message: NetworkMessage;
  /** The id of its authorization; null: it is none. */
  readonly id: number | null;
  /** The draw of its approval code. */
  readonly draw: number;
}

/** A database that has decided messages. */
class Decided {
  readonly database: ScratchDatabase;
  readonly persistence: Persistence;
  /** What was recorded, pass by pass. */
  readonly passes: { readonly at_ms: number; readonly sent: readonly Sent[] }[] = [];
  now_ms = noon_ms;

  constructor(database: ScratchDatabase, persistence: Persistence) {
    this.database = database;
    this.persistence = persistence;
  }

  static async open(name: ScratchDatabase['name'], columns: typeof limits): Promise<Decided> {
    const database = await seededDatabase(name, cards, columns);
    const { database_url } = database;
    const clock = { nowMs: (): number => decided.now_ms };
    const decided: Decided = new Decided(
      database,
      await mikroOrmPersistence({ database_url, clock, audit_mac: testAuditMac }),
    );
    return decided;
  }

  async close(): Promise<void> {
    await this.persistence.close();
    await this.database.dispose();
  }

  /** Decides messages in one pass. `draws` are those of their approval codes; random when absent. */
  async decide(messages: readonly NetworkMessage[], draws?: readonly number[]): Promise<readonly NetworkAnswer[]> {
    let at = 0;
    const inTurn = function* () {
      for (at = 0; at < messages.length; at += 1) yield messages[at]!;
    };
    const random = { ...random_codes, ...(draws === undefined ? {} : { below: () => draws[at]! }) };
    const ports: PassPorts = { vault: { cvcMatches: () => true }, random, ...plain_quarantine };
    const answers = await this.persistence.ledger.pass(messages.flatMap(lookupsOf), (state) =>
      foldMessages(state, Object.assign([...messages], { [Symbol.iterator]: inTurn }), ports),
    );
    const sent = answers.flatMap((answer, place): Sent | [] => {
      if (answer.kind !== 'answered') return [];
      const its = 'approval_code' in answer ? answer : null;
      const draw = drawOf(its?.approval_code ?? null, messages_count * this.passes.length + place);
      return { message: messages[place]!, id: its?.item.id ?? null, draw };
    });
    this.passes.push({ at_ms: this.now_ms, sent });
    return answers;
  }

  /** All records of authorizations. */
  async rows(): Promise<ReadonlyMap<number, Authorization>> {
    const rows = new Map<number, Authorization>();
    for (let card_id = 1; card_id <= cards; card_id += 1) {
      for (let after_id = 0; ; ) {
        const page = await this.persistence.unitOfWork.read(({ backtests }) =>
          backtests.authorizationsAfter([{ card_id, after_id }], 1_000),
        );
        for (const row of page) rows.set(row.id, row);
        if (page.length === 0) break;
        after_id = page.at(-1)!.id;
      }
    }
    return rows;
  }

  async begin(change: ControlsChange): Promise<number> {
    const to_ms = this.now_ms + 1;
    const inserted = await this.persistence.unitOfWork.run(({ backtests }) =>
      backtests.insert({ ...asked, change, to_ms }),
    );
    return inserted!.id;
  }

  find(id: number): Promise<Backtest | null> {
    return this.persistence.unitOfWork.read(({ backtests }) => backtests.find(1, id));
  }

  async run(machine_clock: Clock, options?: RunOptions): Promise<void> {
    const { unitOfWork, giveWay } = this.persistence;
    const clock = { nowMs: () => this.now_ms };
    await runBacktests({ unitOfWork, giveWay, clock, machine_clock, random: repeatableRandom(5) }, options);
  }

  async backtest(change: ControlsChange): Promise<Backtest> {
    const begun_ms = machine_timers.monotonicNow();
    const id = await this.begin(change);
    await this.run(machine_timers);
    const done = (await this.find(id))!;
    const seconds = (machine_timers.monotonicNow() - begun_ms) / 1_000;
    console.log(
      `# ${this.database.name}: ${done.messages} records in ${seconds.toFixed(1)} s, ${done.differences} differences`,
    );
    return done;
  }

  /** What a backtest found. */
  async resultOf(id: number) {
    const { status, cards_done, cards_total, messages, card_messages, differences, sums } = (await this.find(id))!;
    const found = (await this.differences(id)).map(({ id: _id, ...difference }) => difference);
    return { status, cards_done, cards_total, messages, card_messages, differences, sums, found };
  }

  async differences(backtest_id: number): Promise<readonly RecordedDifference[]> {
    const found: RecordedDifference[] = [];
    for (let after: string | undefined; ; ) {
      const { items, next } = await this.persistence.unitOfWork.read(({ backtests }) =>
        backtests.differences(backtest_id, { limit: 1_000, ...(after === undefined ? {} : { after }) }),
      );
      found.push(...items);
      if (next === null) return found;
      after = next;
    }
  }
}

const process_path = fileURLToPath(new URL('backtest-process.ts', import.meta.url));

const random_codes = repeatableRandom(1);

/** The draw that makes the approval code again; without one a draw of a code that no clearing bears. */
function drawOf(code: string | null, unique: number): number {
  return code === null ? 36 ** 6 - 2 - unique : Number.parseInt(code, 36) - 1;
}

/** What is compared of a decision. */
function decided({ decline_code, details }: Authorization): readonly unknown[] {
  return [decline_code ?? 'V', details.broken_reason ?? null];
}

for (const name of database_names) {
  describe(`backtests over ${messages_count} recorded messages on ${name}`, () => {
    let recorded: Decided;
    let lowered: Backtest;

    before(async () => {
      recorded = await Decided.open(name, limits);
      const traffic = new Traffic(repeatableRandom(7), { merchants, amount_max, cards });
      for (let sent = 0; sent < messages_count; ) {
        const count = Math.min(1 + (sent % pass_max), messages_count - sent);
        const messages = Array.from({ length: count }, () => traffic.next(recorded.now_ms));
        const answers = await recorded.decide(messages);
        for (const answer of answers) if ('approval_code' in answer) traffic.noteAnswer(answer);
        sent += count;
        recorded.now_ms += traffic.moved();
      }
    });
    after(() => recorded?.close());

    it('find no difference with unchanged controls', async () => {
      const { status, cards_done, messages, differences } = await recorded.backtest({});
      assert.deepEqual({ status, cards_done, differences }, { status: 'completed', cards_done: cards, differences: 0 });
      assert.ok(messages > messages_count / 2, `only ${messages} were recorded`);
    });

    it('find with a lower limit what cards decide that have it from the beginning', async () => {
      lowered = await recorded.backtest(lower);
      const { id, status, differences } = lowered;
      assert.equal(status, 'completed');
      assert.ok(differences > 0);
      const found = await recorded.differences(id);
      assert.equal(found.length, differences);

      const fresh = await Decided.open(name, { ...limits, ...lower });
      try {
        /** The authorizations of the fresh cards by those of the record. */
        const ids = new Map<number, number>();
        for (const { at_ms, sent } of recorded.passes) {
          fresh.now_ms = at_ms;
          const messages = sent.map(({ message }) =>
            message.kind === 'release'
              ? { ...message, authorization_id: ids.get(message.authorization_id) ?? 0 }
              : message,
          );
          const draws = sent.map(({ draw }) => draw);
          const places = new Map(messages.map((message, place) => [message, place]));
          await fresh.decide(messages, draws);
          for (const { message, id } of fresh.passes.at(-1)!.sent) {
            const recorded_id = sent[places.get(message)!]!.id;
            if (id !== null && recorded_id !== null) ids.set(recorded_id, id);
          }
        }
        const fresh_rows = await fresh.rows();
        const expected = new Map<number, unknown>();
        for (const row of (await recorded.rows()).values()) {
          const made = fresh_rows.get(ids.get(row.id) ?? 0);
          const [was, is] = [decided(row), made === undefined ? null : decided(made)];
          if (!isDeepStrictEqual(was, is)) expected.set(row.id, [was, is]);
        }
        const shown = (decision: Difference['replayed']) =>
          decision === null ? null : [decision.code, decision.broken_reason];
        assert.deepEqual(
          new Map(found.map((one) => [one.authorization_id, [shown(one.recorded), shown(one.replayed)]])),
          expected,
        );
      } finally {
        await fresh.close();
      }
    });

    if (is_large) return;

    const runProcess = (env: Readonly<Record<string, string>>, seed = 1) =>
      new Promise<string | null>((resolve, reject) => {
        const words = ['--conditions=source', process_path, recorded.database.database_url, String(seed)];
        execFile(process.execPath, words, { env: { ...process.env, ...env } }, (error) => {
          if (error === null) resolve(null);
          else if (error.signal === 'SIGKILL') resolve(error.signal);
          else reject(error);
        });
      });

    it('come to the same result when their process is killed, once and again', async () => {
      const expected = await recorded.resultOf(lowered.id);
      const id = await recorded.begin(lower);
      const killed_at: number[] = [];
      for (const nth of [1, 2, 3, 4]) {
        for (const moment of ['before', 'after'] as const) {
          const signal = await runProcess(crashEnvironment({ phase: 'backtests', nth, moment }));
          assert.equal(signal, 'SIGKILL', `it is killed ${moment} commit ${nth}`);
          const { last_card_id, card_messages } = (await recorded.find(id))!;
          killed_at.push(last_card_id * 1_000_000 + card_messages);
          await changeRows(recorded.database, 'update tallystick_backtests set lease_until_machine_ms = 0');
        }
      }
      assert.ok(new Set(killed_at).size > 2, `it was killed in several places: ${killed_at}`);
      assert.equal(await runProcess({}), null);
      assert.deepEqual(await recorded.resultOf(id), expected);
    });

    it('are each done once by processes that run at the same time', async () => {
      const expected = await recorded.resultOf(lowered.id);
      const ids = [await recorded.begin(lower), await recorded.begin(lower), await recorded.begin(lower)];
      const processes = [1, 2, 3].map((seed) => runProcess({}, seed));
      assert.deepEqual(await Promise.all(processes), [null, null, null]);
      // A process ends when others have claimed what is left.
      await recorded.run(machine_timers);
      for (const id of ids) assert.deepEqual(await recorded.resultOf(id), expected);
    });

    it('stop within a card with their process, and begin the card again', async () => {
      const expected = await recorded.resultOf(lowered.id);
      const id = await recorded.begin(lower);
      for (let stops = 0; stops < 2; stops += 1) {
        const stop = new AbortController();
        await recorded.run(tickingClock(), {
          signal: stop.signal,
          onSaved: ({ card_messages }) => {
            if (card_messages > 0) stop.abort();
          },
        });
        assert.deepEqual([(await recorded.find(id))!.status, (await recorded.find(id))!.card_messages], ['running', 0]);
      }
      await recorded.run(tickingClock());
      assert.deepEqual(await recorded.resultOf(id), expected);
    });

    it('end without an error when they are deleted while they run, and nothing is left', async () => {
      const id = await recorded.begin(lower);
      const { unitOfWork } = recorded.persistence;
      let deleted: Promise<boolean> | undefined;
      await recorded.run(tickingClock(), {
        onSaved: () => {
          deleted ??= unitOfWork.run(({ backtests }) => backtests.remove(1, id));
        },
      });
      assert.equal(await deleted, true);
      for (let purged = 1; purged > 0; ) purged = await unitOfWork.run((tx) => tx.backtests.purge(0, 100));
      assert.equal(await recorded.find(id), null);
      assert.deepEqual(await recorded.differences(id), []);
    });
  });
}

const asked: Omit<Backtest, 'id' | 'change' | 'to_ms'> = {
  company_id: 1,
  vcn_id: null,
  from_ms: 0,
  status: 'pending',
  error: null,
  last_card_id: 0,
  cards_done: 0,
  cards_total: cards,
  messages: 0,
  card_messages: 0,
  differences: 0,
  sums: [],
  created_at_ms: noon_ms,
  finished_at_ms: null,
};

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { break_kinds } from '@tallystick/reconciliation';
import { migratedDatabase, readRows, type ScratchDatabase, serverEnvironment } from '@tallystick/test-support';
import { sampleFiles } from '../src/sample-files/command.ts';
import { runHere, runReconcile } from './run-command.ts';

/** A row of break-answers.csv. */
interface Answer {
  readonly break_kind: string;
  readonly amount: number;
  readonly act: string;
  /** Names of the network and of the bank. */
  readonly with: readonly string[];
  readonly records: readonly string[];
  readonly what: string;
  readonly scenario: string;
}

interface ShownItem {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly authorization_ids: readonly number[];
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
}

/** A month in a database, with the commands of the guide. */
class Month {
  readonly folder = mkdtempSync(join(tmpdir(), 'tallystick-month-'));
  readonly database: ScratchDatabase;
  readonly #env: NodeJS.ProcessEnv;
  close_through = '';

  constructor(database: ScratchDatabase) {
    this.database = database;
    this.#env = serverEnvironment(database);
  }

  async load(...words: readonly string[]): Promise<void> {
    const out: string[] = [];
    const err: string[] = [];
    const output = {
      out: (text: string) => out.push(text),
      err: (text: string) => err.push(text),
      stderr: process.stderr,
    };
    const all = [...words, '--load', '--json', '--out', join(this.folder, 'set')];
    const status = await sampleFiles(all, this.#env, output);
    assert.equal(status, 0, err.join('\n'));
    this.close_through = JSON.parse(out.join('\n')).close_through;
  }

  async importFiles(pattern: string): Promise<void> {
    const { status, out, err } = await runHere([`set/${pattern}`, '--quiet'], this.#env, this.folder);
    assert.equal(status, 0, out + err);
  }

  async reconcile(...words: readonly string[]): Promise<string> {
    const { status, out, err } = await runReconcile(words, this.#env);
    assert.equal(status, 0, `${words.join(' ')}: ${err}${out}`);
    return out;
  }

  async breaks(): Promise<readonly ShownItem[]> {
    return JSON.parse(await this.reconcile('breaks', '--limit', '1000', '--json'));
  }

  answers(): readonly Answer[] {
    const [names, ...rows] = rowsOf(readFileSync(join(this.folder, 'set', 'break-answers.csv'), 'utf8'));
    return rows.map((cells) => {
      const cell = (name: string): string => cells[names!.indexOf(name)]!;
      const namesIn = (name: string): readonly string[] =>
        cell(name)
          .split(' ')
          .filter((text) => text !== '');
      return {
        ...{ break_kind: cell('break_kind'), amount: Number(cell('amount')), act: cell('act'), what: cell('what') },
        scenario: cell('scenario'),
        with: namesIn('with'),
        records: [...namesIn('authorizations'), ...namesIn('clearings'), ...namesIn('lines')],
      };
    });
  }

  /** What the network and the bank call a record, to how `--with` names it. */
  async recordsByName(): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    const sources = [
      ['authorization', 'select id, trace_id as name from tallystick_authorizations where id = root_id'],
      ['clearing', 'select id, network_financial_transaction_id as name from tallystick_clearings'],
      ['line', 'select id, bank_reference as name from tallystick_statement_lines where statement_id is not null'],
      [
        'line',
        `select id, 'reported:' || bank_reference as name from tallystick_statement_lines where statement_id is null`,
      ],
    ] as const;
    for (const [kind, sql] of sources) {
      for (const { id, name } of await readRows<{ id: number; name: string }>(this.database, sql)) {
        names.set(name, `${kind}:${id}`);
      }
    }
    return names;
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function recordsOf({ authorization_ids, clearing_ids, line_ids }: ShownItem): string {
  return [
    ...authorization_ids.map((id) => `authorization:${id}`),
    ...clearing_ids.map((id) => `clearing:${id}`),
    ...line_ids.map((id) => `line:${id}`),
  ].join(' ');
}

/** How a person works off the breaks: each answer with the item that it is about. */
type WorkOff = (month: Month, decided: readonly (readonly [ShownItem, Answer, string])[]) => Promise<void>;

const byCommands: WorkOff = async (month, decided) => {
  for (const [{ id }, { act, what }, named] of decided) {
    const note = ['--note', what];
    if (!act.startsWith('match')) await month.reconcile(act, id, ...note);
    else if (act === 'match') await month.reconcile('match', id, '--with', named, ...note);
    else await month.reconcile('match', id, '--with', named, '--accept-difference', '--reason', what, ...note);
  }
};

/**
 * By the table that a spreadsheet saved: with semicolons, a byte order mark and all texts in
 * quotes.
 */
const byTable: WorkOff = async (month, decided) => {
  const [head, ...rows] = rowsOf(await month.reconcile('breaks', '--csv'));
  const names = [...new Set([...head!, 'with'])];
  const filled = rows.map((cells) => {
    const row = new Map(names.map((name, at) => [name, cells[at] ?? '']));
    const found = decided.find(([{ id }]) => id === row.get('id'));
    if (found === undefined) return row;
    const [, { act, what }, named] = found;
    row.set('decision', act.replace('_and_accept', '')).set('note', what);
    return row.set('with', act === 'match_and_accept' ? `${named} accept_difference` : named);
  });
  const quoted = (cells: Iterable<string>): string =>
    [...cells].map((cell) => (/^-?\d*$/.test(cell) ? cell : `"${cell.replaceAll('"', '""')}"`)).join(';');
  const table = join(month.folder, 'breaks.csv');
  const text = [quoted(names), ...filled.map((row) => quoted(row.values()))].join('\r\n');
  writeFileSync(table, `\ufeff${text}\r\n`);
  const dry = await month.reconcile('decide', table, '--dry-run', '--quiet');
  assert.match(dry, new RegExp(`\n${decided.length} decisions? can be made\n$`));
  const done = await month.reconcile('decide', table, '--quiet');
  assert.match(done, new RegExp(`\n${decided.length} decisions? made\n$`));
};

describe('docs/closing-a-month.md', () => {
  const ways = [
    { database: 'sqlite', way: 'commands', workOff: byCommands },
    { database: 'sqlite', way: 'the table', workOff: byTable },
    { database: 'postgres', way: 'the table', workOff: byTable },
  ] as const;
  for (const { database: name, way, workOff } of ways) {
    it(`closes a month of samples by ${way} (${name})`, async () => {
      const database = await migratedDatabase(name);
      const month = new Month(database);
      try {
        await month.load('--breaks', '0.3', '--records', '200', '--days', '10', '--date', '2030-03-01', '--seed', '5');
        await month.importFiles('clearings-*');
        await month.importFiles('statement-*');
        const answers = month.answers();
        assert.deepEqual(new Set(answers.map(({ break_kind }) => break_kind)), new Set(break_kinds));
        await assertBreaks(
          month,
          answers.filter(({ break_kind }) => break_kind !== 'late_change'),
        );
        await workOff(month, await answered(month, answers));
        assert.match(
          await month.reconcile('lines', '--limit', '1'),
          /^line:\d+ +2030-03-\d\d +-[\d.]+ +USD +\d{3} +\d+ +[A-Z]/m,
        );

        await assertBreaks(
          month,
          answers.filter(({ scenario }) => scenario === 'cleared_twice_by_mistake'),
        );
        await month.reconcile('close', '--through', month.close_through);
        await month.importFiles('late-clearings-*');
        await month.importFiles('late-statement-*');
        const late = answers.filter(({ break_kind }) => break_kind === 'late_change');
        assert.ok(late.length > 0);
        await assertBreaks(month, late);
        await workOff(month, await answered(month, late));

        assert.equal(await month.reconcile('breaks'), 'There are no such breaks.\n');
        assertCloses(JSON.parse(await month.reconcile('bridge', '--account', '1000000001', '--json')));
        await month.reconcile('rebuild', '--check', '--quiet');
      } finally {
        month.dispose();
        await database.dispose();
      }
    });
  }
});

/** Asserts that these are the breaks, with their kinds and records. */
async function assertBreaks(month: Month, answers: readonly Answer[]): Promise<void> {
  const names = await month.recordsByName();
  const found = (await month.breaks()).map((item) => `${item.kind} ${recordsOf(item)}`);
  const expected = answers.map(({ break_kind, records }) => `${break_kind} ${namedBy(names, records)}`);
  assert.deepEqual(found.sort(), expected.sort());
}

/** The breaks on which a person acts, each with its answer and the records of its match. */
async function answered(month: Month, answers: readonly Answer[]) {
  const names = await month.recordsByName();
  const by_records = new Map((await month.breaks()).map((item) => [recordsOf(item), item]));
  return answers.flatMap((answer) => {
    const item = by_records.get(namedBy(names, answer.records));
    return item === undefined || answer.act === 'none' ? [] : [[item, answer, namedBy(names, answer.with)] as const];
  });
}

function namedBy(names: ReadonlyMap<string, string>, records: readonly string[]): string {
  return records.map((record) => names.get(record)).join(' ');
}

interface ShownBridge {
  readonly opening_balance: number;
  readonly card_lines: number;
  readonly other_lines: number;
  readonly closing_balance: number;
  readonly clearings: number;
  readonly fees: number;
  readonly authorized: number;
  readonly difference_sums: readonly { readonly step: string; readonly sum: number }[];
  readonly unexplained_sum: number;
}

function assertCloses(bridge: ShownBridge): void {
  const named = (step: string): number =>
    bridge.difference_sums.filter((one) => one.step === step).reduce((total, { sum }) => total + sum, 0);
  assert.equal(bridge.opening_balance + bridge.card_lines + bridge.other_lines, bridge.closing_balance);
  assert.equal(bridge.card_lines, bridge.clearings + bridge.fees + named('statement') + bridge.unexplained_sum);
  assert.equal(bridge.clearings, bridge.authorized + named('authorization'));
  assert.equal(bridge.unexplained_sum, 0);
}

/** The cells of a table with commas and CRLF. */
function rowsOf(csv: string): readonly (readonly string[])[] {
  return csv
    .trimEnd()
    .split('\r\n')
    .map((row) =>
      [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
        quoted === undefined ? plain! : quoted.replaceAll('""', '"'),
      ),
    );
}

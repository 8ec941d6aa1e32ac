import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  readRows,
  type ScratchDatabase,
  serverEnvironment,
} from '@tallystick/test-support';
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
    assert.equal(status, 0, `${words.join(' ')}: ${err}`);
    return out;
  }

  async breaks(): Promise<readonly ShownItem[]> {
    return JSON.parse(await this.reconcile('breaks', '--limit', '1000', '--json'));
  }

  answers(): readonly Answer[] {
    const [head, ...rows] = readFileSync(join(this.folder, 'set', 'break-answers.csv'), 'utf8')
      .trimEnd()
      .split('\r\n');
    const names = head!.split(',');
    return rows.map((row) => {
      const cells = [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted ?? plain ?? '',
      );
      const cell = (name: string): string => cells[names.indexOf(name)]!;
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
      ['line', 'select id, bank_reference as name from tallystick_statement_lines'],
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

describe('docs/closing-a-month.md', () => {
  for (const name of database_names) {
    it(`closes a month of samples by commands (${name})`, async () => {
      const database = await migratedDatabase(name);
      const month = new Month(database);
      try {
        await month.load('--breaks', '0.3', '--records', '200', '--days', '10', '--date', '2030-03-01', '--seed', '5');
        await month.importFiles('clearings-*');
        await month.importFiles('statement-*');
        const names = await month.recordsByName();
        const answers = month.answers();
        assert.deepEqual(
          kindsOf(await month.breaks(), recordsOf),
          kindsOf(
            answers
              .filter(({ break_kind }) => break_kind !== 'late_change')
              .map((one) => ({ ...one, kind: one.break_kind })),
            ({ records }) => records.map((record) => names.get(record)).join(' '),
          ),
        );
      } finally {
        month.dispose();
        await database.dispose();
      }
    });
  }
});

function kindsOf<One extends { readonly kind: string }>(
  all: readonly One[],
  nameOf: (one: One) => string,
): readonly string[] {
  return all.map((one) => `${one.kind} ${nameOf(one)}`).sort();
}

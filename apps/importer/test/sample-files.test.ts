import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { clearing_formats } from '@tallystick/clearing-files';
import type { FileClearing, FileItem } from '@tallystick/imports';
import { statement_formats } from '@tallystick/statement-files';
import { migratedDatabase, readRows, serverEnvironment } from '@tallystick/test-support';
import { sampleFiles } from '../src/sample-files/command.ts';
import { statement_format_names, written_formats } from '../src/sample-files/write-set.ts';

const folder = mkdtempSync(join(tmpdir(), 'tallystick-sample-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly progress: string;
}

function run(...words: readonly string[]): Promise<Ran> {
  return runIn({}, ...words);
}

async function runIn(environment: NodeJS.ProcessEnv, ...words: readonly string[]): Promise<Ran> {
  const [out, err, progress]: [string[], string[], string[]] = [[], [], []];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      progress.push(String(chunk));
      done();
    },
  });
  const output = {
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
    stderr: Object.assign(stderr, { isTTY: true, columns: 120 }),
  };
  const status = await sampleFiles(words, { ...environment, INIT_CWD: folder }, output);
  return { status, out: out.join('\n'), err: err.join('\n'), progress: progress.join('') };
}

interface Answer {
  readonly kind: string;
  readonly scenario: string;
  readonly quarantine: string | null;
}

function linesOf<Line>(...path: readonly string[]): readonly Line[] {
  return readFileSync(join(folder, ...path), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

async function itemsOf(format: string, path: string): Promise<readonly FileItem[]> {
  const found = [...clearing_formats, ...statement_formats].find(({ name }) => name === format.split('-')[0]);
  assert.ok(found);
  const items: FileItem[] = [];
  for await (const batch of found.read(createReadStream(path))) items.push(...batch.items);
  return items;
}

/** What a file states of a clearing; its transaction id only where the format has one. */
function statedBy({ input }: Pick<FileClearing, 'input'>, is_synthetic: boolean) {
  const { billing_amount, billing_currency, merchant_amount, merchant_currency } = input;
  const { clearing_type, cycle, partial, settlement_date, authorization_date } = input;
  return {
    card: input.card_number ?? String(input.vcn_id),
    transaction_id: is_synthetic ? null : input.network_financial_transaction_id,
    amounts: { billing_amount, billing_currency, merchant_amount, merchant_currency },
    clearing_type,
    cycle: cycle ?? 'first_presentment',
    partial: partial ?? false,
    settlement_date,
    authorization_date,
    acquirer_ica: input.acquirer_ica,
    acquirer_reference_data: input.acquirer_reference_data ?? null,
    approval_code: input.approval_code ?? null,
    net_reference_number: input.net_reference_number ?? null,
    mcc: input.mcc,
    merchant_id: input.merchant_id,
    merchant_name: input.merchant_name,
  };
}

describe('npm run sample-files', () => {
  for (const format of written_formats) {
    it(`writes a ${format} file that states what its messages state, in the order of the answers`, async () => {
      const made = await run('--cards', '5', '--records', '400', '--format', format, '--seed', '11', '--out', format);
      assert.equal(made.status, 0, made.err);
      const answers = linesOf<Answer>(format, 'answers.jsonl').filter(({ kind }) => kind === 'clearing');
      assert.equal(answers.length, 400);
      const name = readdirSync(join(folder, format)).find((one) => one.startsWith('clearings-'));
      const items = await itemsOf(format, join(folder, format, name!));
      const records = items.filter(({ kind }) => kind === 'clearing' || kind === 'bad');
      assert.equal(records.length, 400);

      const stated: unknown[] = [];
      for (const [place, record] of records.entries()) {
        const answer = answers[place]!;
        assert.equal(record.kind === 'bad', answer.scenario === 'malformed_record', JSON.stringify(answer));
        if (record.kind !== 'clearing' || answer.quarantine === 'card_mismatch') continue;
        stated.push(statedBy(record, record.synthetic_id));
      }
      const is_synthetic = format === 'ipm';
      const messages = linesOf<FileClearing['input']>(format, 'clearings.jsonl');
      assert.deepEqual(
        stated,
        messages.map((input) => statedBy({ input }, is_synthetic)),
      );
    });
  }

  it('writes the same files for the same seed', async () => {
    const words = ['--cards', '3', '--records', '50', '--format', 'ipm', '--seed', '3', '--date', '2030-03-15'];
    await run(...words, '--out', 'first');
    await run(...words, '--out', 'second');
    for (const name of readdirSync(join(folder, 'first'))) {
      const [one, other] = ['first', 'second'].map((of) => readFileSync(join(folder, of, name)));
      assert.ok(one?.equals(other!), name);
    }
  });

  it('divides the clearings among as many files as are wanted, in the order of their sequence', async () => {
    const words = ['--cards', '3', '--records', '100', '--format', 'ipm', '--files', '3', '--sequence', '41'];
    const { out } = await run(...words, '--out', 'three', '--json');
    const { clearing_files } = JSON.parse(out) as { clearing_files: readonly string[] };
    const counts = [];
    for (const path of clearing_files) {
      counts.push((await itemsOf('ipm', path)).filter(({ kind }) => kind === 'clearing' || kind === 'bad').length);
    }
    assert.deepEqual(counts, [33, 33, 34]);
    assert.match(clearing_files.join(), /clearings-00041.*clearings-00042.*clearings-00043/);
  });

  for (const format of statement_format_names) {
    it(`writes a ${format} file for each day, whose lines lead from balance to balance, and the items`, async () => {
      const words = ['--cards', '4', '--records', '300', '--format', 'csv', '--statements', format, '--seed', '4'];
      const made = await run(...words, '--account', 'A7', '--out', `stated-${format}`, '--json');
      assert.equal(made.status, 0, made.err);
      const { statement_files } = JSON.parse(made.out) as { statement_files: readonly string[] };
      const lines = new Set<string | null>();
      let balance: number | null = null;
      for (const path of statement_files) {
        const [, statement, ...rest] = await itemsOf(format, path);
        assert.equal(statement?.kind, 'statement');
        assert.equal(statement.account_number, 'A7');
        const booked = rest.flatMap((item) => (item.kind === 'line' ? [item.line] : []));
        const sum = booked.reduce((total, { amount }) => total + amount, 0);
        const end = rest.find((item) => item.kind === 'statement_end');
        const closing: number | null = statement.closing_balance ?? end?.closing_balance ?? null;
        assert.ok(closing !== null);
        const opening: number = statement.opening_balance ?? closing - sum;
        assert.deepEqual([opening, closing], [balance ?? opening, opening + sum]);
        balance = closing;
        for (const { bank_reference } of booked) lines.add(bank_reference);
      }
      const answers = linesOf<{ kind: string; lines: readonly string[] }>(`stated-${format}`, 'answers.jsonl');
      const items = answers.filter(({ kind }) => kind === 'item');
      assert.ok(items.length > 250);
      assert.ok(items.flatMap((item) => item.lines).every((line) => lines.has(line)));
      assert.deepEqual(
        answers.slice(-2).map(({ kind }) => kind),
        ['summary', 'bridge'],
      );
      assert.match(
        readFileSync(join(folder, `stated-${format}`, 'README.txt'), 'utf8'),
        /statements of the account A7/,
      );
    });
  }

  it('writes a month with a clearing file for each week, and apart what comes late', async () => {
    const words = ['--breaks', '0.2', '--records', '300', '--date', '2030-03-01', '--seed', '9', '--out', 'month'];
    const made = await run(...words);
    assert.equal(made.status, 0, made.err);
    const names = readdirSync(join(folder, 'month'));
    const countOf = (prefix: string): number => names.filter((one) => one.startsWith(prefix)).length;
    assert.deepEqual([countOf('clearings-'), countOf('statement-'), countOf('late-')], [4, 34, 2]);
    const rows = readFileSync(join(folder, 'month', 'break-answers.csv'), 'utf8').split('\r\n');
    assert.equal(rows[0], 'break_kind,amount,currency,act,with,what,vcn_id,authorizations,clearings,lines,scenario');
    assert.ok(rows.length > 60);
    const steps = readFileSync(join(folder, 'month', 'README.txt'), 'utf8');
    assert.match(steps, /^ {5}npm run reconcile -- close --through 2030-03-31$/m);
  });

  it('names what is wrong with its words', async () => {
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['--cards', '5', '--records', '10'], /--format is missing/],
      [['--cards', '5', '--records', '10', '--format', 'pdf'], /--format is "pdf"; it must be one of/],
      [['--cards', '0', '--records', '10', '--format', 'ipm'], /--cards is "0"; it must be a whole number from 1/],
      [['--records', '10', '--format', 'ipm'], /--cards is missing/],
      [['--cards', '5', '--records', '10', '--format', 'ipm', '--variant', 'utf'], /--variant is "utf"; ipm has/],
      [['--cards', '5', '--records', '10', '--format', 'ipm', '--date', 'today'], /--date is "today"/],
      [['--cards', '5', '--records', '10', '--format', 'ipm', '--url', 'http://h'], /where to --load/],
      [
        ['--cards', '5', '--records', '10', '--format', 'ipm', '--statements', 'mt942'],
        /one of bai2, bai2-bank, camt053, mt940/,
      ],
      [['--cards', '5', '--records', '10', '--format', 'vcf4', '--statements', 'bai2'], /needs .* acquirer references/],
      [['--cards', '5', '--records', '10', '--format', 'ipm', '--today', '2030-01-01'], /are about --statements/],
      [['--records', '10', '--breaks', '1.5'], /--breaks is "1\.5"; it must be a share from 0 to 1/],
      [['--records', '10', '--breaks', '0.1', '--days', '0'], /--days is "0"; it must be a whole number from 1 to 366/],
      [['--cards', '5', '--records', '10', '--format', 'ipm', '--days', '3'], /--days is about a month/],
      [['--card', '5'], /did you mean --cards/],
    ];
    for (const [words, expected] of wrong) {
      const { status, err } = await run(...words);
      assert.equal(status, 2, words.join(' '));
      assert.match(err, expected);
    }
  });

  it('loads into a database only with the day of its clock', async () => {
    const database = await migratedDatabase('sqlite');
    try {
      const words = ['--cards', '1', '--records', '1', '--format', 'ipm', '--load', '--out', 'loaded'];
      const load = (date: string): Promise<Ran> => runIn(serverEnvironment(database), ...words, '--date', date);
      const refused = await load('2030-03-15');
      const day = /the day of the database's clock is (\d{4}-\d\d-\d\d)/.exec(refused.err)?.[1];
      assert.deepEqual([refused.status, day === undefined], [2, false], refused.err);
      assert.match(refused.err, /^--date is "2030-03-15"/);
      assert.deepEqual(await readRows(database, 'select id from tallystick_virtual_cards'), []);
      const loaded = await load(day!);
      assert.equal(loaded.status, 0, loaded.err);
      assert.equal(refused.progress, '');
      assert.match(loaded.progress, /\[#{24}\] 100% creating 1 of 1 cards/);
      const sent = /sent (\d+) authorization messages and (\d+) clearings/.exec(loaded.err);
      const messages = Number(sent?.[1]) + Number(sent?.[2]);
      assert.match(loaded.progress, new RegExp(`% sending \\d+ of ${messages} messages`));
    } finally {
      await database.dispose();
    }
  });

  it('does not write into a folder that has files', async () => {
    const words = ['--cards', '1', '--records', '1', '--format', 'ipm', '--out', 'taken'];
    assert.equal((await run(...words)).status, 0);
    const { status, err } = await run(...words);
    assert.equal(status, 1);
    assert.match(err, /is not empty: name another one with --out/);
  });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  crashEnvironment,
  migratedDatabase,
  readRows,
  type ScratchDatabase,
  send,
  serverEnvironment,
  startServer,
} from '@tallystick/test-support';
import { program, runHere, runPeople } from './run-command.ts';

const minor_units = {
  name: 'sender',
  columns: {
    ID: 'network_financial_transaction_id',
    Card: 'vcn_id',
    Amount: 'billing_amount',
    Kind: 'clearing_type',
    Posted: 'settlement_date',
  },
  constants: { billing_currency: 'USD' },
};

describe('profiles of one name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-import-'));
  const [configured, corrected] = [join(folder, 'configured.json'), join(folder, 'corrected.json')];
  let database: ScratchDatabase;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    database = await migratedDatabase('sqlite');
    env = serverEnvironment(database);
    await (await startServer(database)).stop();
    writeFileSync(configured, JSON.stringify(minor_units));
    writeFileSync(corrected, JSON.stringify({ ...minor_units, amounts: 'decimal' }));
    writeFileSync(join(folder, 'a.csv'), 'ID,Card,Amount,Kind,Posted\nT1,1,12,DEBIT,2030-01-01\n');
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await database.dispose();
  });

  async function amountBy(profile: string, csv_profiles: string): Promise<unknown> {
    const words = ['a.csv', '--profile', profile, '--dry-run', '--json'];
    const { out, err } = await runHere(words, { ...env, CSV_PROFILES: csv_profiles }, folder);
    assert.equal(err, '');
    return JSON.parse(out).records[0].amount;
  }

  it('the file of the command line is used, whatever is configured', async () => {
    assert.equal(await amountBy('sender', configured), 12);
    assert.equal(await amountBy('corrected.json', configured), 1_200);
    assert.equal(await amountBy('configured.json', corrected), 12);
    assert.equal(await amountBy('corrected.json', `${configured},${corrected}`), 1_200);
  });

  it('are refused when both are configured and differ', async () => {
    const words = ['a.csv', '--dry-run', '--json'];
    const both = await runHere(words, { ...env, CSV_PROFILES: `${configured},${corrected}` }, folder);
    const message = 'CSV_PROFILES: two different CSV profiles have the name sender.\n';
    assert.deepEqual([both.status, both.out, both.err], [2, '', message]);
    assert.equal(await amountBy('sender', `${configured},${configured}`), 12);
  });
});

describe('a profile that cannot be used', () => {
  it('ends the command with status 2 before anything is read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-import-'));
    const database = await migratedDatabase('sqlite');
    try {
      await (await startServer(database)).stop();
      const env = serverEnvironment(database);
      writeFileSync(join(folder, 'sender.JSON'), JSON.stringify(minor_units));
      writeFileSync(join(folder, 'null.json'), 'null');
      writeFileSync(join(folder, 'open.json'), '{"name":');
      writeFileSync(join(folder, 'a.csv'), 'ID,Card,Amount,Kind,Posted\nT1,1,12,DEBIT,2030-01-01\n');
      const path = (name: string) => `the CSV profile ${join(folder, name)} cannot be used`;
      const named_file = 'the file of a profile has a name that ends in .json';
      for (const [words, problem] of [
        ['--profile absent.json', `${path('absent.json')}: there is no such file`],
        [
          '--profile null.json',
          `${path('null.json')}: the CSV profile is invalid: the profile: must be an object, not null`,
        ],
        ['--profile open.json', `${path('open.json')}: it is no JSON: Unexpected end of JSON input`],
        ['--profile defalt', 'there is no profile "defalt"; these are: default, totals; did you mean default?'],
        ['--profile sender.csv', `there is no profile "sender.csv"; these are: default, totals; ${named_file}`],
        ['--format ipm --profile default', 'there is no profile "default" of ipm; it has none'],
        ['--format ipm --profile sender.JSON', 'there is no profile "sender" of ipm; it has none'],
      ] as const) {
        const { status, out, err } = await runHere(['a.csv', ...words.split(' ')], env, folder);
        assert.deepEqual([status, out, err], [2, '', `${problem}\n`]);
      }
      const used = await runHere(['a.csv', '--profile', 'sender.JSON', '--dry-run', '--json'], env, folder);
      assert.equal(JSON.parse(used.out).preview.read_with.profile, 'sender');
    } finally {
      rmSync(folder, { recursive: true });
      await database.dispose();
    }
  });
});

describe('a profile that is edited after its import was killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-import-'));
  const profile = join(folder, 'sender.json');
  const rows = 4_500;
  let database: ScratchDatabase;
  let env: NodeJS.ProcessEnv;
  let card: string;

  before(async () => {
    database = await migratedDatabase('sqlite');
    env = serverEnvironment(database);
    const server = await startServer(database);
    const body = { data: { total_card_amount: 100_000_000 } };
    card = (await send(server.url, 'POST', '/v1/virtualcards', { body })).json.data.id;
    await server.stop();
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await database.dispose();
  });

  const found = async () =>
    (
      await readRows<{ readonly id: number; readonly phase: string | null; readonly records: number }>(
        database,
        'select id, phase, records from tallystick_imports order by id desc limit 1',
      )
    )[0];
  const fileOf = (name: string): string => {
    const lines = Array.from({ length: rows }, (_, at) => `${name}${at},${card},3,DEBIT,2030-01-01\n`);
    writeFileSync(join(folder, name), `ID,Card,Amount,Kind,Posted\n${lines.join('')}`);
    return name;
  };
  const cleared = async () =>
    (
      await readRows<{ readonly cleared: number }>(
        database,
        'select sum(cleared_effect) as cleared from tallystick_clearings',
      )
    )[0]?.cleared;

  /** Imports the file with these words, and kills the process after it has staged its first records. */
  async function killWhileStaging(file: string, words: readonly string[], its_env: NodeJS.ProcessEnv): Promise<void> {
    const child = spawn(process.execPath, ['--conditions=source', program, file, ...words, '--quiet'], {
      env: {
        ...its_env,
        INIT_CWD: folder,
        ...crashEnvironment({ phase: 'import_batches', nth: 1, moment: 'after' }),
      },
    });
    const [, signal] = await once(child, 'close');
    assert.equal(signal, 'SIGKILL');
    const left = await found();
    assert.ok(left?.phase === 'staging' && left.records > 0 && left.records < rows, JSON.stringify(left));
  }

  for (const [name, words, is_configured] of [
    ['named.csv', ['--profile', 'sender.json'], false],
    ['found.csv', [], true],
  ] as const) {
    it(`reads none of the records by the earlier settings: ${name}`, async () => {
      const its_env = is_configured ? { ...env, CSV_PROFILES: profile } : env;
      const file = fileOf(name);
      const before_import = Number(await cleared());
      writeFileSync(profile, JSON.stringify(minor_units));
      await killWhileStaging(file, words, its_env);
      writeFileSync(profile, JSON.stringify({ ...minor_units, amounts: 'decimal' }));
      const ended = await runHere([file, ...words], its_env, folder);
      assert.equal(ended.status, 0, ended.out + ended.err);
      assert.match(ended.err, /import \d was staged up to record [1-4],\d{3} with .*staged again from its beginning/);
      assert.match(ended.out, /format csv, profile sender \(settings [0-9a-f]{12}\), 4,501 records/);
      assert.equal(Number(await cleared()) - before_import, rows * 300);
      writeFileSync(profile, JSON.stringify(minor_units));
      const again = await runHere([file, ...words], its_env, folder);
      assert.match(again.out, /Nothing was changed\.\n {2}it was read with other settings than those of now: profile/);
      assert.equal(Number(await cleared()) - before_import, rows * 300);
    });
  }
});

describe('a replay', () => {
  it('reads bad records by the profile of now, and other refused records as they were read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-import-'));
    const database = await migratedDatabase('sqlite');
    try {
      const server = await startServer(database);
      const body = { data: { total_card_amount: 100_000 } };
      const { id } = (await send(server.url, 'POST', '/v1/virtualcards', { body })).json.data;
      await server.stop();
      const profile = join(folder, 'sender.json');
      const env = { ...serverEnvironment(database), CSV_PROFILES: profile };
      writeFileSync(profile, JSON.stringify(minor_units));
      const lines = [`T1,${id},1.50,DEBIT,2030-01-01`, `T2,${id},2,C,2030-01-01`];
      writeFileSync(join(folder, 'a.csv'), `ID,Card,Amount,Kind,Posted\n${lines.join('\n')}\n`);
      const first = await runHere(['a.csv', '--json'], env, folder);
      assert.equal(first.status, 4, first.out + first.err);
      const { read_with } = JSON.parse(first.out).import;
      writeFileSync(
        profile,
        JSON.stringify({ ...minor_units, amounts: 'decimal', words: { clearing_type: { C: 'CREDIT' } } }),
      );
      const replayed = await runPeople(['replay', '1'], env);
      assert.match(replayed.out, /^1 of 2 records left the quarantine\n/);
      const amounts = await readRows(database, 'select billing_amount from tallystick_clearings');
      assert.deepEqual(amounts, [{ billing_amount: 150 }]);
      const shown = await runPeople(['show', '1', '--json'], env);
      assert.deepEqual(JSON.parse(shown.out).read_with, read_with, 'how the file was read');
    } finally {
      rmSync(folder, { recursive: true });
      await database.dispose();
    }
  });
});

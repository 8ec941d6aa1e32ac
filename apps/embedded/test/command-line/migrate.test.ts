import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { migrations, printMigrations } from '@tallystick/mikro-orm';
import { changeRows, database_names, readRows, scratchDatabase, tableNames } from '@tallystick/test-support';
import { runCommand } from '../../src/command-line/command.ts';

const main = fileURLToPath(new URL('../../src/command-line/main.ts', import.meta.url));

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command in a process of its own, as a host's shell does. */
async function tallystick(words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, ['--conditions=source', main, ...words], {
    env: { PATH: process.env.PATH, ...environment },
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
  const [status] = await new Promise<[number | null]>((resolve) => child.once('close', (code) => resolve([code])));
  return { status, out, err };
}

/** The same without a process, for what is refused. */
async function inProcess(words: readonly string[]): Promise<Ended> {
  let [out, err] = ['', ''];
  const status = await runCommand(words, {}, { out: (text) => (out += text), err: (text) => (err += text) });
  return { status, out, err };
}

/** The error is one line that is a sentence, and shows no password. */
function assertSentence({ err, out }: Ended, expected: RegExp): void {
  assert.match(err, expected);
  assert.match(err, /^[^\n]+[.?]\n$/);
  assert.equal(out, '');
  assert.ok(!err.includes('secret'), err);
}

for (const name of database_names) {
  describe(`tallystick migrate, on ${name}`, () => {
    const place = name === 'sqlite' ? [] : ['--schema', 'tally'];

    it('applies the missing migrations, and then has nothing to do', async (t) => {
      const database = await scratchDatabase(name);
      t.after(() => database.dispose());
      const words = ['migrate', '--database-url', database.database_url, ...place];
      const first = await tallystick(words);
      assert.equal(first.err, '');
      assert.equal(first.status, 0);
      assert.match(first.out, /^Applied: 0001-tables/);
      const second = await tallystick(['migrate', ...place], { DATABASE_URL: database.database_url });
      assert.deepEqual(second, { status: 0, err: '', out: 'The database has every migration of this version.\n' });
      const table = name === 'sqlite' ? 'tallystick_migrations' : 'tally.tallystick_migrations';
      assert.equal((await readRows(database, `select 1 from ${table}`)).length, migrations.length);

      await changeRows(database, `insert into ${table} (name) values ('9999-newer')`);
      const newer = await tallystick(words);
      assert.equal(newer.status, 1);
      assertSentence(newer, /was migrated by a newer version, which knows 9999-newer: use that version/);
    });

    it('prints what the function prints, and with a database only what it lacks', async (t) => {
      const database = await scratchDatabase(name);
      t.after(() => database.dispose());
      const option = name === 'sqlite' ? {} : { schema: 'tally' };
      const text = await printMigrations({ dialect: name, ...option });
      assert.deepEqual(await tallystick(['migrate', '--print', '--dialect', name, ...place]), {
        status: 0,
        err: '',
        out: text,
      });
      const of_database = ['migrate', '--print', '--database-url', database.database_url, ...place];
      assert.deepEqual(await tallystick(of_database), { status: 0, err: '', out: text });
      if (name === 'sqlite') assert.ok(!existsSync(database.database_url.slice('sqlite:'.length)), 'it made the file');
      else assert.deepEqual(await tableNames(database), []);
      await changeRows(database, text);
      const after = await tallystick(of_database);
      assert.deepEqual(after, { status: 0, err: '', out: '-- The database has every migration of this version.\n' });
    });
  });
}

describe('tallystick', () => {
  it('prints its usage and its version', async () => {
    const help = await tallystick(['--help']);
    assert.equal(help.status, 0);
    assert.match(help.out, /tallystick migrate --print/);
    assert.match((await tallystick(['--version'])).out, /^\d+\.\d+\.\d+\n$/);
  });

  const unreachable = 'postgres://user:secret@127.0.0.1:1/database';
  for (const [what, words, status, message] of [
    ['no command', [], 2, /command is missing/],
    ['an unknown command', ['migrat'], 2, /no command migrat/],
    ['an unknown option', ['migrate', '--shema', 'a'], 2, /no option --shema: did you mean --schema\?/],
    ['an option without its value', ['migrate', '--schema'], 2, /--schema takes a value/],
    ['no database', ['migrate'], 2, /database is missing/],
    ['nothing to print for', ['migrate', '--print'], 2, /--dialect/],
    ['an unknown dialect', ['migrate', '--print', '--dialect', 'mysql'], 2, /"mysql"/],
    ['a wrong URL', ['migrate', '--database-url', 'postgres://user:sec/ret@secret'], 2, /URL cannot be used/],
    ['a URL of another database', ['migrate', '--database-url', 'mysql://secret@host/d'], 2, /URL cannot be used/],
    ['a dialect beside a URL', ['migrate', '--dialect', 'sqlite', '--database-url', unreachable], 2, /one of postgres/],
    [
      'a schema on SQLite',
      ['migrate', '--schema', 'a', '--database-url', 'sqlite::memory:'],
      2,
      /SQLite has no schemas/,
    ],
    ['a wrong schema', ['migrate', '--schema', 'a-b', '--database-url', unreachable], 2, /"a-b" cannot be a schema/],
    ['an unreachable database', ['migrate', '--database-url', unreachable], 1, /user@127.0.0.1:1.*ECONNREFUSED/],
  ] as const) {
    it(`refuses ${what} with one sentence`, async () => {
      const ended = await inProcess(words);
      assert.equal(ended.status, status, ended.err);
      assertSentence(ended, message);
    });
  }
});

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { changeRows, scratchDatabase, serverEnvironment, startServer } from '@tallystick/test-support';
import { type Ended, people_program, run, runHere, runPeople } from './run-command.ts';

describe('npm run import', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-import-'));
  writeFileSync(join(folder, 'a.xml'), 'x');
  const database = await scratchDatabase('sqlite');
  const env = serverEnvironment(database);
  after(async () => {
    rmSync(folder, { recursive: true });
    await database.dispose();
  });
  const importing = (words: readonly string[]): Promise<Ended> => runHere(words, env, folder);

  it('ends with status 2, and reads nothing, when its words are wrong', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /^no file is named\n\nUsage/],
      [['nothing.xml'], /^there is no file nothing\.xml\n$/],
      [['in*'], /^no file matches in\*\n$/],
      [
        ['.', 'nothing.xml'],
        /^\. is a directory; name its files, for example "\.\/\*"\nthere is no file nothing\.xml\n$/,
      ],
      [['5555555555554444.xml'], /^there is no file \*{12}4444\.xml\n$/],
      [['a.xml', '--dryrun'], /^there is no option --dryrun; did you mean --dry-run\?/],
      [['a.xml', '--database-url', 'mysql://x'], /DATABASE_URL: must be sqlite/],
    ];
    for (const [words, message] of cases) {
      const { status, out, err } = await importing(words);
      assert.deepEqual([status, out], [2, ''], err);
      assert.match(err, message);
    }
    const empty_folder = await importing(['in*', '--allow-empty']);
    assert.deepEqual([empty_folder.status, empty_folder.err], [0, 'no file matches: nothing to import\n']);
    assert.deepEqual(await importing(['in*', '--allow-empty', '--quiet']), { status: 0, out: '', err: '' });
    assert.equal((await importing(['nothing.xml', '--allow-empty'])).status, 2);
    const help = await importing(['--help']);
    assert.deepEqual([help.status, help.err], [0, '']);
    assert.match(help.out, /^Usage: npm run import/);
    for (const { out } of [help, await runPeople(['--help'], env), await runPeople(['list', '--help'], env)]) {
      assert.match(out, /[Ww]ithout both\s[^.]*sandbox in data\//);
    }
  });

  it('matches no pipe with a pattern', { skip: process.platform === 'win32' }, async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.xml')]);
    const { status, err } = await importing(['p*.xml']);
    assert.deepEqual([status, err], [2, 'no file matches p*.xml\n']);
  });

  it('names the command that creates the default database when it is missing', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'tallystick-empty-'));
    try {
      const { DATABASE_URL: _url, TALLYSTICK_KEYS: _keys, ...unset } = env;
      const { status, err } = await run(people_program, ['list'], unset, { cwd: empty });
      assert.equal(status, 1, err);
      assert.match(err, /^There is no database at .*tallystick\.db, the default; "npm start" creates the sandbox/);
    } finally {
      rmSync(empty, { recursive: true });
    }
  });

  it('ends with status 1 on a database that is missing, empty, older, newer or locked', async () => {
    const missing = await importing(['a.xml']);
    assert.equal(missing.status, 1);
    assert.match(missing.err, /^There is no database at /);
    writeFileSync(database.database_url.slice('sqlite:'.length), '');
    const empty = await importing(['a.xml']);
    assert.equal(empty.status, 1);
    assert.match(empty.err, /has no tables of Tallystick; check DATABASE_URL\. "npm run migrate" creates them\.\n$/);
    const server = await startServer(database);
    await server.stop();
    const unknown_format = await importing(['a.xml', '--format', 'cdf4']);
    assert.equal(unknown_format.status, 2);
    assert.match(unknown_format.err, /there is no format "cdf4"; these are: cdf3, ipm/);
    const hold =
      "const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]); db.exec('begin immediate'); console.log('held'); setInterval(() => {}, 1000)";
    const holder = spawn(process.execPath, ['-e', hold, database.database_url.slice('sqlite:'.length)]);
    try {
      await once(holder.stdout, 'data');
      const locked = await importing(['a.xml']);
      assert.equal(locked.status, 1);
      assert.match(locked.err, /^The database sqlite:.* cannot be used: .*lock/);
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'close');
    }
    const insert = "insert into tallystick_migrations (name) values ('9999-from-the-future')";
    await changeRows(database, insert);
    const newer = await importing(['a.xml']);
    assert.equal(newer.status, 1);
    assert.match(newer.err, /was migrated by a newer version/);
    assert.doesNotMatch(newer.err, /\n {4}at /, 'no stack');
  });
});

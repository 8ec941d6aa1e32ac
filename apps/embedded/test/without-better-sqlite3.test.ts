import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { database_names, scratchDatabase } from '@tallystick/test-support';

/** In the processes of this test better-sqlite3 is not installed. */
const not_installed = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'better-sqlite3') return next(specifier, context);
      throw Object.assign(new Error("Cannot find package 'better-sqlite3'"), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });
`)}`;

const host = `
  import { createKeys, createTallystick } from 'tallystick';
  const keys = await createKeys();
  try {
    await using tally = await createTallystick({ database: process.env.TEST_DATABASE, keys });
    await tally.migrate();
    console.log((await tally.operator.companies.create({ name: 'Example', customer_number: '1' })).name);
  } catch (error) {
    console.log(error.name + ': ' + error.message);
  }
`;

/** Runs Node without better-sqlite3, and returns what it prints. */
async function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=source', '--import', not_installed, ...words], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH: process.env.PATH, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}

const command = 'a database on SQLite needs the package better-sqlite3: run npm install better-sqlite3@13.0.3';

describe('without better-sqlite3', () => {
  it('a start on SQLite names the one command that installs it, and makes no file', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'without-sqlite-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'data', 'host.db');
    for (const database of ['sqlite::memory:', `sqlite:${file}`]) {
      assert.equal(
        await run(['--input-type=module', '--eval', host], { TEST_DATABASE: database }),
        `UnusableDatabase: the database cannot be used: ${command}\n`,
      );
    }
    assert.equal(existsSync(join(folder, 'data')), false);
    const main = fileURLToPath(new URL('../src/command-line/main.ts', import.meta.url));
    assert.equal(
      await run([main, 'migrate', '--database-url', `sqlite:${file}`]),
      `The database sqlite:${file} cannot be migrated: ${command}.\n`,
    );
  });

  it('the command installs the version that the tests run with, which the packages take', () => {
    for (const folder of ['../../server', '../../../adapters/mikro-orm', '..']) {
      const path = new URL(`${folder}/package.json`, import.meta.url);
      const { dependencies, devDependencies, peerDependencies } = JSON.parse(readFileSync(path, 'utf8'));
      const tested = dependencies['better-sqlite3'] ?? devDependencies['better-sqlite3'];
      if (tested !== undefined) assert.ok(command.endsWith(`better-sqlite3@${tested}`), folder);
      if (folder !== '../../server') assert.equal(peerDependencies['better-sqlite3'], '^13.0.3', folder);
    }
  });

  it('the guides install the same version', () => {
    for (const guide of ['README.md', 'docs/embedding.md', 'docs/hosts.md']) {
      const text = readFileSync(new URL(`../../../${guide}`, import.meta.url), 'utf8');
      const versions = [...text.matchAll(/better-sqlite3@([\d.]+)/g)].map(([, version]) => version);
      assert.deepEqual([...new Set(versions)], [command.split('@')[1]], guide);
    }
  });

  it('prints the migrations of SQLite', async () => {
    const main = fileURLToPath(new URL('../src/command-line/main.ts', import.meta.url));
    assert.match(await run([main, 'migrate', '--print', '--dialect', 'sqlite']), /create table `tallystick_companies`/);
  });

  if (database_names.includes('postgres')) {
    it('a host on Postgres works', async (t) => {
      const database = await scratchDatabase('postgres');
      t.after(() => database.dispose());
      const words = ['--input-type=module', '--eval', host];
      assert.equal(await run(words, { TEST_DATABASE: database.database_url }), 'Example\n');
    });
  }
});

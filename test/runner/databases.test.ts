import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What opens a database by its name, and a list of databases of a file's own. */
const opening = /\b(scratchDatabase|migratedDatabase)\('postgres'\)|'sqlite', 'postgres'\]/;
const asking = /\b(database_names|own_servers_expected)\b/;

it('a test file that opens Postgres asks whether there is one', () => {
  const files = globSync('{packages,adapters,apps,test}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] });
  assert.ok(files.length > 100);
  const lost = files.filter((file) => {
    const text = readFileSync(`${root}${file}`, 'utf8');
    return opening.test(text) && !asking.test(text);
  });
  assert.deepEqual(
    lost.filter((file) => file !== 'test/runner/databases.test.ts'),
    [],
  );
});

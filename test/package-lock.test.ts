import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

interface Entry {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

it('names the optional packages of every platform in the lock: npm ci refuses a lock without them', () => {
  const path = new URL('../package-lock.json', import.meta.url);
  const { packages } = JSON.parse(readFileSync(path, 'utf8')) as { packages: Readonly<Record<string, Entry>> };
  const missing = Object.entries(packages).flatMap(([user, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !(`node_modules/${name}` in packages) && !(`${user}/node_modules/${name}` in packages))
      .map((name) => `${user}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

interface Entry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
}

/** The oldest Node that may run npm. `npm ci` installs the Node that runs the project. */
const npm_node_major = 20;

const { packages } = readLock('../package-lock.json');

for (const lock of ['../package-lock.json', 'clients/package-lock.json']) {
  it(`names the optional packages of every platform in ${lock}: npm ci refuses a lock without them`, () => {
    const locked = readLock(lock).packages;
    const missing = Object.entries(locked).flatMap(([user, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !(`node_modules/${name}` in locked) && !(`${user}/node_modules/${name}` in locked))
        .map((name) => `${user}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });
}

it('has no engines of Node that exclude the Node that runs npm: npm ci would warn about them', () => {
  const excluding = Object.entries(packages)
    .filter(([, { engines }]) => engines?.node !== undefined && !includesMajor(engines.node, npm_node_major))
    .map(([path, { engines }]) => `${path}: remove "engines": ${JSON.stringify(engines)} from package-lock.json`);
  assert.deepEqual(excluding, []);
});

it('decides about each install script in allowScripts: npm warns about scripts that are not reviewed', () => {
  const { allowScripts } = readJson('../package.json') as { allowScripts: Readonly<Record<string, boolean>> };
  const unreviewed = Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => hasInstallScript && !(nameAt(path) in allowScripts))
    .map(
      ([path]) => `${path}: run \`npm install-scripts deny ${nameAt(path)}\`, or approve when it cannot work without`,
    );
  assert.deepEqual(unreviewed, []);
});

it('installs no dependency of Scalar: the server uses its bundle, which contains them', () => {
  const { overrides } = readJson('../package.json') as { overrides: Readonly<Record<string, object>> };
  const { dependencies = {} } = packages['node_modules/@scalar/api-reference'] ?? {};
  assert.deepEqual(Object.keys(overrides['@scalar/api-reference'] ?? {}), Object.keys(dependencies));
});

function readLock(path: string): { readonly packages: Readonly<Record<string, Entry>> } {
  return readJson(path) as ReturnType<typeof readLock>;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

/** Supports the ranges that packages use: versions with an operator, and alternatives of them. */
function includesMajor(range: string, major: number): boolean {
  return range.split('||').some((one) => {
    const from = Number(/\d+/.exec(one)?.[0] ?? 0);
    return one.trim().startsWith('^') ? from === major : from <= major;
  });
}

function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

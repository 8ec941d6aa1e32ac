import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Entry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly integrity?: string;
  readonly link?: boolean;
}

/** The oldest Node that may run npm. `npm ci` installs the Node that runs the project. */
const npm_node_major = 20;

const { packages } = readLock('../package-lock.json');

for (const lock of ['../package-lock.json', 'clients/package-lock.json', 'node-24/package-lock.json']) {
  it(`names the optional packages of every platform in ${lock}: npm ci refuses a lock without them`, () => {
    const locked = readLock(lock).packages;
    const missing = Object.entries(locked).flatMap(([user, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !(`node_modules/${name}` in locked) && !(`${user}/node_modules/${name}` in locked))
        .map((name) => `${user}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });

  it(`has the integrity of every package in ${lock}: npm ci checks what it downloads`, () => {
    const unchecked = Object.entries(readLock(lock).packages)
      .filter(
        ([path, { link, integrity = '' }]) => path.includes('node_modules/') && !link && !/^sha512-/.test(integrity),
      )
      .map(([path]) => path);
    assert.deepEqual(unchecked, []);
  });
}

for (const npmrc of ['../.npmrc', 'clients/.npmrc']) {
  it(`runs no script when it installs, by test/${npmrc}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-install-'));
    try {
      const postinstall = `node -e "require('node:fs').writeFileSync('ran', '')"`;
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { postinstall } }));
      cpSync(fileURLToPath(new URL(npmrc, import.meta.url)), join(folder, '.npmrc'));
      execFileSync('npm', ['install', '--offline'], { cwd: folder, env: withoutSettingsOfNpm(), stdio: 'pipe' });
      assert.ok(existsSync(join(folder, 'package-lock.json')));
      assert.ok(!existsSync(join(folder, 'ran')));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

it('has no script that npm runs before or after another: with ignore-scripts it runs none', () => {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const { workspaces } = readJson('../package.json') as { readonly workspaces: readonly string[] };
  const paths = globSync(
    [...workspaces, 'test/clients', '.'].map((folder) => `${folder}/package.json`),
    { cwd: root },
  );
  const hooks = paths.flatMap((path) => {
    const { scripts = {} } = readJson(`../${path}`) as { readonly scripts?: Readonly<Record<string, string>> };
    return Object.keys(scripts)
      .filter((name) => /^(?:prepare|prepublishOnly|install|publish|dependencies)$/.test(name) || isHook(name, scripts))
      .map((name) => `${path}: ${name}`);
  });
  assert.ok(paths.length > workspaces.length);
  assert.deepEqual(hooks, []);
});

it('has no engines of Node that exclude the Node that runs npm: npm ci would warn about them', () => {
  const excluding = Object.entries(packages)
    .filter(([, { engines }]) => engines?.node !== undefined && !includesMajor(engines.node, npm_node_major))
    .map(([path, { engines }]) => `${path}: remove "engines": ${JSON.stringify(engines)} from package-lock.json`);
  assert.deepEqual(excluding, []);
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

/** Whether a script runs around another one of the manifest, or around one of npm's own. */
function isHook(name: string, scripts: Readonly<Record<string, string>>): boolean {
  const around = /^(?:pre|post)(.+)$/.exec(name)?.[1];
  return around !== undefined && (around in scripts || /^(?:install|pack|publish|version|prepare)$/.test(around));
}

/** The environment without the settings that a running npm passes on: only `.npmrc` counts. */
function withoutSettingsOfNpm(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
}

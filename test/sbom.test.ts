import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

interface Locked {
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
}

const bill = JSON.parse(
  execFileSync('npm', ['run', '--silent', 'sbom'], {
    cwd: fileURLToPath(new URL('../', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }),
);
const components: readonly Component[] = bill.components;

it('is CycloneDX of the workspace, by the names of packages', () => {
  assert.equal(bill.bomFormat, 'CycloneDX');
  assert.match(bill.specVersion, /^1\.\d$/);
  assert.equal(bill.metadata.component.name, '@tallystick/workspace');
  for (const { name, version, purl } of components) {
    assert.equal(decodeURIComponent(purl), `pkg:npm/${name}@${version}`);
  }
});

it('names each package that npm ci --omit=dev installs, with version and hash, and no other', () => {
  const { packages } = JSON.parse(read('../package-lock.json')) as { packages: Readonly<Record<string, Locked>> };
  const installed = Object.entries(packages)
    .filter(([, { integrity, dev }]) => integrity !== undefined && dev !== true)
    .map(([path, { name = path.split('node_modules/').at(-1), version, integrity }]) => {
      const sha512 = Buffer.from(integrity!.slice('sha512-'.length), 'base64').toString('hex');
      return `${name}@${version} SHA-512 ${sha512}`;
    });
  const named = components.flatMap(({ name, version, hashes = [] }) =>
    hashes.map(({ alg, content }) => `${name}@${version} ${alg} ${content}`),
  );
  assert.deepEqual(named.sort(), [...new Set(installed)].sort());
});

it('names every runtime dependency of docs/dependencies.md, with a hash', () => {
  const [, table = ''] = /^## Runtime dependencies\n([\s\S]*?)^## /m.exec(read('../docs/dependencies.md')) ?? [];
  const documented = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) =>
    cell!.replaceAll('`', '').split(', '),
  );
  assert.ok(documented.includes('better-sqlite3'), table);
  const hashed = new Set(components.filter(({ hashes = [] }) => hashes.length > 0).map(({ name }) => name));
  assert.deepEqual(
    documented.filter((name) => !hashed.has(name)),
    [],
  );
});

it('leads from each component to components that it has', () => {
  const refs = new Set([bill.metadata.component, ...bill.components].map((one) => one['bom-ref']));
  const dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[] = bill.dependencies;
  const missing = dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn].filter((one) => !refs.has(one)));
  assert.deepEqual(missing, []);
});

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

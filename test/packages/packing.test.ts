import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { node_needed, pack, publishedManifest } from './packing.ts';
import { publicPackages } from './public-packages.ts';
import { lintTarball } from './tarball-lint.ts';

const folder = mkdtempSync(join(tmpdir(), 'tallystick-packing-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const manifest = {
  name: '@tallystick/one',
  version: '1.0.0',
  license: 'UNLICENSED',
  type: 'module',
  exports: {
    '.': { source: './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    './more': { source: './src/more.ts', types: './dist/more.d.ts', default: './dist/more.js' },
  },
  files: ['dist'],
  scripts: { build: 'tsc' },
  dependencies: { '@tallystick/two': '1.0.0' },
  devDependencies: { '@tallystick/three': '1.0.0' },
};

/** A repository of one public and one private package. */
function write(name: string, texts: Readonly<Record<string, string>>): string {
  const root = join(folder, name);
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const sources = {
  'package.json': JSON.stringify({ workspaces: ['packages/*'] }),
  'packages/one/package.json': JSON.stringify(manifest),
  'packages/one/README.md': '# One',
  'packages/one/tsconfig.build.json': '{}',
  'packages/one/src/index.ts': 'export const one = 1;',
  'packages/one/src/more.ts': 'export const more = 2;',
  'packages/one/test/index.test.ts': '',
  'packages/one/dist/index.js': 'export const one = 1;\n',
  'packages/one/dist/index.d.ts': 'export declare const one = 1;\n',
  'packages/one/dist/more.js': 'export const more = 2;\n',
  'packages/one/dist/more.d.ts': 'export declare const more = 2;\n',
  'packages/one/dist/index.js.map': '{}',
  'packages/one/dist/removed.js': 'export {};\n',
  'packages/app/package.json': JSON.stringify({ name: 'app', private: true }),
};

describe('a packed package', () => {
  it('has a manifest without sources, scripts and development dependencies, and states its Node', () => {
    const { scripts, devDependencies, ...rest } = manifest;
    assert.deepEqual(publishedManifest(manifest), {
      ...rest,
      engines: { node: node_needed },
      exports: {
        '.': { types: './dist/index.d.ts', default: './dist/index.js' },
        './more': { types: './dist/more.d.ts', default: './dist/more.js' },
      },
    });
    assert.deepEqual(publishedManifest({ ...manifest, engines: { node: '>=20' } }).engines, { node: '>=20' });
  });

  it('has what was built of sources that still exist, and its documents; private ones are not packed', async () => {
    const packages = publicPackages(write('whole', sources));
    assert.deepEqual(
      packages.map(({ manifest: { name } }) => name),
      ['@tallystick/one'],
    );
    const [packed] = await pack(packages, join(folder, 'whole-tarballs'));
    const listed = execFileSync('tar', ['-tzf', packed!.tarball], { encoding: 'utf8' }).trim().split('\n').sort();
    const expected = [
      'README.md',
      'dist/index.d.ts',
      'dist/index.js',
      'dist/more.d.ts',
      'dist/more.js',
      'package.json',
    ];
    assert.deepEqual(
      listed,
      expected.map((path) => `package/${path}`),
    );
    assert.equal(packed!.files, expected.length);
    assert.deepEqual(await lintTarball(packed!), []);
  });

  it('is refused when it was not built', async () => {
    const root = write('not-built', {
      ...sources,
      'packages/two/package.json': JSON.stringify({ name: '@tallystick/two' }),
    });
    await assert.rejects(pack(publicPackages(root), join(folder, 'not-built-tarballs')), /two: .*dist is missing; run/);
  });

  it('is found wrong by publint and arethetypeswrong when an entry leads nowhere or has other exports', async () => {
    const changed = {
      'packages/one/dist/index.d.ts': 'declare const one: 1;\nexport default one;\n',
      'packages/one/dist/index.js': 'module.exports = 1;\n',
      'packages/one/src/more.ts': 'export const more = 2;',
    };
    const { 'packages/one/dist/more.js': _, ...texts } = { ...sources, ...changed };
    const [packed] = await pack(publicPackages(write('wrong', texts)), join(folder, 'wrong-tarballs'));
    const found = await lintTarball(packed!);
    assert.ok(
      found.some((text) => /publint: .*more\.js.*does not exist/.test(text)),
      found.join('\n'),
    );
    assert.ok(
      found.some((text) => /arethetypeswrong: /.test(text)),
      found.join('\n'),
    );
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { PackedFiles } from './packed-files.ts';
import { embeddingExample, node_needed, pack, publishedManifest } from './packing.ts';
import { entryPoints, type Manifest, publicPackages, readManifest, workspaces } from './public-packages.ts';
import { lintTarball, type Rule, rules } from './tarball-rules.ts';

const folder = mkdtempSync(join(tmpdir(), 'tallystick-packing-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const manifest = {
  name: '@tallystick/one',
  version: '1.0.0',
  private: true,
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
  publishConfig: { access: 'public' },
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
  'packages/one/src/inner.ts': 'export const inner = 3;',
  'packages/one/test/index.test.ts': '',
  'packages/one/dist/index.js': 'export const one = 1;\n',
  'packages/one/dist/index.d.ts': 'export declare const one = 1;\n',
  'packages/one/dist/more.js': 'export const more = 2;\n',
  'packages/one/dist/more.d.ts': 'export declare const more = 2;\n',
  'packages/one/dist/inner.js': 'export const inner = 3;\n',
  'packages/one/dist/inner.d.ts': 'export declare const inner = 3;\n',
  'packages/one/dist/index.js.map': '{}',
  'packages/one/dist/removed.js': 'export {};\n',
  'packages/app/package.json': JSON.stringify({ name: 'app', private: true }),
};

describe('the sources of a package', () => {
  it('are private, so that npm refuses to publish them; the packed package.json is not', () => {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const manifests = [readManifest(root), ...workspaces(root).map((one) => one.manifest)];
    assert.deepEqual(
      manifests.filter((one) => one.private !== true).map(({ name }) => name),
      [],
    );
    const packages = publicPackages(root);
    assert.ok(packages.length > 0);
    assert.deepEqual(
      packages.filter((one) => 'private' in publishedManifest(one.manifest)),
      [],
    );
  });
});

describe('an entry point', () => {
  // Node refuses to require a module with top-level await below it, and so do bundles of CommonJS.
  it('can be required from CommonJS: nothing that it loads has a top-level await', () => {
    const require = createRequire(import.meta.url);
    const names = publicPackages(fileURLToPath(new URL('../../', import.meta.url))).flatMap(({ manifest }) =>
      entryPoints(manifest),
    );
    for (const name of names) assert.doesNotThrow(() => require(name), name);
  });
});

describe('a packed package', () => {
  it('has a manifest that is not private, without sources, scripts and development dependencies, and states its Node', () => {
    const { private: _, scripts, devDependencies, ...rest } = manifest;
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

  it('has what was built of sources that still exist, and its documents; one without publishConfig is not packed', async () => {
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
      // No entry point reaches its declarations.
      'dist/inner.js',
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
      'packages/two/package.json': JSON.stringify({ name: '@tallystick/two', publishConfig: { access: 'public' } }),
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

const block = '```ts\n// app.ts\nimport { createTallystick } from "tallystick";\n```\n';

describe('the embedding example', () => {
  it('is the first TypeScript block below its heading, up to the next heading of that level', () => {
    const readme = `# T\n\n## Other\n\n${block.replace('app', 'no')}\n## Embedding\n\nText.\n\n\`\`\`sh\n# npm\n\`\`\`\n\n### In words\n\n${block}`;
    const text = '// app.ts\nimport { createTallystick } from "tallystick";\n';
    assert.deepEqual(embeddingExample(readme), { file: 'app.ts', text });
  });

  it('is refused with a sentence when it is missing, names no file, or is too long', () => {
    assert.throws(() => embeddingExample(`# T\n\n${block}`), /no heading "Embedding"/);
    assert.throws(() => embeddingExample(`## Embedding\n\nText.\n\n## Next\n\n${block}`), /no ```ts block/);
    assert.throws(() => embeddingExample('## Embedding\n\n```ts\nfoo();\n```\n'), /is not a comment with its file/);
    const long = block.replace('import', 'foo();\n'.repeat(18) + 'import');
    embeddingExample(`## Embedding\n\n${long}`);
    assert.throws(
      () => embeddingExample(`## Embedding\n\n${long.replace('import', 'foo();\nimport')}`),
      /has 21 lines; 20/,
    );
  });
});

const complete: Manifest = {
  name: '@tallystick/one',
  version: '1.0.0',
  description: 'A package',
  license: 'UNLICENSED',
  engines: { node: '>=24' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  publishConfig: { access: 'public' },
};

const files = { 'package.json': '{}', 'README.md': '', 'dist/index.js': '', 'dist/index.d.ts': '' };

function packed(changed: Partial<Manifest>, texts: Readonly<Record<string, string>> = {}): PackedFiles {
  return { manifest: { ...complete, ...changed }, texts: new Map(Object.entries({ ...files, ...texts })) };
}

function violationsOf(rule: Rule, ...packages: readonly PackedFiles[]): readonly string[] {
  return rule({
    packages,
    machine_names: new Map([['/home/someone/', 'a path in the home folder']]),
    typesPackageOf: (library) => (library === 'koa' ? '@types/koa' : null),
  });
}

/** For each rule: what it allows, and what it finds with the start of what it says. */
const planted: Readonly<Record<keyof typeof rules, { good: PackedFiles; bad: readonly [PackedFiles, RegExp][] }>> = {
  onlyBuiltFilesArePublished: {
    good: packed({}, { LICENSE: '', 'dist/cards/card.js': '' }),
    bad: [
      [packed({}, { 'src/index.ts': '' }), /one: publishes src\/index\.ts/],
      [packed({}, { 'test/index.test.js': '' }), /publishes test/],
      [packed({}, { 'dist/index.test.js': '' }), /publishes dist\/index\.test\.js/],
      [packed({}, { 'dist/index.js.map': '' }), /publishes dist\/index\.js\.map/],
      [packed({}, { 'tsconfig.build.json': '' }), /publishes tsconfig/],
    ],
  },
  noMapsAreNamed: {
    good: packed({}, { 'dist/index.js': 'export const one = 1;' }),
    bad: [
      [
        packed({}, { 'dist/index.js': 'x();\n//# sourceMappingURL=index.js.map' }),
        /dist\/index\.js names a source map/,
      ],
    ],
  },
  noMachineIsNamed: {
    good: packed({}, { 'README.md': '/home/user/', 'dist/index.js': './home/someone/' }),
    bad: [[packed({}, { 'dist/index.js': '"/home/someone/x"' }), /dist\/index\.js contains a path in the home folder/]],
  },
  manifestsAreComplete: {
    good: packed({ dependencies: { koa: '3.3.0' } }),
    bad: [
      [withoutLicense(), /has no license/],
      [
        {
          ...packed({}),
          texts: new Map([
            ['dist/index.js', ''],
            ['dist/index.d.ts', ''],
          ]),
        },
        /has no README/,
      ],
      [packed({ publishConfig: {} }), /private by default/],
      [packed({ exports: { '.': { source: './src/index.ts' } } }, { 'src/index.ts': '' }), /exports lead to src/],
      [packed({ exports: { './more': { default: './dist/more.js' } } }), /\.\/more leads by default to a missing file/],
      [packed({ dependencies: { koa: '^3.3.0' } }), /koa has no exact version/],
      [packed({ dependencies: { '@tallystick/server': '1.0.0' } }), /@tallystick\/server, which is private/],
    ],
  },
  importsAreDeclared: {
    good: packed(
      { dependencies: { koa: '3.3.0', '@koa/router': '1.0.0' } },
      {
        'dist/index.js': `import 'koa/lib/x'; import '@koa/router'; import 'node:fs'; import './x.js'; import '@tallystick/one';`,
        'dist/x.js': `// import 'comment';\nconst text = "import 'text'"; refusal.require('role');`,
      },
    ),
    bad: [
      [packed({}, { 'dist/index.js': `import Koa from 'koa';` }), /dist\/index\.js imports koa/],
      [packed({}, { 'dist/index.js': `export * from '@koa/router/x';` }), /imports @koa\/router,/],
      [packed({}, { 'dist/index.js': `await ${importCall('koa')};` }), /imports koa/],
      [packed({}, { 'dist/index.js': `createRequire(x); require('koa');` }), /imports koa/],
      [packed({}, { 'dist/index.d.ts': `export declare const x: ${importCall('koa')}.Context;` }), /imports koa/],
    ],
  },
  noPackageOfTypesIsNeeded: {
    good: packed(
      { dependencies: { koa: '3.3.0' } },
      { 'dist/inner.d.ts': `import type { Context } from 'koa';`, 'dist/index.d.ts': `import 'node:http';` },
    ),
    bad: [
      [
        packed(
          { dependencies: { koa: '3.3.0', '@types/koa': '3.0.0' } },
          {
            'dist/index.d.ts': `export * from './inner.ts';`,
            'dist/inner.d.ts': `import type { Context } from 'koa';`,
          },
        ),
        /inner\.d\.ts is reached from an entry point and needs @types\/koa; declare what it needs of koa/,
      ],
    ],
  },
  dependenciesAreUsed: {
    good: packed(
      { dependencies: { koa: '3.3.0', '@types/koa': '3.0.0', '@tallystick/two': '1.0.0' } },
      { 'dist/index.js': `import 'koa';`, 'dist/index.d.ts': `import 'koa';` },
    ),
    bad: [
      [packed({ dependencies: { koa: '3.3.0' } }), /declares koa and never imports it/],
      [
        packed({ dependencies: { koa: '3.3.0', '@types/koa': '3.0.0' } }, { 'dist/index.js': `import 'koa';` }),
        /declares @types\/koa and never imports it/,
      ],
    ],
  },
  noPublicTypeNamesTemporal: {
    good: packed(
      {},
      {
        'dist/index.d.ts': `/** As Temporal writes it. */\nexport declare const at: 'Temporal';\nexport { Temporal } from 'a';`,
        'dist/inner.d.ts': 'export declare const at: Temporal.Instant;',
        'dist/index.js': 'Temporal.Now.instant();',
      },
    ),
    bad: [
      [
        packed(
          {},
          {
            'dist/index.d.ts': `export * from './inner.ts';`,
            'dist/inner.d.ts': 'export declare const at: Temporal.Instant;',
          },
        ),
        /dist\/inner\.d\.ts is reached from an entry point and names Temporal/,
      ],
    ],
  },
};

/** In a text of its own, the rules of the architecture would take it for an import of this file. */
function importCall(specifier: string): string {
  return ['import', `('${specifier}')`].join('');
}

function withoutLicense(): PackedFiles {
  const { license, ...manifest } = complete;
  return { ...packed({}), manifest };
}

describe('the rules of what is published', () => {
  for (const [name, rule] of Object.entries(rules)) {
    it(`${name} finds each planted violation, and allows what it should`, () => {
      const { good, bad } = planted[name]!;
      assert.deepEqual(violationsOf(rule, good), []);
      for (const [one, expected] of bad) {
        const found = violationsOf(rule, one);
        assert.equal(found.length, 1, `${expected}: ${found.join('; ')}`);
        assert.match(found[0]!, expected);
      }
    });
  }

  it('follow declarations from one package into another', () => {
    const other = packed(
      { name: '@tallystick/other', dependencies: { '@tallystick/one': '1.0.0' } },
      { 'dist/index.d.ts': `import type { X } from '@tallystick/one/inner';` },
    );
    const exports = { './inner': { types: './dist/inner.d.ts', default: './dist/index.js' } };
    const one = packed({ exports }, { 'dist/inner.d.ts': 'export declare const at: Temporal.Instant;' });
    assert.match(violationsOf(rules.noPublicTypeNamesTemporal!, other, one)[0]!, /one: dist\/inner\.d\.ts/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PackedFiles } from './packed-files.ts';
import type { Manifest } from './public-packages.ts';
import { type Rule, rules } from './tarball-rules.ts';

const complete: Manifest = {
  name: '@tallystick/one',
  version: '1.0.0',
  description: 'A package',
  license: 'UNLICENSED',
  engines: { node: '>=26' },
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
  typesAreDeclared: {
    good: packed(
      { dependencies: { koa: '3.3.0' } },
      { 'dist/inner.d.ts': `import type { Context } from 'koa';`, 'dist/index.d.ts': `import 'node:http';` },
    ),
    bad: [
      [
        packed(
          { dependencies: { koa: '3.3.0' } },
          {
            'dist/index.d.ts': `export * from './inner.ts';`,
            'dist/inner.d.ts': `import type { Context } from 'koa';`,
          },
        ),
        /needs the types of koa; make @types\/koa a dependency/,
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
        'dist/index.d.ts': `/** As Temporal writes it. */\nexport declare const at: 'Temporal';`,
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSourceTree, rules, type SourceFile, type Tree, type Workspace } from './rules.ts';

const tree = readSourceTree(fileURLToPath(new URL('../..', import.meta.url)));

interface Planted {
  readonly bad: Tree;
  readonly good: Tree;
}

const test_storage = { '@tallystick/memory': '0.1.0' };

/** For each rule, trees that violate it in one place, and similar trees that do not. */
const planted: Readonly<Record<string, Planted | readonly Planted[]>> = {
  'packages follow the arrows': [
    pair(
      source('packages/velocity/src/window.ts', "import { issueCard } from '@tallystick/cards';"),
      source('packages/cards/src/deciding/decline-reasons.ts', "import { windowAt } from '@tallystick/velocity';"),
    ),
    pair(
      source('packages/cards/src/working/pass.ts', "import { memoryPersistence } from '@tallystick/memory';"),
      source('packages/cards/test/working/pass.test.ts', "import { memoryPersistence } from '@tallystick/memory';"),
    ),
    pair(
      source('packages/cards/src/issuing/shapes.ts', "import * as z from 'zod';"),
      source('packages/operations/src/virtual-cards/shapes.ts', "import * as z from 'zod';"),
    ),
  ],
  'tests of packages follow the arrows': [
    pair(
      source('packages/cards/test/card.test.ts', "import { mikroOrmPersistence } from '@tallystick/mikro-orm';"),
      source('packages/cards/test/card.test.ts', "import { windowAt } from '@tallystick/velocity';"),
    ),
    pair(
      source('packages/cards/test/card.test.ts', "import { scratch } from 'some-library';"),
      source('packages/cards/test/card.test.ts', "import fc from 'fast-check';"),
    ),
    pair(
      source('packages/cards/test/card.test.ts', "import { createVault } from '@tallystick/vault';"),
      source('packages/cards/test/card.test.ts', "import { memoryPersistence } from '@tallystick/memory';"),
    ),
  ],
  'the reference model shares no code': pair(
    source('packages/harness/src/reference/calendar.ts', "import { windowAt } from '@tallystick/velocity';"),
    source('packages/harness/src/contracts/queue.ts', "import type { DeliveryQueue } from '@tallystick/events';"),
  ),
  'production runs without the harness': pair(
    workspace('apps/importer', { name: '@tallystick/importer', dependencies: { '@tallystick/harness': '0.1.0' } }),
    workspace('apps/importer', { name: '@tallystick/importer', devDependencies: { '@tallystick/harness': '0.1.0' } }),
  ),
  'packages are framework-free': [
    pair(
      source('packages/events/src/webhooks/courier.ts', 'const key = await crypto.subtle.importKey(a, b, c, d, e);'),
      source('packages/webhook-signature/src/verify.ts', 'const valid = crypto.subtle.verify(a, b, c, d);'),
    ),
    pair(
      source('packages/cards/src/deciding/decline-reasons.ts', 'export const day = new Date(2026, 1, 1);'),
      source(
        'packages/cards/src/deciding/decline-reasons.ts',
        '// never new Date: Temporal has no months from 0\nexport const day = Temporal.PlainDate.from(text);',
      ),
    ),
    ...[
      "import { hash } from 'node:crypto';",
      'const zone = process.env.TZ;',
      'await fetch(callback_url);',
      '@injectable()\nexport class Network {}',
    ].map((text) =>
      pair(source('packages/cards/src/deciding/decline-reasons.ts', text), source('adapters/koa/src/app.ts', text)),
    ),
  ],
  'timers come from one port': [
    ...[
      'setTimeout(run, 5);',
      'const timer = globalThis.setInterval(run, 5);',
      'await new Promise(setImmediate);',
      "import { setTimeout as delay } from 'node:timers/promises';",
      "import timers from 'timers';",
      'const signal = AbortSignal.timeout(5);',
      'queueMicrotask(run);',
      'process.nextTick(run);',
      'const now_ms = Date.now();',
      'const now = new Date();',
      'const now = Temporal.Now.instant();',
      'const now_ms = performance.now();',
      "import { performance } from 'node:perf_hooks';",
      'const now = process.hrtime.bigint();',
    ].flatMap((text) => [
      pair(source('adapters/mikro-orm/src/connection/turns.ts', text), source('apps/server/test/server.test.ts', text)),
      pair(source('packages/cards/src/network/lane.ts', text), source('packages/kernel/src/time/timers.ts', text)),
      pair(
        source('apps/embedded/src/background/jobs.ts', text),
        source('apps/embedded/src/tallystick.ts', `// ${text}`),
      ),
      pair(source('apps/server/src/admin/retention.ts', text), source('test/bench/decide.ts', text)),
      pair(source('apps/importer/src/main.ts', text), source('packages/harness/test/run-model.test.ts', text)),
    ]),
    ...[
      'machine_timers.after(5, run);',
      'const { pause } = machine_timers;',
      'const giveWay = giveWayWith(machine_timers);',
    ].flatMap((text) => [
      pair(
        source('adapters/koa/src/request/body.ts', text),
        source('apps/embedded/src/composition/http-modules.ts', text),
      ),
      pair(source('packages/cards/src/network/lane.ts', text), source('packages/kernel/src/time/timers.ts', text)),
    ]),
    ...[
      "import { machine_timers } from '@tallystick/kernel';\nexport function open({ timers = machine_timers }: Options) {}",
      'export function open(run: Run, { after } = machine_timers): void {}',
      'export function open(\n  monotonicNow = machine_timers.monotonicNow,\n): void {}',
    ].map((text) =>
      pair(
        source('adapters/mail/src/smtp-mailer.ts', text.replace('= machine', '= () => machine')),
        source('adapters/mail/src/smtp-mailer.ts', text),
      ),
    ),
    pair(
      source('adapters/oidc/src/protocol/provider.ts', 'const now_ms = Date.now();'),
      source('adapters/oidc/src/protocol/library-time.ts', 'const now_ms = Date.now();'),
    ),
    pair(
      source('adapters/oidc/src/protocol/provider.ts', 'setTimeout(run, 5);'),
      source('adapters/oidc/src/protocol/provider.ts', 'request.setTimeout(5);'),
    ),
    pair(
      source('packages/webhook-signature/src/verify.ts', 'setTimeout(run, 5);'),
      source('packages/webhook-signature/src/verify.ts', 'const now_s = Date.now() / 1_000;'),
    ),
    pair(
      source('packages/harness/src/run-model.ts', 'const now_ms = Date.now();'),
      source('packages/harness/src/run-model.ts', 'const now_ms = clock.nowMs();'),
    ),
    pair(
      source('apps/embedded/src/tallystick.ts', 'await machine_timers.pause(5);'),
      source('apps/server/src/admin/retention.ts', 'await machine_timers.pause(5);'),
    ),
  ],
  'randomness comes from one port': [
    ...[
      'const draw = Math.random();',
      "import { randomBytes } from 'node:crypto';",
      "import { createHmac, randomInt } from 'node:crypto';",
      'const id = crypto.randomUUID();',
      'randomFillSync(bytes);',
      'globalThis.crypto.getRandomValues(bytes);',
      "const { privateKey } = generateKeyPairSync('ec');",
    ].flatMap((text) => [
      pair(
        source('adapters/koa/src/request/request-id.ts', text),
        source('adapters/vault/src/machine-random.ts', text),
      ),
      pair(source('packages/harness/src/run-model.ts', text), source('packages/harness/test/run-model.test.ts', text)),
      pair(source('apps/embedded/src/tx/sqlite-begin.ts', text), source('apps/server/src/devtools/demo.ts', text)),
      pair(source('apps/server/src/server.ts', text), source('apps/server/src/server.ts', `// ${text}`)),
      pair(source('adapters/oidc/src/records.ts', text), source('adapters/oidc/src/protocol/signing-keys.ts', text)),
    ]),
    pair(
      source('apps/embedded/src/background/mails.ts', 'const token = machine_random.bytes(32);'),
      source(
        'apps/embedded/src/composition/storage-modules.ts',
        'bind(tokens.random).toConstantValue(machine_random);',
      ),
    ),
    pair(
      source('apps/embedded/src/background/mails.ts', 'export const open = ({ random = () => machine_random }) => 1;'),
      source('apps/embedded/src/background/mails.ts', 'export const open = ({ random = machine_random }) => 1;'),
    ),
  ],
  'the package for receivers runs anywhere': [
    ...[
      "import { createHmac } from 'node:crypto';",
      "const bytes = Buffer.from(text, 'hex');",
      'const secret = process.env.WEBHOOK_SECRET;',
      'const text = bytes.toHex();',
      'const now_s = Temporal.Now.instant().epochMilliseconds / 1_000;',
      'globalThis.crypto.getRandomValues(bytes);',
    ].map((text) =>
      pair(
        source('packages/webhook-signature/src/verify.ts', text),
        source('packages/webhook-signature/src/verify.ts', `// ${text}\nawait globalThis.crypto.subtle.sign(a, b, c);`),
      ),
    ),
    pair(
      workspace('packages/webhook-signature', { name: 'any', dependencies: { '@tallystick/kernel': '0.1.0' } }),
      workspace('packages/webhook-signature', { name: 'any', devDependencies: { 'fast-check': '4.10.2' } }),
    ),
  ],
  'what is published runs on Node 24': [
    ...[
      "const day = Temporal.PlainDate.from('2030-01-31');",
      'const text = bytes.toHex();',
      "const bytes = Uint8Array.fromBase64('AA==');",
      'const share = shares.getOrInsertComputed(role, createShare);',
      'const all = Iterator.concat(one, other);',
      "import { createMac } from 'node:crypto';\ncreateMac(one);",
    ].map((text) => pair(source('adapters/koa/src/app.ts', text), source('adapters/koa/test/app.test.ts', text))),
    pair(
      source('packages/kernel/src/time/day.ts', 'export const day = Temporal.Instant.from;'),
      source(
        'packages/kernel/src/time/day.ts',
        "// Temporal.Instant\nimport { Temporal } from './temporal.ts';\nexport const day = Temporal.Instant.from;",
      ),
    ),
  ],
  'adapters import no other adapter': pair(
    source('adapters/koa/src/app.ts', "import { mikroOrmPersistence } from '@tallystick/mikro-orm';"),
    source('adapters/koa/src/app.ts', "import { Refusal } from '@tallystick/kernel';"),
    workspace('adapters/mikro-orm', { name: '@tallystick/mikro-orm' }),
  ),
  'only apps compose': [
    pair(
      source('adapters/koa/src/app.ts', "import { Container } from 'inversify';"),
      source('apps/server/src/container.ts', "import { Container } from 'inversify';"),
    ),
    // The tests of a host that uses Inversify are the only ones that may.
    pair(
      source('test/embedding/instances.test.ts', "import { Container } from 'inversify';"),
      source('test/embedding/inversify.test.ts', "import { Container } from 'inversify';"),
    ),
    pair(
      source('test/embedding/inversify/host.ts', "import { Container } from 'inversify';"),
      source('test/embedding/inversify-host.ts', "import { Container } from 'inversify';"),
    ),
  ],
  'the index is the only entry point': [
    pair(
      source(
        'adapters/koa/src/app.ts',
        "import { decide } from '../../../packages/cards/src/deciding/decline-reasons.ts';",
      ),
      source('adapters/koa/src/app.ts', "import { routes } from './routes.ts';"),
    ),
    pair(
      source('test/http/service.ts', "import { decide } from '../../packages/cards/src/deciding/decline-reasons.ts';"),
      source('test/http/service.ts', "import { createServer } from '../../apps/server/src/server.ts';"),
    ),
    pair(
      source('test/http/service.ts', "import { decide } from '@tallystick/cards/src/decide.ts';"),
      source('test/http/service.ts', "import { issueCard } from '@tallystick/cards';"),
    ),
  ],
  'manifests name what is imported': [
    pair(manifestOf({}), manifestOf({ dependencies: ['koa'] }), importing('adapters/koa/src/app.ts')),
    pair(manifestOf({}), manifestOf({ devDependencies: ['koa'] }), importing('adapters/koa/test/app.test.ts')),
    pair(manifestOf({ dependencies: ['koa'] }), manifestOf({})),
    pair(manifestOf({ devDependencies: ['koa', '@types/node'] }), manifestOf({ devDependencies: ['@types/node'] })),
    // The tests may also use the imports of the sources.
    pair(manifestOf({ dependencies: ['koa'], devDependencies: ['koa'] }), manifestOf({ dependencies: ['koa'] }), [
      ...importing('adapters/koa/src/app.ts'),
      ...importing('adapters/koa/test/app.test.ts'),
    ]),
    pair(
      workspace('.', { name: 'all', devDependencies: { turbo: '2.0.0' }, scripts: { build: 'tsc' } }),
      workspace('.', { name: 'all', devDependencies: { turbo: '2.0.0' }, scripts: { build: 'turbo run build' } }),
    ),
    // The types of an imported library are installed with the published declarations.
    pair(
      manifestOf({ dependencies: ['@types/koa'] }),
      manifestOf({ dependencies: ['koa', '@types/koa'] }),
      importing('adapters/koa/src/app.ts'),
    ),
    // An optional library is a peer of what imports it, and of what depends on that.
    pair(
      manifestOf({}),
      manifestOf({ peerDependencies: ['koa'], devDependencies: ['koa'] }),
      importing('adapters/koa/src/app.ts'),
    ),
    pair(manifestOf({ peerDependencies: ['koa'] }), manifestOf({})),
    ...[
      { dependencies: { '@tallystick/koa': '0.1.0', koa: '3.3.0' } },
      { dependencies: { '@tallystick/koa': '0.1.0' }, peerDependencies: { koa: '3.3.0' } },
    ].map((lists) =>
      pair(manifestOf({ dependencies: ['koa'] }), manifestOf({ peerDependencies: ['koa'] }), [
        ...importing('adapters/koa/src/app.ts'),
        ...workspace('apps/server', { name: '@tallystick/server', ...lists }),
        ...source('apps/server/src/main.ts', "import '@tallystick/koa';"),
      ]),
    ),
    // A workspace among the tests without sources is a test.
    pair(
      workspace('test/packages', { name: 'packed' }),
      workspace('test/packages', { name: 'packed', devDependencies: { koa: '3.3.0' } }),
      importing('test/packages/main.ts'),
    ),
    // The tests that cross packages belong to the root, except for a workspace among them.
    pair(
      [...importing('test/http/service.ts'), ...workspace('test/support', { name: '@tallystick/test-support' })],
      [
        ...importing('test/support/src/http.ts'),
        ...workspace('test/support', { name: '@tallystick/test-support', dependencies: { koa: '3.3.0' } }),
      ],
      workspace('.', { name: 'all' }),
    ),
    // A package whose manifest names the storage of its tests closes a cycle of packages.
    ...[
      { root: {}, own: {} },
      { root: test_storage, own: test_storage },
    ].map(({ root, own }) =>
      pair(
        namingTestStorage({ root, own }),
        namingTestStorage({ root: test_storage, own: {} }),
        source('packages/cards/test/card.test.ts', "import { memoryPersistence } from '@tallystick/memory';"),
      ),
    ),
    // The test support opens databases for the tests of packages.
    pair(
      workspace('.', { name: 'all' }),
      workspace('.', { name: 'all', devDependencies: { '@tallystick/mikro-orm': '0.1.0' } }),
      [
        ...workspace('test/support', { name: '@tallystick/test-support' }),
        ...source('test/support/src/storages.ts', "await import('@tallystick/mikro-orm');"),
      ],
    ),
  ],
  'versions are exact': [
    pair(
      workspace('adapters/koa', { name: '@tallystick/koa', dependencies: { koa: '^3.3.0' } }),
      workspace('adapters/koa', { name: '@tallystick/koa', dependencies: { koa: '3.3.0' } }),
    ),
    pair(
      workspace('adapters/koa', { name: '@tallystick/koa', devDependencies: { 'koa-2': 'npm:koa@^2.16.1' } }),
      workspace('adapters/koa', { name: '@tallystick/koa', devDependencies: { 'koa-2': 'npm:koa@2.16.1' } }),
    ),
  ],
  'dependencies have reasons': pair(
    workspace('adapters/koa', { name: '@tallystick/koa', dependencies: { 'left-pad': '1.0.0' } }),
    workspace('adapters/koa', { name: '@tallystick/koa', dependencies: { koa: '3.3.0' } }),
    source('docs/dependencies.md', '| `koa` | the HTTP framework |'),
  ),
  'file names are specific': pair(
    source('packages/cards/src/utils.ts', ''),
    source('packages/cards/src/working/hold.ts', ''),
  ),
  'workspaces have readmes': pair(
    workspace('packages/cards', { name: '@tallystick/cards' }),
    source('packages/cards/README.md', ''),
  ),
  'modules have no cycles': pair(
    [
      ...source('packages/cards/src/working/hold.ts', "import { match } from './match.ts';"),
      ...source('packages/cards/src/working/match.ts', "import type { Hold } from './hold.ts';"),
    ],
    [
      ...source('packages/cards/src/working/hold.ts', "import { match } from './match.ts';"),
      ...source('packages/cards/src/working/match.ts', "import type { Case } from './case.ts';"),
    ],
  ),
  'folders follow the arrows': pair(
    source(
      'adapters/mikro-orm/src/schema/entities.ts',
      "import { readNewestFirst } from '../stores/queries/paging.ts';",
    ),
    source('adapters/mikro-orm/src/stores/cards/cards.ts', "import { entities } from '../../schema/entities.ts';"),
  ),
  'files refer only to the project': pair(
    source('README.md', 'See ../shared/spec/service.md'),
    source('README.md', 'See docs/glossary.md'),
  ),
  'the specification is named in words': pair(
    source('packages/cards/src/issuing/card.ts', '/** As service.md 2.1 has it. */'),
    source('packages/cards/src/issuing/card.ts', '/** As service specification 2.1 has it. */'),
  ),
  'function values are camelCase': [
    pair(
      source('adapters/koa/src/app.ts', 'const started_ms = (): number => performance.now();'),
      source('adapters/koa/src/app.ts', 'const monotonicNow = (): number => performance.now();'),
    ),
    pair(
      source('packages/cards/src/deciding/decline-reasons.ts', 'const is_open = (one) => one.open;'),
      source('packages/cards/src/deciding/decline-reasons.ts', 'const is_open = all.map((one) => one.open);'),
    ),
    pair(
      source('adapters/koa/src/app.ts', 'interface Ports { readonly machine_now_ms: () => number }'),
      source('adapters/koa/src/app.ts', 'interface Ports { readonly machine_clock: Clock }'),
    ),
  ],
  'packages contain no addresses': [
    pair(
      source('packages/harness/src/commands/cards.ts', "const path = '/v1/virtualcards';"),
      source('packages/harness/src/http/http-system.ts', "const path = '/v1/virtualcards';"),
    ),
    pair(
      source('packages/events/src/log/event-log.ts', "const url = '/v1/events/' + id;"),
      source('adapters/koa/src/resources/events/presenter.ts', "const url = '/v1/events/' + id;"),
    ),
    pair(
      source('packages/events/src/log/parse-filters.ts', "const path = 'filter[' + name;"),
      source('packages/events/src/log/parse-filters.ts', '// read from filter[name]\nconst path = name;'),
    ),
    pair(
      source('packages/operations/src/events/operations.ts', "const path = 'filter[' + name;"),
      source('packages/operations/src/events/presenter.ts', "const url = '/v1/events/' + id;"),
    ),
  ],
  'guides name what exists': [
    pair(
      source('CONTRIBUTING.md', 'See `packages/cards/src/network/decline-reasons.ts`.'),
      source('CONTRIBUTING.md', 'See `packages/cards/src/deciding/decline-reasons.ts`, in `deciding/`.'),
      source('packages/cards/src/deciding/decline-reasons.ts', ''),
    ),
    pair(
      source('packages/cards/README.md', '`control.ts`'),
      source('packages/cards/README.md', '`issuing/controls.ts`'),
      source('packages/cards/src/issuing/controls.ts', ''),
    ),
  ],
};

for (const [name, rule] of Object.entries(rules)) {
  test(`the tree keeps the rule: ${name}`, () => {
    const violations = rule(tree);
    assert.deepEqual(violations, [], violations.join('\n'));
  });

  test(`a planted violation breaks the rule: ${name}`, () => {
    for (const { bad, good } of [planted[name]!].flat()) {
      const [violation = '', ...others] = rule(bad);
      assert.match(violation, /^[^:;]+: [^;]+; .+/, 'the problem, and what to do instead');
      assert.deepEqual(others, []);
      assert.deepEqual(rule(good), []);
    }
  });
}

test('the rules read the real tree', () => {
  assert.ok(tree.files.some((file) => file.path === 'packages/kernel/src/values/money.ts'));
  assert.ok(tree.workspaces.length >= 10);
});

type Part = SourceFile | Workspace;

function source(path: string, text: string): readonly Part[] {
  return [{ path, text }];
}

function workspace(folder: string, manifest: Workspace['manifest']): readonly Part[] {
  return [{ folder, manifest }];
}

/** A file that imports koa. */
function importing(path: string): readonly Part[] {
  return source(path, "import { hash } from 'node:crypto';\nimport Koa from 'koa';");
}

/** The manifest of an adapter with these dependencies. */
function manifestOf(
  lists: Readonly<Partial<Record<'dependencies' | 'devDependencies' | 'peerDependencies', readonly string[]>>>,
) {
  const named = Object.entries(lists).map(([list, names]) => [
    list,
    Object.fromEntries(names.map((name) => [name, '1.0.0'])),
  ]);
  return workspace('adapters/koa', { name: '@tallystick/koa', ...Object.fromEntries(named) });
}

/** The manifests of the root and of a package with these development dependencies. */
function namingTestStorage({ root, own }: Readonly<Record<'root' | 'own', Readonly<Record<string, string>>>>) {
  return [
    ...workspace('.', { name: 'all', devDependencies: root }),
    ...workspace('packages/cards', { name: '@tallystick/cards', devDependencies: own }),
  ];
}

function pair(bad: readonly Part[], good: readonly Part[], both: readonly Part[] = []): Planted {
  return { bad: plant([...bad, ...both]), good: plant([...good, ...both]) };
}

function plant(parts: readonly Part[]): Tree {
  return {
    files: parts.filter((part): part is SourceFile => 'path' in part),
    workspaces: parts.filter((part): part is Workspace => 'folder' in part),
  };
}

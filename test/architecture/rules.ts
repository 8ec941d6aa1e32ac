import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The rules of the architecture, as functions from source files to violations. Each violation says
 * what to do instead. `readSourceTree` reads the real files; the tests also plant a violation of
 * each rule, so that a rule that never fires is noticed.
 */

/** A file of the tree: path from the root with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Workspace {
  /** `packages/cards` */
  readonly folder: string;
  readonly manifest: {
    readonly name: string;
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly devDependencies?: Readonly<Record<string, string>>;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
    readonly peerDependencies?: Readonly<Record<string, string>>;
    readonly scripts?: Readonly<Record<string, string>>;
  };
}

export interface Tree {
  readonly files: readonly SourceFile[];
  readonly workspaces: readonly Workspace[];
}

/** `path: what is wrong; what to do instead`. */
export type ViolationLine = string;

export type Rule = (tree: Tree) => readonly ViolationLine[];

/** Which packages a domain package may import: the arrows of the architecture. */
const package_arrows: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  velocity: ['kernel'],
  'webhook-signature': [],
  events: ['kernel', 'webhook-signature'],
  access: ['kernel'],
  templates: ['kernel', 'events'],
  cards: ['kernel', 'events', 'velocity', 'templates'],
  accounts: ['kernel'],
  consents: ['kernel', 'events', 'accounts'],
  imports: ['kernel', 'accounts', 'cards'],
  reconciliation: ['kernel', 'events', 'accounts', 'cards'],
  // It states the answers of the service by hand, so it shares no code with it.
  samples: ['kernel'],
  operations: [
    ...['kernel', 'events', 'velocity', 'access', 'templates', 'cards'],
    ...['accounts', 'consents', 'imports', 'reconciliation'],
  ],
};

/**
 * The libraries that a package may import: shapes stand with the operations, and `Temporal` is part
 * of the language, which Node 24 lacks.
 */
const package_libraries: Readonly<Record<string, readonly string[]>> = {
  kernel: ['temporal-polyfill'],
  operations: ['zod'],
};

interface Import {
  readonly file: SourceFile;
  readonly specifier: string;
}

/** Returns the static, dynamic and re-exporting imports of a TypeScript file, in order. */
export function importsOf(file: SourceFile): readonly string[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|import(?:\.meta\.resolve)?\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
  return [...file.text.matchAll(pattern)].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

function sourcesOf(tree: Tree, pattern: RegExp): readonly SourceFile[] {
  return tree.files.filter((file) => file.path.endsWith('.ts') && pattern.test(file.path));
}

function importsIn(tree: Tree, pattern: RegExp): readonly Import[] {
  return sourcesOf(tree, pattern).flatMap((file) => importsOf(file).map((specifier) => ({ file, specifier })));
}

/**
 * Returns the name of the npm package in a specifier: `@koa/router`, `pg`; null for relative
 * specifiers and for Node's modules.
 */
function packageName(specifier: string): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return null;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Returns the folder of the workspace that contains a path: `packages/cards`. */
function workspaceOf(path: string): string {
  return path.split('/', 2).join('/');
}

/**
 * Domain packages import only the index of each other, along the arrows, and no library (except
 * fast-check in the harness, zod in the operations, and Temporal in the kernel).
 */
export const packagesFollowTheArrows: Rule = (tree) =>
  importsIn(tree, /^packages\/[^/]+\/src\//).flatMap(({ file, specifier }) => {
    const name = packageName(specifier);
    if (name === null) return [];
    const own = file.path.split('/')[1]!;
    const target = name.startsWith('@tallystick/') ? name.slice('@tallystick/'.length) : null;
    if (own === 'harness') {
      const allowed =
        ['fast-check', 'temporal-polyfill'].includes(name) ||
        (target !== null && target !== 'harness' && target in package_arrows);
      return allowed ? [] : [`${file.path}: the harness may not import ${specifier}; let the host pass it in`];
    }
    const known = target === null ? package_libraries[own] : package_arrows[own];
    const allowed = known?.includes(target ?? name) === true;
    return allowed ? [] : [`${file.path}: ${own} may not import ${specifier}; ${insteadOfImport(own, target)}`];
  });

/** Returns what a package does instead of a forbidden import. */
function insteadOfImport(own: string, target: string | null): string {
  if (target === null) return 'declare a port in this package, and implement it with the library in an adapter';
  if (!(target in package_arrows)) return `declare a port in ${own}, and let an app pass in what ${target} implements`;
  const known = (package_arrows[own] ?? []).join(', ') || 'no other package';
  return `${own} may import ${known}: move the rule there, or take what it needs as a parameter`;
}

/**
 * What tests of packages store in. The adapters, and the harness, depend on the packages. A package
 * whose manifest names one of them closes a cycle, which turbo refuses to build, so the root manifest
 * names them for all packages, and for the test support that opens the databases.
 */
const test_storage: readonly string[] = ['@tallystick/memory', '@tallystick/mikro-orm', '@tallystick/harness'];

/** The workspaces whose manifests do not name the storage of tests. */
const without_test_storage = /^(packages\/(?!harness\/)[^/]+\/test|test\/support\/src)\//;

/**
 * The tests of a package may import the same as its sources, the package itself, the harness,
 * fast-check, the test support and the storage in memory.
 */
export const testsOfPackagesFollowTheArrows: Rule = (tree) =>
  importsIn(tree, /^packages\/[^/]+\/test\//).flatMap(({ file, specifier }) => {
    const name = packageName(specifier);
    if (name === null) return [];
    const own = file.path.split('/')[1]!;
    const target = name.startsWith('@tallystick/') ? name.slice('@tallystick/'.length) : null;
    const allowed =
      name === 'fast-check' ||
      name === '@tallystick/memory' ||
      (package_libraries[own] ?? []).includes(name) ||
      (target !== null && [own, 'harness', 'test-support', ...(package_arrows[own] ?? [])].includes(target)) ||
      (['harness', 'samples'].includes(own) && target !== null && target in package_arrows);
    return allowed
      ? []
      : [
          `${file.path}: a test of ${own} may not import ${specifier}; use an adapter's test, or test/ if it crosses packages`,
        ];
  });

/**
 * The reference model shares no code with the service that it checks, because neither would show a
 * mistake that both had. It has `Temporal` from the polyfill itself.
 */
export const referenceModelSharesNoCode: Rule = (tree) =>
  importsIn(tree, /^packages\/harness\/src\//)
    .filter(({ specifier }) => specifier.startsWith('@tallystick/'))
    .filter(({ file, specifier }) => !(file.path.includes('/contracts/') || specifier === '@tallystick/kernel'))
    .map(
      ({ file, specifier }) =>
        `${file.path}: the reference model may not share ${specifier} with the service that it checks; write the rule a second time, from the specification`,
    );

/** What runs in production needs neither the harness nor fast-check. */
export const productionRunsWithoutTheHarness: Rule = (tree) =>
  tree.workspaces
    .filter(({ folder }) => /^(adapters|apps)\//.test(folder))
    .flatMap(({ folder, manifest }) =>
      ['@tallystick/harness', 'fast-check']
        .filter((name) => name in (manifest.dependencies ?? {}))
        .map((name) => `${folder}/package.json: depends on ${name}; move what it needs to packages/samples`),
    );

/** The exceptions of single packages from the rule for packages. */
const allowed_in_packages: Readonly<Record<string, readonly string[]>> = {
  harness: ['input or output'],
  // Receivers run it without any port: it verifies with the WebCrypto of the runtime.
  'webhook-signature': ['cryptography'],
};

/** Domain packages do no I/O and read no clock, environment or randomness. These are ports. */
export const packagesAreFrameworkFree: Rule = (tree) =>
  sourcesOf(tree, /^packages\/[^/]+\/src\//).flatMap((file) => {
    const code = withoutComments(file.text);
    const forbidden: readonly (readonly [RegExp, string, string])[] = [
      [/['"]node:/, "Node's own modules", 'declare a port, and implement it in an adapter'],
      [/\bnew Date\b/, "JavaScript's dates", 'use Temporal'],
      [/\bprocess\.|\bglobalThis\.process\b/, 'the process', 'let an app read the environment and pass in the value'],
      [/\bcrypto\./, 'cryptography', 'declare a port, and implement it in an adapter'],
      [/\bfetch\(|\bconsole\./, 'input or output', 'declare a port or an observer, and implement it in an adapter'],
      [/^\s*@[A-Za-z]+\(/m, 'a decorator', 'write a plain function; apps bind it with toResolvedValue'],
    ];
    const allowed = allowed_in_packages[file.path.split('/')[1]!] ?? [];
    return forbidden
      .filter(([, what]) => !allowed.includes(what))
      .filter(([pattern]) => pattern.test(code))
      .map(([, what, instead]) => `${file.path}: uses ${what}; ${instead}`);
  });

/**
 * What parts may take from the process: the port; the package for receivers, which has no
 * dependencies, and the text that shows receivers what it does; what is compared with the times of
 * the library of the authorisation server; the tools that talk to a server from outside; and the
 * health check of the container, which imports nothing.
 */
const may_take_timers: Readonly<Record<string, readonly string[]>> = {
  'packages/kernel/src/time/timers.ts': ['a timer', 'a turn', 'machine time', 'monotonic time'],
  'packages/webhook-signature/src/': ['machine time'],
  'adapters/koa/src/document/webhook-reference.ts': ['machine time'],
  'adapters/oidc/src/protocol/library-time.ts': ['machine time'],
  'apps/server/src/health-check.ts': ['a timer'],
  'apps/server/src/devtools/': ['a timer', 'machine time', 'monotonic time'],
};

/**
 * Machine time, timers and turns of the event loop, as the globals and modules of Node have them.
 */
const global_timers: readonly (readonly [RegExp, string, string])[] = [
  [
    /(?<!(?<!globalThis)\.)\bset(Timeout|Interval|Immediate)\b|\bfrom ['"](node:)?timers\b/,
    'a timer',
    'after, pause or nextTurn',
  ],
  [/\bAbortSignal\.timeout\b/, 'a timer', 'abortAfter'],
  [/\bqueueMicrotask\b|\bprocess\.nextTick\b/, 'a turn', 'nextTurn'],
  [/\bDate\.now\b|\bDate\(\)|\bTemporal\.Now\b/, 'machine time', 'nowMs'],
  [/\bperformance\.now\b|['"](node:)?perf_hooks|\bhrtime\b/, 'monotonic time', 'monotonicNow'],
];

/**
 * Everything takes time, timers and turns from one port (ADR 0056). Tests of a host replace the
 * globals, and a replaced timer does not run. The timers of the machine are bound where the parts
 * are composed, so that others can take their place; a part names them only as a default. The
 * server and the importer are processes of their own. The contracts of the harness are tests.
 */
export const timersComeFromOnePort: Rule = (tree) =>
  sourcesOf(tree, /^(packages|adapters|apps)\/[^/]+\/src\//).flatMap((file) => {
    const code = withoutComments(file.text);
    const allowed = Object.entries(may_take_timers).flatMap(([start, what]) =>
      file.path.startsWith(start) ? what : [],
    );
    const taken = global_timers
      .filter(([pattern, what]) => !allowed.includes(what) && pattern.test(code))
      .map(([, what, instead]) => `${file.path}: takes ${what} from the process; use ${instead} of Timers`);
    return [...taken, ...namedOutsideTheComposition(file, 'machine_timers', 'Timers')];
  });

/** What is the machine's is bound in a composition. A part names it only as a default. */
function namedOutsideTheComposition(file: SourceFile, name: string, port: string): readonly ViolationLine[] {
  const may_bind =
    /^(packages\/(kernel|harness)|adapters\/vault|apps\/(server|importer)|apps\/embedded\/src\/composition)\//;
  if (may_bind.test(file.path)) return [];
  const as_default = new RegExp(`= ${name}(\\.\\w+)?(?=\\s*[,)}])|^import \\{[^}]*\\} from [^;]+;`, 'gm');
  if (!withoutComments(file.text).replace(as_default, '').includes(name)) return [];
  return [`${file.path}: names ${name}; take ${port} from who composes it`];
}

/**
 * What may draw at random itself: the adapter that implements the port; the storage, as the default
 * of what spreads its retries; a key of RSA, which cannot be derived from drawn bytes; the seed of a
 * sample that names none; and the tools that talk to a server from outside.
 */
const may_draw: readonly string[] = [
  'adapters/vault/src/machine-random.ts',
  'adapters/mikro-orm/src/persistence.ts',
  'adapters/oidc/src/protocol/signing-keys.ts',
  'apps/importer/src/sample-files/command.ts',
  'apps/server/src/devtools/',
];

const global_randomness =
  /\bMath\.random\b|\bgetRandomValues\b|\brandom(Bytes|Int|UUID\w*|Fill\w*)\b|\bgenerate(KeyPair|Key|Prime)(Sync)?\b/;

/**
 * Everything draws at random from one port (ADR 0056), so that a simulation that replaces it
 * decides every id, token, nonce and pause.
 */
export const randomnessComesFromOnePort: Rule = (tree) =>
  sourcesOf(tree, /^(packages|adapters|apps)\/[^/]+\/src\//).flatMap((file) => [
    ...(global_randomness.test(withoutComments(file.text)) && !may_draw.some((start) => file.path.startsWith(start))
      ? [`${file.path}: draws at random from the process; take a Random of @tallystick/kernel`]
      : []),
    ...namedOutsideTheComposition(file, 'machine_random', 'a Random'),
  ]);

/**
 * The package for receivers runs on Node 20, Deno, Bun and in browsers: it has no dependencies, and
 * uses only what all of them have. Its build also proves this: it has only the types of web
 * workers, which do not include Node's.
 */
export const receiversPackageRunsAnywhere: Rule = (tree) => {
  const unknown_elsewhere: readonly (readonly [RegExp, string])[] = [
    [/['"]node:|\brequire\(|\bBuffer\b|\bprocess\b|\bglobal\./, "Node's own API"],
    [/\bTemporal\b|\.toHex\(|\.toBase64\(|\bfrom(Hex|Base64)\(/, 'an API that Node 20 lacks'],
    [/\bgetRandomValues\b|\brandomUUID\b|\bMath\.random\b/, 'randomness'],
  ];
  const files = sourcesOf(tree, /^packages\/webhook-signature\/src\//).flatMap((file) => {
    const code = withoutComments(file.text);
    const used = unknown_elsewhere.filter(([pattern]) => pattern.test(code)).map(([, what]) => what);
    return used.map((what) => `${file.path}: uses ${what}; receivers run this package on other runtimes`);
  });
  const manifests = tree.workspaces
    .filter(({ folder }) => folder === 'packages/webhook-signature')
    .flatMap(({ manifest }) => Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
    .map((name) => `packages/webhook-signature/package.json: depends on ${name}; it must depend on nothing`);
  return [...files, ...manifests];
};

/**
 * What is published runs on Node 24 (ADR 0063). The compiler knows the language of that Node
 * (`lib` of tsconfig.base.json), but its types of Node's modules are of a later one.
 */
export const publishedRunsOnNode24: Rule = (tree) => {
  const later: readonly (readonly [RegExp, string, string])[] = [
    [/\bTemporal\./, 'the global Temporal', 'import Temporal from @tallystick/kernel'],
    [
      /\.to(?:Hex|Base64)\(|\bUint8Array\.from(?:Hex|Base64)\(/,
      'a method of Uint8Array',
      'use toHex of @tallystick/kernel',
    ],
    [/\.getOrInsert(?:Computed)?\(|\bIterator\.(?:concat|zip)\b/, 'a later method of the language', 'write it out'],
    [
      /\b(?:openAsBlobSync|createMac|parsePKCS12|debounce|throttle|textStream|createZipArchive)\(/,
      'a later API of Node',
      'write it out',
    ],
  ];
  return sourcesOf(tree, /^(packages|adapters|apps)\/[^/]+\/src\//).flatMap((file) => {
    const code = withoutComments(file.text);
    return later
      .filter(([pattern, what]) => pattern.test(code) && !(what.endsWith('Temporal') && importsTemporal(code)))
      .map(([, what, instead]) => `${file.path}: uses ${what}, which Node 24 lacks; ${instead}`);
  });
};

function importsTemporal(code: string): boolean {
  return /\bimport (?:type )?\{[^}]*\bTemporal\b[^}]*\} from/.test(code);
}

/** Adapters import packages and their libraries, never another adapter or an app. */
export const adaptersImportNoOtherAdapter: Rule = (tree) => {
  const folders = new Map(tree.workspaces.map((workspace) => [workspace.manifest.name, workspace.folder]));
  return importsIn(tree, /^adapters\/[^/]+\/(src|test)\//).flatMap(({ file, specifier }) => {
    const folder = folders.get(packageName(specifier) ?? '');
    const foreign = folder !== undefined && /^(adapters|apps)\//.test(folder) && folder !== workspaceOf(file.path);
    return foreign
      ? [
          `${file.path}: an adapter may not import ${specifier}; let an app pass it in, or move what both need to a package`,
        ]
      : [];
  });
};

/** Only apps import the container. */
export const onlyAppsCompose: Rule = (tree) =>
  importsIn(tree, /^(packages|adapters|test)\//)
    .filter(({ file }) => !/^test\/embedding\/inversify[^/]*\.ts$/.test(file.path))
    .filter(({ specifier }) => ['inversify', 'reflect-metadata'].includes(packageName(specifier) ?? ''))
    .map(
      ({ file, specifier }) =>
        `${file.path}: only apps may import ${specifier}; export a plain factory and bind it in the container of the app`,
    );

const through_the_index = 'import the name of the package, and export what is missing from its src/index.ts';

/**
 * The index of a package is its only entry point, and relative imports stay inside their workspace.
 */
export const indexIsTheOnlyEntryPoint: Rule = (tree) =>
  importsIn(tree, /^(packages|adapters|apps|test)\//).flatMap(({ file, specifier }) => {
    // The generated types are an entry of their own: their names are those of the resources.
    if (/^@tallystick\/(?!operations\/resources$)[^/]+\/./.test(specifier))
      return [`${file.path}: reaches behind the index with ${specifier}; ${through_the_index}`];
    if (!specifier.startsWith('.')) return [];
    const resolved = new URL(specifier, `file:///${file.path}`).pathname.slice(1);
    // Tests that cross packages may start an app from its sources, because an app has no entry
    // point.
    if (file.path.startsWith('test/')) {
      return /^(packages|adapters)\//.test(resolved)
        ? [`${file.path}: reaches behind the index with ${specifier}; ${through_the_index}`]
        : [];
    }
    return workspaceOf(resolved) === workspaceOf(file.path)
      ? []
      : [`${file.path}: leaves its workspace with ${specifier}; ${through_the_index}`];
  });

/**
 * A manifest names exactly the imports of its workspace: `dependencies` those of the sources,
 * `devDependencies` those that only the tests have. An import that is not named works only while
 * something else has the package installed. A name that is not imported is one more library to
 * maintain. Types of an imported library are a dependency when the published declarations need
 * them. An optional library is in `peerDependencies`, also of what passes it on; `devDependencies`
 * install it for the tests, and `dependencies` of an app for the app. A workspace in `test/`
 * without sources is a test. The root manifest also names the storage that tests of packages
 * import.
 */
export const manifestsNameWhatIsImported: Rule = (tree) =>
  tree.workspaces.flatMap(({ folder, manifest }) => {
    const owned = tree.files.filter(({ path }) => ownerOf(tree, path) === folder);
    const imported = (part: string): Map<string, string> => {
      const start = [folder, part]
        .filter((name) => name !== '.')
        .map((name) => `${name}/`)
        .join('');
      const found = owned
        .filter(({ path }) => path.endsWith('.ts') && path.startsWith(start))
        .flatMap((file) => importsOf(file).map((specifier) => [packageName(specifier), file.path] as const))
        .filter((one): one is readonly [string, string] => one[0] !== null && one[0] !== manifest.name);
      return new Map(found.toReversed());
    };
    const by_sources = imported('src');
    const has_sources = owned.some(({ path }) => path.startsWith(`${folder}/src/`));
    const tests = folder.startsWith('test/') && !has_sources ? '.' : 'test';
    const by_tests = new Map([...imported(tests)].filter(([name]) => !by_sources.has(name)));
    for (const name of test_storage) {
      const importers = importersOf(tree, name);
      if (importers.some((path) => path.startsWith(`${folder}/`))) {
        by_sources.delete(name);
        by_tests.delete(name);
      }
      if (folder === '.' && importers[0] !== undefined) by_tests.set(name, importers[0]);
    }
    const of_dependencies = tree.workspaces
      .filter((other) => other.manifest.name in (manifest.dependencies ?? {}))
      .flatMap((other) => Object.keys(other.manifest.peerDependencies ?? {}));
    const peers = new Map([...by_sources].filter(([name]) => name in (manifest.peerDependencies ?? {})));
    for (const name of peers.keys()) by_sources.delete(name);
    const passesOn = (name: string): boolean => of_dependencies.includes(name);
    const used = (name: string): boolean =>
      peers.has(name) ||
      isRunByAScript(name, manifest) ||
      isTypesOf(name, [...by_sources.keys(), ...peers.keys(), ...by_tests.keys(), 'node']);
    return [
      ...differences(
        folder,
        'dependencies',
        by_sources,
        manifest,
        (name) => passesOn(name) || isTypesOf(name, [...by_sources.keys()]),
      ),
      ...differences(folder, 'peerDependencies', peers, manifest, passesOn),
      ...differences(folder, 'devDependencies', by_tests, manifest, used),
    ];
  });

/** Returns the files that import storage of tests without a name in the manifest of their workspace. */
function importersOf(tree: Tree, name: string): readonly string[] {
  return importsIn(tree, without_test_storage)
    .filter(({ specifier }) => packageName(specifier) === name)
    .map(({ file }) => file.path);
}

/** Returns the innermost workspace that contains a file; `.` is the root workspace. */
function ownerOf(tree: Tree, path: string): string {
  const folders = tree.workspaces.map(({ folder }) => folder).filter((folder) => path.startsWith(`${folder}/`));
  return folders.toSorted((a, b) => b.length - a.length)[0] ?? '.';
}

function differences(
  folder: string,
  list: 'dependencies' | 'devDependencies' | 'peerDependencies',
  imported: ReadonlyMap<string, string>,
  manifest: Workspace['manifest'],
  used: (name: string) => boolean,
): readonly ViolationLine[] {
  const named = manifest[list] ?? {};
  const unnamed = [...imported].filter(([name]) => !(name in named));
  const idle = Object.keys(named).filter((name) => !imported.has(name) && !used(name));
  return [
    ...unnamed.map(
      ([name, path]) =>
        `${path}: imports ${name}, which is not in ${list} of ${folder}/package.json; add it there with an exact version`,
    ),
    ...idle.map((name) => `${folder}/package.json: has ${name} in ${list}, but nothing there imports it; remove it`),
  ];
}

/** The commands of packages that are run and not imported. */
const commands: Readonly<Record<string, string>> = {
  '@biomejs/biome': 'biome',
  '@hey-api/openapi-ts': 'openapi-ts',
  '@redocly/cli': 'redocly',
  bun: 'bun',
  deno: 'deno',
  'openapi-typescript': 'openapi-typescript',
  orval: 'orval',
  turbo: 'turbo',
  typescript: 'tsc',
};

function isRunByAScript(name: string, { scripts = {} }: Workspace['manifest']): boolean {
  const command = commands[name];
  return command !== undefined && Object.values(scripts).some((script) => script.split(' ').includes(command));
}

function isTypesOf(name: string, packages: readonly string[]): boolean {
  return name.startsWith('@types/') && packages.includes(name.slice('@types/'.length));
}

/** Versions are exact. */
export const versionsAreExact: Rule = (tree) =>
  tree.workspaces.flatMap(({ folder, manifest }) =>
    Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies })
      .filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(
        ([name, version]) => `${folder}/package.json: ${name} is ${version}; name one version without ^, ~ or a range`,
      ),
  );

/** Each runtime dependency is named with its reason in docs/dependencies.md. */
export const dependenciesHaveReasons: Rule = (tree) => {
  const reasons = tree.files.find((file) => file.path === 'docs/dependencies.md')?.text ?? '';
  const own = new Set(tree.workspaces.map(({ manifest }) => manifest.name));
  return tree.workspaces.flatMap(({ folder, manifest }) =>
    Object.keys(manifest.dependencies ?? {})
      .filter((name) => !own.has(name) && !reasons.includes(`\`${name}\``))
      .map(
        (name) =>
          `${folder}/package.json: ${name} has no reason in docs/dependencies.md; add a row that says why it is needed`,
      ),
  );
};

/** The name of a file describes its content. */
export const fileNamesAreSpecific: Rule = (tree) =>
  tree.files
    .filter((file) => /(^|\/)(utils?|helpers?|common|managers?|types|misc)(\.test)?\.ts$/.test(file.path))
    .map((file) => `${file.path}: the name is not specific; name the file after its one theme`);

/** Every workspace has a README that describes its purpose. */
export const workspacesHaveReadmes: Rule = (tree) =>
  tree.workspaces
    .filter(
      ({ folder }) =>
        /^(packages|adapters|apps)\//.test(folder) && !tree.files.some((file) => file.path === `${folder}/README.md`),
    )
    .map(({ folder }) => `${folder}: has no README.md; write one that begins with its purpose and its words`);

/**
 * No module imports itself through others, types included. Files that need each other have one
 * theme, or need a third file.
 */
export const modulesHaveNoCycles: Rule = (tree) => {
  const edges = new Map<string, readonly string[]>();
  for (const file of sourcesOf(tree, /^(packages|adapters|apps)\/[^/]+\/src\//)) {
    const targets = importsOf(file).filter((specifier) => specifier.startsWith('.'));
    edges.set(
      file.path,
      targets.map((specifier) => new URL(specifier, `file:///${file.path}`).pathname.slice(1)),
    );
  }
  const violations: ViolationLine[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      violations.push(
        `${path}: imports itself through ${[...trail.slice(trail.indexOf(path) + 1), path].join(' > ')}; move what both need to a separate file`,
      );
      return;
    }
    if (done.has(path)) return;
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return violations;
};

/**
 * Which folders of its `src` a folder may import, for the workspaces with layers. No arrow leads
 * back.
 */
const folder_arrows: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'adapters/mikro-orm': {
    schema: [],
    connection: ['schema'],
    host: ['schema', 'connection'],
    'event-index': ['schema', 'connection'],
    ledger: ['schema', 'connection'],
    stores: ['schema', 'connection', 'event-index'],
  },
  'packages/access': {
    companies: [],
    keys: ['companies'],
    people: ['keys', 'companies'],
    requests: ['keys', 'companies'],
  },
  'packages/events': { log: [], subscriptions: ['log'], webhooks: ['log'] },
};

/**
 * Within a workspace that is divided into layers, imports between its folders run in one direction.
 */
export const foldersFollowTheArrows: Rule = (tree) =>
  importsIn(tree, /^(packages|adapters)\/[^/]+\/src\/[^/]+\//).flatMap(({ file, specifier }) => {
    const arrows = folder_arrows[workspaceOf(file.path)];
    if (arrows === undefined || !specifier.startsWith('.')) return [];
    const own = file.path.split('/')[3]!;
    const resolved = new URL(specifier, `file:///${file.path}`).pathname.slice(1).split('/');
    if (resolved.length < 5 || resolved[3] === own) return [];
    const allowed = arrows[own] ?? [];
    if (allowed.includes(resolved[3]!)) return [];
    const known = allowed.map((folder) => `${folder}/`).join(', ') || 'no other folder';
    return [
      `${file.path}: ${own}/ may not import ${specifier}; it may import ${known}: move what both need to the lower folder`,
    ];
  });

/** The files of the project refer only to the project. */
export const filesReferOnlyToTheProject: Rule = (tree) =>
  tree.files
    .filter((file) => !/^(test\/architecture|\.ci)\//.test(file.path))
    .filter((file) => /\.\.\/shared\b|\/work\/|\/root\/|registry\.npmjs/.test(file.text))
    .map((file) => `${file.path}: refers to a place outside the project; describe in words what is there`);

/**
 * Readers of the product do not have the specification, so clauses and decisions are stated in
 * words. The guide `docs/decisions.md` is ours.
 */
export const specificationIsNamedInWords: Rule = (tree) =>
  tree.files
    .filter((file) => !file.path.startsWith('test/architecture/'))
    .filter((file) => /\b(service|(?<!docs\/|\]\()decisions|clearing-files)\.md\b/.test(file.text))
    .map(
      (file) => `${file.path}: names a file of the specification; name the clause instead: service specification 2.1`,
    );

/**
 * The linter checks functions and methods. It cannot see that a constant or a field is a function.
 */
export const functionValuesAreCamelCase: Rule = (tree) =>
  sourcesOf(tree, /^(packages|adapters|apps|test\/(?!architecture\/))/).flatMap((file) => {
    const constants = /\bconst ([a-z]+_\w+)(?:: [^=\n]+)? = (?:async )?(?:\w+|\([^()]*\))(?:: [^=\n]+)? =>/g;
    const fields = /\breadonly ([a-z]+_\w+)\??: \([^()]*\) =>/g;
    const code = withoutComments(file.text);
    return [...code.matchAll(constants), ...code.matchAll(fields)].map(
      ([, name]) => `${file.path}: ${name} is a function; write its name in camelCase`,
    );
  });

/**
 * Packages contain no paths and no parameters of the API that serves them, and no configuration of
 * a process. Resources show paths, so the operations have paths, and descriptions for the document
 * name parameters. The harness is a client of the API.
 */
export const packagesContainNoAddresses: Rule = (tree) =>
  sourcesOf(tree, /^packages\/(?!harness\/src\/http\/)[^/]+\/src\//).flatMap((file) => {
    const code = withoutComments(file.text);
    const addresses = file.path.startsWith('packages/operations/')
      ? /['"`][^'"`\n]*((?<!\?)\bfilter\[|\bpage\[)/
      : /['"`][^'"`\n]*(\/v1\/|\/operator\/|\bfilter\[|\bpage\[)/;
    const found = addresses.exec(code.replace(/\.describe\([^)]*\)/g, ''))?.[1];
    if (found === undefined) return [];
    return [`${file.path}: writes ${found}; move it to the adapter, and take what it makes from a port`];
  });

/**
 * Paths in backticks in the guides of contributors exist. One that does not begin at the root may
 * leave folders out at its start. `card-note` is the example of a recipe that makes files.
 */
export const guidesNameWhatExists: Rule = (tree) => {
  const guide = /^(README|CONTRIBUTING|(packages|adapters)\/[^/]+\/README)\.md$/;
  const paths = tree.files.map(({ path }) => `/${path}`);
  return tree.files
    .filter(({ path }) => guide.test(path))
    .flatMap(({ path: guide, text }) => {
      const names = [...text.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name!);
      return [...new Set(names)]
        .filter((name) => /\w(\.ts|\/)$|^(packages|adapters|apps|test|docs)\//.test(name))
        .filter((name) => !/\bcard-notes?\b/.test(name) && name !== 'data/')
        .filter((name) => !paths.some((path) => `${path}/`.includes(`/${name.replace(/\/$/, '')}/`)))
        .map((name) => `${guide}: names ${name}, which does not exist; name the file or folder that is there`);
    });
};

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/[^\n]*/g, '$1');
}

export const rules: Readonly<Record<string, Rule>> = {
  'packages follow the arrows': packagesFollowTheArrows,
  'tests of packages follow the arrows': testsOfPackagesFollowTheArrows,
  'the reference model shares no code': referenceModelSharesNoCode,
  'production runs without the harness': productionRunsWithoutTheHarness,
  'packages are framework-free': packagesAreFrameworkFree,
  'timers come from one port': timersComeFromOnePort,
  'randomness comes from one port': randomnessComesFromOnePort,
  'the package for receivers runs anywhere': receiversPackageRunsAnywhere,
  'what is published runs on Node 24': publishedRunsOnNode24,
  'adapters import no other adapter': adaptersImportNoOtherAdapter,
  'only apps compose': onlyAppsCompose,
  'the index is the only entry point': indexIsTheOnlyEntryPoint,
  'manifests name what is imported': manifestsNameWhatIsImported,
  'versions are exact': versionsAreExact,
  'dependencies have reasons': dependenciesHaveReasons,
  'file names are specific': fileNamesAreSpecific,
  'workspaces have readmes': workspacesHaveReadmes,
  'modules have no cycles': modulesHaveNoCycles,
  'folders follow the arrows': foldersFollowTheArrows,
  'files refer only to the project': filesReferOnlyToTheProject,
  'the specification is named in words': specificationIsNamedInWords,
  'function values are camelCase': functionValuesAreCamelCase,
  'packages contain no addresses': packagesContainNoAddresses,
  'guides name what exists': guidesNameWhatExists,
};

const text_file = /\.(ts|json|md|html|sql|yml|toml)$|\.ci\/run$/;

/**
 * Reads the files of the working tree that git tracks or would track, and the workspaces among
 * them.
 */
export function readSourceTree(root: string): Tree {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root });
  const paths = listed
    .toString('utf8')
    .split('\0')
    .filter((path) => text_file.test(path) && path !== 'package-lock.json');
  const files = paths.flatMap((path): SourceFile[] => {
    try {
      return [{ path, text: readFileSync(`${root}/${path}`, 'utf8') }];
    } catch {
      return []; // deleted in the working tree, still in the index
    }
  });
  const workspaces = files
    .filter((file) => file.path.endsWith('/package.json') || file.path === 'package.json')
    .map((file): Workspace => ({ folder: dirname(file.path), manifest: JSON.parse(file.text) }));
  return { files, workspaces };
}

/**
 * The rules of what is published, as functions from the files of packages to violations. Each
 * violation says what to do instead. The tests plant a violation of each.
 */

import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { namesGlobal, type PackedFiles, packageOf, reachableDeclarations, specifiersOf } from './packed-files.ts';
import type { PackedPackage } from './packing.ts';

/** `package: what is wrong; what to do instead`. */
export type ViolationLine = string;

export interface World {
  readonly packages: readonly PackedFiles[];
  /** Texts that identify the machine that packs, and what each is. */
  readonly machine_names: ReadonlyMap<string, string>;
  /** Whether a library has its types in a package of its own: `koa` in `@types/koa`. */
  readonly typesPackageOf: (library: string) => string | null;
}

export type Rule = (world: World) => readonly ViolationLine[];

/** Types of Node are the host's: a second copy of these globals would conflict with its own. */
const types_of_the_host: ReadonlySet<string> = new Set(['@types/node']);

/** A published file is a built module, its declarations, package.json, or a document. */
export const onlyBuiltFilesArePublished: Rule = ({ packages }) =>
  packages.flatMap(({ manifest, texts }) =>
    [...texts.keys()]
      .filter(
        (path) => !/^dist\/.*(?<!\.test)(?:\.d\.ts|\.js)$|^package\.json$|^(?:README|LICENSE|CHANGELOG)/.test(path),
      )
      .map(
        (path) => `${manifest.name}: publishes ${path}; only built modules, declarations and documents are published`,
      ),
  );

/** Maps are not published: sources are not, and the modules are the sources without their types. */
export const noMapsAreNamed: Rule = ({ packages }) =>
  packages.flatMap(({ manifest, texts }) =>
    [...texts]
      .filter(([, text]) => /^\/\/[#@] sourceMappingURL=/m.test(text))
      .map(([path]) => `${manifest.name}: ${path} names a source map; build without maps`),
  );

/** Nothing shows where it was built. */
export const noMachineIsNamed: Rule = ({ packages, machine_names }) =>
  packages.flatMap(({ manifest, texts }) =>
    [...texts].flatMap(([path, text]) =>
      [...machine_names]
        .filter(([name]) => new RegExp(`(?<![\\w.-])${RegExp.escape(name)}`).test(text))
        .map(([, what]) => `${manifest.name}: ${path} contains ${what}; remove it`),
    ),
  );

/** The manifest is complete, and its sibling versions are exact. */
export const manifestsAreComplete: Rule = ({ packages }) => {
  const names = new Set(packages.map(({ manifest }) => manifest.name));
  return packages.flatMap(({ manifest, texts }) => {
    const wrong: string[] = [];
    for (const field of ['description', 'license', 'engines', 'exports', 'version'] as const) {
      if (manifest[field] === undefined) wrong.push(`package.json has no ${field}; add it`);
    }
    if (![...texts.keys()].some((path) => /^README\.md$/.test(path))) wrong.push('has no README.md; write one');
    if (manifest.name.startsWith('@') && manifest.publishConfig?.access !== 'public') {
      wrong.push('a scoped package is private by default; set publishConfig.access to public');
    }
    if (JSON.stringify(manifest.exports ?? {}).includes('/src/')) wrong.push('exports lead to src; publish dist only');
    for (const [entry, conditions] of Object.entries(manifest.exports ?? {})) {
      for (const [condition, path] of Object.entries(conditions)) {
        if (!texts.has(path.replace(/^\.\//, '')))
          wrong.push(`exports ${entry} leads by ${condition} to a missing file`);
      }
    }
    for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
      if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) wrong.push(`${name} has no exact version; state one`);
      if (/^(?:@tallystick\/|tallystick$)/.test(name) && !names.has(name)) {
        wrong.push(`depends on ${name}, which is private; publish it or remove the dependency`);
      }
    }
    return wrong.map((what) => `${manifest.name}: ${what}`);
  });
};

/** A package imports only what it declares, in modules and in declarations. */
export const importsAreDeclared: Rule = ({ packages }) =>
  packages.flatMap((one) =>
    [...importsOf(one)]
      .filter(([name]) => !declaredBy(one).has(name))
      .map(([name, { path }]) => `${one.manifest.name}: ${path} imports ${name}, which is no dependency; add it`),
  );

/**
 * A declaration that an entry point reaches needs no package of types: it would be a dependency
 * that only compilers load, with dependencies of its own. The types of Node are the host's.
 */
export const noPackageOfTypesIsNeeded: Rule = ({ packages, typesPackageOf }) => {
  const needed = reachableDeclarations(packages).flatMap(({ package_name, path, text }) =>
    specifiersOf(text).flatMap((specifier) => {
      const name = packageOf(specifier);
      const types = name === null ? null : typesPackageOf(name);
      return types === null || types_of_the_host.has(types)
        ? []
        : [
            `${package_name}: ${path} is reached from an entry point and needs ${types}; declare what it needs of ${name}`,
          ];
    }),
  );
  return [...new Set(needed)];
};

/**
 * A package declares only what it imports, or the types of it. Our own packages are left out:
 * test/architecture compares them with the sources, which may need only types of one.
 */
export const dependenciesAreUsed: Rule = ({ packages }) =>
  packages.flatMap((one) => {
    const imported = importsOf(one);
    // A peer may be passed on to a dependency.
    return Object.keys({ ...one.manifest.dependencies, ...one.manifest.optionalDependencies })
      .filter((name) => !name.startsWith('@tallystick/'))
      .filter((name) => {
        const library = name.replace(/^@types\/(?:(.+)__)?/, (_, scope?: string) =>
          scope === undefined ? '' : `@${scope}/`,
        );
        return library === name ? !imported.has(name) : imported.get(library)?.in_types !== true;
      })
      .map((name) => `${one.manifest.name}: declares ${name} and never imports it; remove the dependency`);
  });

/** TypeScript 5.9 knows no Temporal: instants are epoch milliseconds, days and times ISO texts. */
export const noPublicTypeNamesTemporal: Rule = ({ packages }) =>
  reachableDeclarations(packages)
    .filter(({ text }) => namesGlobal(text, 'Temporal'))
    .map(
      ({ package_name, path }) =>
        `${package_name}: ${path} is reached from an entry point and names Temporal; use epoch milliseconds or ISO texts`,
    );

export const rules: Readonly<Record<string, Rule>> = {
  onlyBuiltFilesArePublished,
  noMapsAreNamed,
  noMachineIsNamed,
  manifestsAreComplete,
  importsAreDeclared,
  noPackageOfTypesIsNeeded,
  dependenciesAreUsed,
  noPublicTypeNamesTemporal,
};

function declaredBy({ manifest }: PackedFiles): ReadonlySet<string> {
  return new Set(
    [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies].flatMap((of) =>
      Object.keys(of ?? {}),
    ),
  );
}

interface FirstImport {
  readonly path: string;
  /** Whether a declaration file also imports it. */
  readonly in_types: boolean;
}

/** Returns the packages that a package imports, by name. */
function importsOf({ manifest, texts }: PackedFiles): ReadonlyMap<string, FirstImport> {
  const imports = new Map<string, FirstImport>();
  for (const [path, text] of texts) {
    if (!/\.[jt]s$/.test(path)) continue;
    for (const specifier of specifiersOf(text)) {
      const name = packageOf(specifier);
      if (name === null || name === manifest.name) continue;
      const in_types = path.endsWith('.d.ts');
      const known = imports.get(name);
      if (known === undefined || (in_types && !known.in_types)) imports.set(name, { path, in_types });
    }
  }
  return imports;
}

/** Hosts import modules: `require` without types for it and TypeScript's old resolution are not served. */
const unserved_resolutions: ReadonlySet<string> = new Set(['node10', 'node16-cjs']);

/** Returns everything that publint suggests, warns of or rejects, and every wrong type. */
export async function lintTarball({ manifest, tarball }: PackedPackage): Promise<readonly string[]> {
  const data = readFileSync(tarball);
  const { messages, pkg } = await publint({ pack: { tarball: Uint8Array.from(data).buffer }, level: 'suggestion' });
  const result = await checkPackage(createPackageFromTarballData(data));
  const problems = result.types === false ? [] : result.problems.filter(isServed);
  return [
    ...messages.map((message) => `${manifest.name}: publint: ${formatMessage(message, pkg) ?? message.code}`),
    ...(result.types === false ? [`${manifest.name}: arethetypeswrong: finds no types`] : []),
    ...problems.map((problem) => `${manifest.name}: arethetypeswrong: ${JSON.stringify(problem)}`),
  ];
}

function isServed(problem: Problem): boolean {
  if ('resolutionKind' in problem) return !unserved_resolutions.has(problem.resolutionKind);
  if ('resolutionOption' in problem) return !unserved_resolutions.has(problem.resolutionOption);
  return true;
}

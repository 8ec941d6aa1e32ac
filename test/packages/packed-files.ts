/** The files of an installed package, and what they import. */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix, relative, sep } from 'node:path';
import ts from 'typescript';
import { type Manifest, readManifest } from './public-packages.ts';

/** What a host receives. */
export interface PackedFiles {
  readonly manifest: Manifest;
  /** The texts by path, with forward slashes: `dist/index.js`. */
  readonly texts: ReadonlyMap<string, string>;
}

export function readPackedFiles(folder: string): PackedFiles {
  const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [relative(folder, path).split(sep).join('/'), readFileSync(path, 'utf8')] as const);
  return { manifest: readManifest(folder), texts: new Map(texts) };
}

/** Returns every specifier that a built module or a declaration file imports, in order. */
export function specifiersOf(text: string): readonly string[] {
  const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(text, true, false);
  const required = [
    ...text.matchAll(/(?:(?<![.\w#])require(?:\.resolve)?|import\.meta\.resolve)\(\s*['"]([^'"]+)['"]\s*\)/g),
  ].map((match) => match[1]!);
  return [...new Set([...[...importedFiles, ...typeReferenceDirectives].map(({ fileName }) => fileName), ...required])];
}

const node_modules: ReadonlySet<string> = new Set(builtinModules);

/** Returns the package of a specifier; null for a relative path and for a module of Node. */
export function packageOf(specifier: string): string | null {
  if (/^[./#]|^node:/.test(specifier) || node_modules.has(specifier)) return null;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** A declaration file: the name of its package, and its path there. */
export interface Declaration {
  readonly package_name: string;
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the declaration files that a compiler reads when a host imports every entry point of these
 * packages. Files of other packages are left out.
 */
export function reachableDeclarations(packages: readonly PackedFiles[]): readonly Declaration[] {
  const by_name = new Map(packages.map((one) => [one.manifest.name, one]));
  const seen = new Map<string, Declaration>();
  const visit = ({ manifest, texts }: PackedFiles, path: string): void => {
    const text = texts.get(path);
    const key = `${manifest.name}/${path}`;
    if (text === undefined || seen.has(key)) return;
    seen.set(key, { package_name: manifest.name, path, text });
    for (const specifier of specifiersOf(text)) {
      const target = by_name.get(packageOf(specifier) ?? '');
      if (target !== undefined) visit(target, typesOf(target.manifest, specifier));
      else if (specifier.startsWith('.')) {
        visit({ manifest, texts }, posix.join(posix.dirname(path), specifier.replace(/(?:\.d)?\.[jt]s$/, '.d.ts')));
      }
    }
  };
  for (const one of packages) {
    for (const conditions of Object.values(one.manifest.exports ?? {})) visit(one, plain(conditions.types ?? ''));
  }
  return [...seen.values()];
}

function typesOf({ name, exports = {} }: Manifest, specifier: string): string {
  return plain(exports[`.${specifier.slice(name.length)}`]?.types ?? '');
}

function plain(path: string): string {
  return posix.normalize(path);
}

/**
 * Whether a declaration names a global: a comment or a text that mentions it does not count, nor
 * does a module that passes on what another one exports.
 */
export function namesGlobal(text: string, name: string): boolean {
  if (!text.includes(name)) return false;
  const visit = (node: ts.Node): boolean =>
    !(ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) &&
    ((ts.isIdentifier(node) && node.text === name) || ts.forEachChild(node, visit) === true);
  return visit(ts.createSourceFile('one.d.ts', text, ts.ScriptTarget.Latest));
}

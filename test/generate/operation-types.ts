import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeOperations, type Operation, type_names } from '@tallystick/operations';
import * as z from 'zod';
import { createTypes, type Types, wrapComments } from './declarations.ts';
import { method_groups } from './method-groups.ts';
import { declareMethods, declareResults, resourceOf } from './methods.ts';

const root = new URL('../../', import.meta.url);

/** The files that `npm run generate` writes, with their text. */
export function generatedFiles(): readonly { readonly url: URL; readonly text: string }[] {
  const operations = describeOperations();
  const types = createTypes(type_names, shared);
  for (const operation of operations) addTypes(types, operation);
  const methods = declareMethods(operations, method_groups, types);
  const declared = types.declare();
  const named = new RegExp(`\\b(${[...declared.keys()].join('|')})\\b`, 'g');
  const results = declareResults(operations, types).replaceAll(named, 'own.$1');
  const usedIn = (text: string) => [...declared.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const imports = `
    import type { ${usedIn(methods).join(', ')} } from '@tallystick/operations/resources';
    import type { CallOptions, FileContent, FilterOptions, PageOptions, TransactionOptions } from '../call-options.ts';
    import type { List } from '../list.ts';`;
  return [
    fileOf('packages/operations/src/generated/resources.ts', range_filter, ...declared.values()),
    fileOf(
      'packages/operations/src/generated/results.ts',
      `import type { Page } from '@tallystick/kernel';
      import type { ResultFile } from '../operation.ts';
      import type * as own from './resources.ts';`,
      results,
    ),
    fileOf('apps/embedded/src/operations/generated/methods.ts', imports, methods),
    fileOf('apps/embedded/test/operations/generated-checks.ts', checksOf(operations)),
    fileOf('apps/embedded/src/version.ts', versionOf('apps/embedded/package.json')),
  ];
}

const shared = {
  Resource: { description: 'What has an id and a path.', of: 'VirtualCard', members: ['id', 'url'] },
  CreatedResource: {
    description: 'A resource that says since when it exists.',
    of: 'VirtualCard',
    members: ['id', 'created_at', 'url'],
  },
  EventResource: {
    description: 'What events of all types have.',
    of: 'VirtualCardEvent',
    members: ['id', 'created_at', 'type', 'url'],
  },
};

/** The examples of the document, in the types of the bodies. */
function checksOf(operations: readonly Operation[]): string {
  const examples: string[] = [];
  for (const { body, documented_body = body } of operations) {
    for (const example of (documented_body?.meta()?.examples ?? []) as readonly Readonly<Record<string, unknown>>[]) {
      examples.push(`${JSON.stringify(example.data ?? example)} satisfies own.${nameOf(documented_body!)}`);
    }
  }
  return `
    import type * as own from '../../src/operations/index.ts';

    /** The examples of the document. */
    export const examples = [${[...new Set(examples)].join(', ')}];`;
}

/** A constant, because a bundle has no package.json beside it. */
function versionOf(manifest: string): string {
  const { version } = JSON.parse(readFileSync(new URL(manifest, root), 'utf8')) as { readonly version: string };
  return `
    /** The version of the library and of the server that is composed of it. */
    export const version = '${version}';`;
}

const range_filter = `
  /** One value, or a range with both ends included; null: open. */
  export type RangeFilter<Value> = Value | readonly [from: Value | null, to: Value | null];\n`;

/** Names what an operation takes and returns. */
function addTypes(types: Types, { body, documented_body = body, answer, query }: Operation): void {
  if (documented_body !== undefined) {
    const name = nameOf(documented_body);
    const { description } = documented_body.meta() ?? {};
    types.add(name, resourceOf(documented_body), 'input', { description, required: required_of_hosts[name] });
  }
  const item = answer instanceof z.ZodArray ? (answer.element as z.ZodType) : answer;
  if (item !== null) types.add(nameOf(item), item, 'output');
  // An operation that returns a file has the filters of a list.
  if (query?.filter === undefined || item === null) return;
  types.add(type_names.get(query.filter)?.id ?? `${nameOf(item)}Filter`, query.filter, 'filter');
}

/** A host has no key whose company is the default. */
const required_of_hosts: Readonly<Record<string, readonly string[]>> = { PutBankUser: ['company_id'] };

function nameOf(schema: z.ZodType): string {
  const name = type_names.get(schema)?.id ?? schema.meta()?.id;
  if (name === undefined) throw new TypeError('a body or an answer has no name');
  return name;
}

/** A file, formatted as the repository is. */
function fileOf(name: string, ...parts: readonly string[]) {
  const source = `// Generated by \`npm run generate\`.\n\n${parts.join('\n\n')}`;
  const biome = fileURLToPath(new URL('node_modules/.bin/biome', root));
  const formatted = execFileSync(biome, ['format', `--stdin-file-path=${name}`], {
    input: source,
    encoding: 'utf8',
    cwd: root,
  });
  return { url: new URL(name, root), text: wrapComments(formatted) };
}

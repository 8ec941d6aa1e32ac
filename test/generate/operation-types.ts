import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describeOperations, joinsTransaction, type_names } from '@tallystick/operations';
import * as z from 'zod';
import { declareTypes, wrapComments } from './declarations.ts';

const root = new URL('../../', import.meta.url);

/** The files that `npm run generate` writes, with their text. */
export function generatedFiles(): readonly { readonly url: URL; readonly text: string }[] {
  return [
    { url: new URL('apps/embedded/src/operations/generated/resources.ts', root), text: resourceTypes() },
    { url: new URL('apps/embedded/test/operations/generated-methods.ts', root), text: methods() },
  ];
}

/** The methods of the operations. A test compares them with the typed ones. */
function methods(): string {
  const rows = describeOperations().map((one) => `'${one.method}: ${joinsTransaction(one) ? 'tx' : 'alone'}'`);
  const comment =
    '/** The methods, and whether each takes `tx`. Generated from the operations by `npm run generate`. */';
  return formatted(`${comment}\nexport type OperationMethods = ${rows.sort().join(' | ')};\n`);
}

/** The resources that operations take and return. */
function resourceTypes(): string {
  const input: Record<string, z.ZodType> = {};
  const output: Record<string, z.ZodType> = {};
  for (const { body, documented_body, answer } of describeOperations()) {
    const sent = documented_body ?? body;
    if (sent !== undefined) collect(input, sent, resourceOf(sent));
    if (answer !== null) collect(output, answer);
  }
  // A host has no key whose company is the default.
  input.PutBankUser = (input.PutBankUser as z.ZodObject).required({ company_id: true });
  const declared = declareTypes({ input, output }, type_names);
  return formatted(`/** Generated from the shapes by \`npm run generate\`. */\n\n${[...declared.values()].join('\n')}`);
}

/** Adds what has the type that a schema names. Of a list, the schema of its items names it. */
function collect(into: Record<string, z.ZodType>, schema: z.ZodType, content: z.ZodType = schema): void {
  const name = type_names.get(schema)?.id ?? schema.meta()?.id;
  if (name !== undefined) into[name] = content;
  else if (schema instanceof z.ZodArray) collect(into, schema.element as z.ZodType);
}

/** The resource that a body has as its `data`, described as the body is. */
function resourceOf(body: z.ZodType): z.ZodType | undefined {
  const whole = body instanceof z.ZodUnion ? body.options[0] : body;
  if (!(whole instanceof z.ZodObject)) return undefined;
  const { description } = body.meta() ?? {};
  const data = whole.shape.data as z.ZodType;
  return description === undefined ? data : data.describe(description);
}

/** The source as the repository formats it. */
function formatted(source: string): string {
  const biome = fileURLToPath(new URL('node_modules/.bin/biome', root));
  const args = ['format', '--stdin-file-path=generated.ts'];
  return wrapComments(execFileSync(biome, args, { input: source, encoding: 'utf8', cwd: root }));
}

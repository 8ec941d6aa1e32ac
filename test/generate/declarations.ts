import * as z from 'zod';

/** Schemas whose types are declared, by the names of the types. */
export type NamedSchemas = Readonly<Record<string, z.ZodType>>;

/** A JSON Schema, as zod writes it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | false;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/**
 * Declares the types of schemas, and of the named schemas within them, as TypeScript that imports
 * nothing: by their names, `input` as they are sent and `output` as they are shown. `names` has the
 * names of schemas; without one there, a schema has the `id` of its metadata, or is declared where
 * it is used. Descriptions become doc comments.
 */
export function declareTypes(
  { input, output }: { readonly input: NamedSchemas; readonly output: NamedSchemas },
  names: z.core.$ZodRegistry<{ id: string }>,
): ReadonlyMap<string, string> {
  const declared = new Map<string, string>();
  for (const [io, schemas] of Object.entries({ input, output })) {
    for (const [name, schema] of Object.entries(definitionsOf(schemas, names, io as 'input' | 'output'))) {
      const text = declarationOf(name, schema);
      if (declared.has(name) && declared.get(name) !== text) {
        throw new TypeError(`${name} would be two types: it is not sent as it is shown`);
      }
      declared.set(name, text);
    }
  }
  return new Map([...declared].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The JSON Schemas of the schemas and of all named ones within them. */
function definitionsOf(schemas: NamedSchemas, names: z.core.$ZodRegistry<{ id: string }>, io: 'input' | 'output') {
  const roots = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]));
  const metadata = {
    get(schema: z.ZodType) {
      const id = roots.get(schema) ?? names.get(schema)?.id;
      return { ...z.globalRegistry.get(schema), ...(id === undefined ? {} : { id }) };
    },
  };
  const all = z.toJSONSchema(z.object(schemas), { io, metadata: metadata as never });
  return (all as Schema).$defs ?? {};
}

/** `export interface Name {...}` with its doc comment, or `export type Name = ...;`. */
function declarationOf(name: string, schema: Schema): string {
  const type = typeOf(schema);
  const body = type.startsWith('{') ? `interface ${name} ${type}` : `type ${name} = ${type};`;
  return `${commentOf(schema)}export ${body}\n`;
}

function typeOf(schema: Schema): string {
  const { $ref, type, anyOf, items, prefixItems } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' | ');
  if (Array.isArray(type)) return type.map((one: string) => typeOf({ ...schema, type: one })).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  switch (type) {
    case 'string':
      return schema.enum?.map((value) => JSON.stringify(value)).join(' | ') ?? 'string';
    case 'integer':
    case 'number':
      // The numbers of an enumeration are ids from elsewhere, not words of a program.
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      if (prefixItems !== undefined) return `readonly [${prefixItems.map(typeOf).join(', ')}]`;
      return `readonly ${grouped(typeOf(items ?? {}))}[]`;
    case 'object':
      return objectOf(schema);
    default:
      return 'unknown';
  }
}

function objectOf({
  properties,
  patternProperties = {},
  required = [],
  propertyNames,
  additionalProperties,
}: Schema): string {
  if (properties === undefined) {
    const names = typeOf(propertyNames ?? { type: 'string' });
    const record = `Record<${names}, ${typeOf(additionalProperties || {})}>`;
    return `Readonly<${names === 'string' || required.length > 0 ? record : `Partial<${record}>`}>`;
  }
  const members = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const typed = required.includes(name) ? `: ${type}` : type === 'unknown' ? '?: unknown' : `?: ${type} | undefined`;
    return `${commentOf(schema)}readonly ${key}${typed};`;
  });
  const patterns = Object.entries(patternProperties).map(([pattern, schema]) => {
    return `readonly [name: ${templateOf(pattern)}]: ${typeOf(schema)} | undefined;`;
  });
  return `{\n${[...members, ...patterns].join('\n')}\n}`;
}

/** The names that begin with the literal beginning of a pattern: `^metadata\.` */
function templateOf(pattern: string): string {
  const [, literal = ''] = /^\^((?:\w|\\\W)*)/.exec(pattern) ?? [];
  return `\`${literal.replaceAll('\\', '')}\${string}\``;
}

function grouped(type: string): string {
  return / \| /.test(type) && !type.startsWith('{') ? `(${type})` : type;
}

const formats: Readonly<Record<string, string>> = { date: 'YYYY-MM-DD', 'date-time': 'ISO 8601' };

/** The doc comment: the description as sentences, and the form of a date or an instant. */
function commentOf(schema: Schema): string {
  const described = descriptionOf(schema);
  const format = formats[formatOf(schema) ?? ''];
  const form = format === undefined || described?.includes(format) ? undefined : format;
  const sentences = [described, form].filter((text) => text !== undefined).map(toSentence);
  return sentences.length === 0 ? '' : docComment(sentences.join(' '));
}

function descriptionOf({ description, anyOf = [] }: Schema): string | undefined {
  return description ?? anyOf.map(descriptionOf).find((text) => text !== undefined);
}

function formatOf({ format, anyOf = [] }: Schema): string | undefined {
  return format ?? anyOf.map(formatOf).find((name) => name !== undefined);
}

function toSentence(text: string): string {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return ended[0]!.toUpperCase() + ended.slice(1);
}

/** A doc comment of one line. `wrapComments` breaks it. */
function docComment(text: string): string {
  return `/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '*\\/')} */\n`;
}

/** Breaks doc comments of one line that are longer than `width` columns, at their indentation. */
export function wrapComments(source: string, width = 100): string {
  return source.replaceAll(/^( *)\/\*\* (.*) \*\/$/gm, (line, indent: string, text: string) => {
    if (line.length <= width) return line;
    const lines: string[] = [];
    for (const word of text.split(' ')) {
      const longer = `${lines.at(-1)} ${word}`;
      if (lines.length > 0 && `${indent} * ${longer}`.length <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return [`${indent}/**`, ...lines.map((one) => `${indent} * ${one}`), `${indent} */`].join('\n');
  });
}

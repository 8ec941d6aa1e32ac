import * as z from 'zod';

/** A JSON Schema, as zod writes it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | false;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** What a schema may not state. */
interface Described {
  readonly description?: string | undefined;
  /** Names of members that are required. */
  readonly required?: readonly string[] | undefined;
}

/** How a schema is used: as it is sent or shown, or as the filters of a list. */
export type Use = 'input' | 'output' | 'filter';

/** Members that many types have: a type that those extend. */
export interface SharedMembers {
  readonly description: string;
  /** A type that has them. */
  readonly of: string;
  readonly members: readonly string[];
}

/** Types of TypeScript for schemas. */
export interface Types {
  /** Gives the type of a schema a name, by which it is declared. */
  add(name: string, schema: z.ZodType, use: Use, described?: Described): void;
  /** The type where it is used: its name, or all of it. */
  typeOf(schema: z.ZodType, use: Use): string;
  /** The declarations of all types with names, by the names. */
  declare(): ReadonlyMap<string, string>;
}

/**
 * Makes types of schemas, as TypeScript that imports nothing. A schema within another one is
 * declared by the name that it has in `names`, or by the `id` of its metadata; without a name it is
 * declared where it is used. Descriptions become doc comments. `shared`: by their names.
 */
export function createTypes(
  names: z.core.$ZodRegistry<{ id: string }>,
  shared: Readonly<Record<string, SharedMembers>> = {},
): Types {
  const added = new Map<z.ZodType, Described & { readonly id: string; readonly use: Use }>();
  const metadata = {
    get(schema: z.ZodType) {
      const { id = names.get(schema)?.id, description } = added.get(schema) ?? {};
      const named = id === undefined ? {} : { id };
      return { ...(description === undefined ? {} : { description }), ...z.globalRegistry.get(schema), ...named };
    },
  };
  const toSchema = (schema: z.ZodType, use: Use): Schema =>
    z.toJSONSchema(schema, { io: use === 'output' ? 'output' : 'input', metadata: metadata as never }) as Schema;

  return {
    add(id, schema, use, described = {}) {
      added.set(schema, { ...described, id, use });
    },
    typeOf: (schema, use) => typeOf(toSchema(z.object({ schema }), use).properties?.schema ?? {}),
    declare() {
      const declared = new Map<string, string>();
      const schemas = new Map<string, Schema>();
      for (const use of ['input', 'output', 'filter'] as const) {
        const of_use = [...added].filter(([, root]) => root.use === use);
        const roots = Object.fromEntries(of_use.map(([schema, { id }]) => [id, schema]));
        for (const [name, schema] of Object.entries(toSchema(z.object(roots), use).$defs ?? {})) {
          const root = roots[name] && added.get(roots[name]);
          const whole = root === undefined ? schema : rootOf(schema, root);
          const text = declarationOf(name, whole, null);
          if ((declared.get(name) ?? text) !== text) throw new TypeError(`${name} would be two types`);
          declared.set(name, text);
          schemas.set(name, whole);
        }
      }
      for (const [name, { of, members, description }] of Object.entries(shared)) {
        const own = Object.entries(schemas.get(of)?.properties ?? {}).filter(([member]) => members.includes(member));
        schemas.set(name, { type: 'object', description, properties: Object.fromEntries(own), required: members });
      }
      for (const [name, schema] of schemas) {
        declared.set(name, declarationOf(name, schema, baseOf(schema, schemas, shared)));
      }
      // As the linter sorts the names of imports.
      return new Map([...declared].sort(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1)));
    },
  };
}

function rootOf({ required = [], ...schema }: Schema, root: Described & { readonly use: Use }): Schema {
  const whole = { ...schema, required: [...required, ...(root.required ?? [])] };
  return root.use === 'filter' ? { ...whole, properties: filtersOf(whole) } : whole;
}

/** Filters as a program writes them: an id as a number or as digits, and a range as a pair. */
function filtersOf({ properties = {} }: Schema): NonNullable<Schema['properties']> {
  const members = Object.entries(properties).map(([name, { anyOf, ...schema }]): [string, Schema] => {
    const [value, range] = anyOf ?? [];
    if (value && range?.pattern?.startsWith('^\\['))
      return [name, { ...schema, $ref: `RangeFilter<${typeOf(value)}>` }];
    return [name, schema.type === 'integer' || name.endsWith('.id') ? { ...schema, $ref: 'Id' } : properties[name]!];
  });
  return Object.fromEntries(members);
}

/** The type that another one extends, and what it adds. */
interface Base {
  readonly name: string;
  readonly added: Schema;
}

/** With fewer members in common, two types are alike by chance, unless one has what many share. */
const members_in_common_min = 6;

/** The largest type all of whose members this one has, with the same descriptions. */
function baseOf(schema: Schema, others: ReadonlyMap<string, Schema>, shared: object): Base | null {
  const own = membersOf(schema);
  let base: Base | null = null;
  let size = 0;
  for (const [name, other] of others) {
    const members = membersOf(other);
    if (other === schema || members.size <= size || members.size >= own.size) continue;
    if (members.size < members_in_common_min && !Object.hasOwn(shared, name)) continue;
    if ([...members].some((member) => !own.has(member))) continue;
    size = members.size;
    const added = Object.entries(schema.properties ?? {}).filter(([of]) => !Object.hasOwn(other.properties ?? {}, of));
    base = { name, added: { ...schema, properties: Object.fromEntries(added) } };
  }
  return base;
}

/** The members of an interface, as they are declared. */
function membersOf({ properties = {}, patternProperties, required }: Schema): ReadonlySet<string> {
  if (patternProperties !== undefined) return new Set();
  return new Set(Object.entries(properties).map((member) => memberOf(member, required)));
}

/** `export interface Name {...}` with its doc comment, or `export type Name = ...;`. */
function declarationOf(name: string, schema: Schema, base: Base | null): string {
  const type = typeOf(base?.added ?? schema);
  const bases = base === null ? '' : `extends ${base.name} `;
  const body = type.startsWith('{') ? `interface ${name} ${bases}${type}` : `type ${name} = ${type};`;
  return `${commentOf(schema)}export ${body}\n`;
}

function typeOf(schema: Schema): string {
  const { $ref, type, oneOf, anyOf = oneOf, items, prefixItems } = schema;
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
  const members = Object.entries(properties).map((member) => memberOf(member, required));
  const patterns = Object.entries(patternProperties).map(([pattern, schema]) => {
    return `readonly [name: ${templateOf(pattern)}]: ${typeOf(schema)} | undefined;`;
  });
  return `{\n${[...members, ...patterns].join('\n')}\n}`;
}

function memberOf([name, schema]: readonly [string, Schema], required: readonly string[] = []): string {
  const type = typeOf(schema);
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const typed = required.includes(name) ? `: ${type}` : type === 'unknown' ? '?: unknown' : `?: ${type} | undefined`;
  return `${commentOf(schema)}readonly ${key}${typed};`;
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
  return docComment(described, form);
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
export function docComment(...texts: readonly (string | undefined)[]): string {
  const text = texts
    .filter((one) => one !== undefined)
    .map(toSentence)
    .join(' ');
  if (text === '') return '';
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

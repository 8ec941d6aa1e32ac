import { code, prose } from './markup.ts';

/** As much of JSON Schema as the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** The name that a reference to a schema ends with. */
export function referenceName($ref: string): string {
  return $ref.split('/').at(-1) ?? '';
}

/**
 * HTML of the kind of a value, in a few words. It excludes the fields of an object: see
 * `schemaFields`.
 */
export function schemaKind(schema: Schema | null | undefined): string {
  if (schema === null || schema === undefined) return 'any value';
  if (schema.$ref !== undefined) {
    const name = referenceName(schema.$ref);
    return `<a href="#${name}">${code(name)}</a>`;
  }
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return [...new Set(branches.map(schemaKind))].join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(partKind).join(', ');
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.type === 'array') {
    return `array of ${schemaKind(schema.items)}${bounds(schema.minItems, schema.maxItems, 'item')}`;
  }
  if (schema.type === undefined) return 'any value';
  const types = prose([schema.type].flat().join(' or '));
  const format = schema.format === undefined ? '' : ` (${prose(schema.format)})`;
  const range = bounds(schema.minimum, schema.maximum, '') + bounds(schema.minLength, schema.maxLength, 'character');
  const pattern =
    schema.pattern === undefined || schema.format !== undefined ? '' : `, pattern ${code(schema.pattern)}`;
  return `${types}${format}${range}${pattern}`;
}

/** One of the schemas that a value matches together: its name, or its rules for single fields. */
function partKind(schema: Schema): string {
  if (schema.properties === undefined) return schemaKind(schema);
  return Object.entries(schema.properties)
    .map(([name, field]) => `${code(name)} ${schemaKind(field)}`)
    .join(', ');
}

/** Bounds, without those that only say that a double holds the number. */
function bounds(least: number | undefined, most: number | undefined, unit: string): string {
  const isReal = (bound: number | undefined) => bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER;
  const counted = (bound: number | undefined) => `${bound}${unit && ` ${unit}${bound === 1 ? '' : 's'}`}`;
  if (isReal(least) && isReal(most)) return `, ${least === most ? '' : `${least} to `}${counted(most)}`;
  if (isReal(least)) return `, at least ${counted(least)}`;
  return isReal(most) ? `, at most ${counted(most)}` : '';
}

/** One entry of a list of fields or parameters. `name` is text, `kind` is HTML. */
export interface Entry {
  readonly name: string;
  readonly required: boolean;
  readonly kind: string;
  readonly description: string;
  /** HTML of the nested fields, or empty. */
  readonly inside?: string;
}

/** HTML of a list of fields or parameters. */
export function entryList(entries: readonly Entry[]): string {
  const items = entries.map(({ name, required, kind, description, inside = '' }) => {
    const mark = required ? ' <strong>required</strong>' : '';
    const text = description === '' ? '' : `<p>${prose(description)}</p>`;
    return `<dt>${code(name)} <span class="kind">${kind}</span>${mark}</dt><dd>${text}${inside}</dd>`;
  });
  return `<dl class="fields">${items.join('\n')}</dl>`;
}

/**
 * HTML of the fields of an object, or of the objects in an array or a union; empty when the schema
 * has none. `shown` formats the name of a field.
 */
export function schemaFields(schema: Schema, shown = (name: string) => name): string {
  const { properties, patternProperties, additionalProperties, required } = objectIn(schema) ?? {};
  const others = typeof additionalProperties === 'object' ? { '<any name>': additionalProperties } : {};
  const fields = Object.entries({ ...properties, ...patternProperties, ...others });
  if (fields.length === 0) return '';
  return entryList(
    fields.map(([name, field]) => ({
      name: shown(name),
      required: required?.includes(name) ?? false,
      kind: schemaKind(field) + defaultOf(field),
      description: descriptionOf(field),
      inside: schemaFields(field),
    })),
  );
}

function defaultOf({ default: value }: Schema): string {
  return value === undefined ? '' : `, default ${code(JSON.stringify(value))}`;
}

/** The object that has fields: the schema, its items, or one of its branches. */
function objectIn(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined || schema.patternProperties !== undefined) return schema;
  if (typeof schema.additionalProperties === 'object') return schema;
  const inner = [...(schema.items === undefined ? [] : [schema.items]), ...(schema.anyOf ?? schema.oneOf ?? [])];
  return inner.map(objectIn).find((found) => found !== undefined);
}

/** The description of a field, or of its schema without null. */
function descriptionOf(schema: Schema): string {
  const branches = schema.anyOf ?? schema.oneOf ?? [];
  return schema.description ?? branches.map(descriptionOf).find((text) => text !== '') ?? '';
}

import * as z from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** A reference to a named schema of the document. */
export function referenceTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

export function jsonContentOf(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** A reference to a named schema, or to the named schema of a list's items. */
export function schemaOf(schema: z.ZodType): Json {
  const name = schema.meta()?.id;
  if (name !== undefined) return referenceTo(name);
  if (schema instanceof z.ZodArray) return { type: 'array', items: schemaOf(schema.element as z.ZodType) };
  throw new TypeError('a schema of a route needs a name (meta id), or to be an array of such');
}

/** A schema in full, for a parameter. */
export function inlineSchemaOf(schema: z.ZodType): Json {
  const { $schema: _schema, ...json } = z.toJSONSchema(schema, { io: 'input', override: describeParts });
  return json;
}

/**
 * Describes what has no description of its own: a value or null as the value, and the content of a
 * body as the body. Readers of a document do not look further in or out. What is described is
 * copied: the schema of a part may also be that of others.
 */
function describeParts({ jsonSchema: schema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { description, anyOf: [value, nothing, other] = [] } = schema;
  if (description === undefined && value !== undefined && nothing?.type === 'null' && other === undefined) {
    const { description: of_value, ...undescribed } = value;
    if (of_value !== undefined) Object.assign(schema, { anyOf: [undescribed, nothing], description: of_value });
  }
  const data = schema.properties?.data;
  if (description !== undefined && typeof data === 'object' && data.description === undefined) {
    schema.properties = { ...schema.properties, data: { ...data, description } };
  }
}

/**
 * The schemas by their names, each once, with those that they refer to by name. The objects of
 * `closed` schemas have no other fields than those that they name.
 */
export function collectNamedSchemas(schemas: readonly z.ZodType[], closed: readonly z.ZodType[] = []): Json {
  const registry = z.registry<{ id: string }>();
  const additions: Record<string, Json> = {};
  const parts = new Set<z.core.$ZodType>();
  for (const schema of schemas) addNamedParts(schema, parts);
  for (const schema of parts as Set<z.ZodType>) {
    const id = schema.meta()?.id;
    if (id === undefined) continue;
    registry.add(schema, { id });
    // Zod leaves out the examples of a schema that transforms something.
    const examples = schema.meta()?.examples;
    additions[id] = { ...(examples === undefined ? {} : { examples }), ...discriminatorOf(schema) };
  }
  const { schemas: by_name } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: describeParts,
  });
  const closed_ids = new Set(closed.map((schema) => schema.meta()?.id));
  return Object.fromEntries(
    Object.entries(by_name).map(([id, { $schema: _schema, $id: _id, ...schema }]) => [
      id,
      { ...((closed_ids.has(id) ? closeObjects(schema) : schema) as Json), ...additions[id] },
    ]),
  );
}

/** Which member of a union each value of its discriminating property means. */
function discriminatorOf(schema: z.ZodType): Json {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return {};
  const { discriminator: propertyName, options } = schema.def;
  const mapping = (options as readonly z.ZodObject[]).flatMap((option) =>
    [...(option._zod.propValues?.[propertyName] ?? [])].map((value) => [value, schemaOf(option).$ref] as const),
  );
  return { discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
}

/** Keywords that hold values or names, not schemas. */
const value_keywords: ReadonlySet<string> = new Set(['examples', 'enum', 'const', 'default', 'required']);

/** Closes every object with named fields. A record stays open. */
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, inner]) => [name, value_keywords.has(name) ? inner : closeObjects(inner)]),
  );
  return copy.type === 'object' && 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}

/** Adds the schema and the schemas within it that may have names, each once. */
function addNamedParts(schema: z.core.$ZodType, parts: Set<z.core.$ZodType>): void {
  if (parts.has(schema)) return;
  parts.add(schema);
  // A named schema with another description refers to the one that has the name.
  const { parent } = schema._zod;
  if (parent !== undefined) addNamedParts(parent, parts);
  for (const part of partsOf(schema)) addNamedParts(part, parts);
}

function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly) {
    return [schema.unwrap()];
  }
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  return schema instanceof z.ZodObject ? Object.values(schema.shape) : [];
}

/** A request of a client to the service, or of the service to a callback URL. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly deprecated?: true;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Json;
  /** The requests that the service sends because of this one, by the expression of their URL. */
  readonly callbacks?: Json;
  readonly responses: Readonly<Record<string, Json>>;
  /** The authentication schemes, each with the role that the key needs. Empty: no key is needed. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** A path, query or header parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  /** Of an object: each property is a parameter of its own, `filter[status]=Approved`. */
  readonly style?: 'deepObject';
  readonly explode?: true;
  readonly schema: Json;
}

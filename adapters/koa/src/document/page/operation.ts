/** Questions to one operation of the OpenAPI document. */
import type { OpenApiDocument, Operation, Parameter } from '../openapi.ts';
import { descriptionOf, type Entry, type Schema, schemaFields, schemaKind } from './schema-list.ts';

/** An operation and where it is. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The operations of a tag, in the order of the document. */
export function operationsOf(tag: string, { paths }: OpenApiDocument): readonly PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

/** The role whose key the operation takes; null: it takes no key. */
export function operationRole(operation: Operation): string | null {
  const { security = [] } = operation as { readonly security?: readonly Readonly<Record<string, readonly string[]>>[] };
  return security[0]?.key?.[0] ?? null;
}

/** Whether the operation has the parameter, as one value or as an object in brackets. */
export function isParameterOf({ parameters }: Operation, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name || parameter.name.startsWith(`${name}[`));
}

/** What the page lists of the parameters: a parameter that is an object has an entry for each of its properties. */
export function parameterEntries({ parameters }: Operation): readonly Entry[] {
  return parameters.flatMap((parameter) => {
    const schema = parameter.schema as Schema;
    if (schema.properties === undefined && schema.patternProperties === undefined) return [entryOf(parameter, schema)];
    const named = Object.entries({ ...schema.properties, ...otherNames(schema) });
    return named.map(([name, property]) => ({
      ...entryOf(parameter, property),
      name: `${parameter.name}[${name}]`,
      required: schema.required?.includes(name) ?? false,
      description: descriptionOf(property),
    }));
  });
}

function otherNames({ patternProperties, additionalProperties }: Schema): Readonly<Record<string, Schema>> {
  const others = typeof additionalProperties === 'object' ? { '...': additionalProperties } : {};
  return { ...patternProperties, ...others };
}

function entryOf(parameter: Parameter, schema: Schema): Entry {
  const { name, required = false, description = '' } = parameter;
  const kind = `${schemaKind(schema)}, in the ${parameter.in}`;
  return { name, required, kind, description, inside: schemaFields(schema) };
}

/** The schema of the body; null when the operation takes none. */
export function bodySchema({ requestBody }: Operation): Schema | null {
  return requestBody === undefined ? null : contentSchema(requestBody);
}

/** The schema of the JSON content of a body or an answer; null when it has none. */
export function contentSchema(holder: Readonly<Record<string, unknown>>): Schema | null {
  const content = holder.content as Readonly<Record<string, { readonly schema: Schema }>> | undefined;
  return content?.['application/json']?.schema ?? null;
}

/** An answer of an operation, its reference resolved. */
export interface OperationResponse {
  readonly status: string;
  readonly description: string;
  /** Null: no JSON. */
  readonly schema: Schema | null;
  /** An HTML page. */
  readonly html: boolean;
  readonly headers: Readonly<Record<string, { readonly description?: string; readonly schema?: Schema }>>;
}

/** The answers of an operation. */
export function responsesOf(operation: Operation, { components }: OpenApiDocument): readonly OperationResponse[] {
  return Object.entries(operation.responses).map(([status, answer]) => {
    const resolved = resolve(answer, components);
    const headers = Object.entries((resolved.headers ?? {}) as Record<string, Readonly<Record<string, unknown>>>);
    return {
      status,
      description: String(resolved.description ?? ''),
      schema: contentSchema(resolved),
      html: Object.hasOwn((resolved.content ?? {}) as object, 'text/html'),
      headers: Object.fromEntries(headers.map(([name, header]) => [name, resolve(header, components)])),
    };
  });
}

/** What a reference such as `#/components/responses/Error` refers to; anything else as it is. */
function resolve(
  holder: Readonly<Record<string, unknown>>,
  components: OpenApiDocument['components'],
): Readonly<Record<string, unknown>> {
  if (typeof holder.$ref !== 'string') return holder;
  const [kind = '', name = ''] = holder.$ref.split('/').slice(-2);
  return (components[kind]?.[name] ?? {}) as Readonly<Record<string, unknown>>;
}

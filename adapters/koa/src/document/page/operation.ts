/** Questions to one operation of the OpenAPI document. */
import type { OpenApiDocument, Operation } from '../openapi.ts';
import { type Entry, type Schema, schemaFields, schemaKind } from './schema-list.ts';

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
  return operation.security[0]?.key?.[0] ?? null;
}

/** Whether the operation has the parameter. */
export function isParameterOf({ parameters }: Operation, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name);
}

/**
 * What the page lists of the parameters: inside one that is an object, each property by its name in
 * the query.
 */
export function parameterEntries({ parameters }: Operation): readonly Entry[] {
  return parameters.map((parameter) => {
    const { name, required = false, description } = parameter;
    const schema = parameter.schema as Schema;
    const kind = parameter.style === 'deepObject' ? '' : `${schemaKind(schema)}, `;
    const inside = schemaFields(schema, (property) => `${name}[${property}]`);
    return { name, required, kind: `${kind}in the ${parameter.in}`, description, inside };
  });
}

/** The schema of the body; null when the operation has none. */
export function bodySchema({ requestBody }: Operation): Schema | null {
  return requestBody === undefined ? null : contentSchema(requestBody);
}

/** The first media type of a file that the operation takes; null when it takes none. */
export function uploadType({ requestBody }: Operation): string | null {
  const [type = null] = Object.keys((requestBody?.content as object | undefined) ?? {});
  return type === 'application/json' ? null : type;
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
  readonly headers: readonly string[];
}

/** The answers of an operation. */
export function responsesOf(operation: Operation, { components }: OpenApiDocument): readonly OperationResponse[] {
  return Object.entries(operation.responses).map(([status, answer]) => {
    const resolved = resolve(answer, components);
    return {
      status,
      description: String(resolved.description ?? ''),
      schema: contentSchema(resolved),
      html: Object.hasOwn((resolved.content ?? {}) as object, 'text/html'),
      headers: Object.keys(resolved.headers ?? {}),
    };
  });
}

/**
 * Resolves a reference such as `#/components/responses/Error`; returns any other value unchanged.
 */
function resolve(
  holder: Readonly<Record<string, unknown>>,
  components: OpenApiDocument['components'],
): Readonly<Record<string, unknown>> {
  if (typeof holder.$ref !== 'string') return holder;
  const [kind = '', name = ''] = holder.$ref.split('/').slice(-2);
  return (components[kind]?.[name] ?? {}) as Readonly<Record<string, unknown>>;
}

import type { OpenApiDocument, Operation } from '../openapi.ts';
import { bodySchema, isParameterOf, operationRole, uploadType } from './operation.ts';
import { referenceName, type Schema } from './schema-list.ts';

/** The shell variable with the address of the service, in every command. */
export const url_variable = 'API_URL';

/** The shell variable with a key of a role. */
export function keyVariable(role: string): string {
  return `${role.toUpperCase()}_KEY`;
}

/**
 * The commands that show how an operation is called: one for each example of its body, or one
 * without a body.
 */
export function curlCommands(
  method: string,
  path: string,
  operation: Operation,
  document: OpenApiDocument,
): readonly string[] {
  const examples = bodyExamples(operation, document);
  if (examples.length === 0) return [curlCommand(method, path, operation, undefined)];
  return examples.map((example) => curlCommand(method, path, operation, example));
}

function curlCommand(method: string, path: string, operation: Operation, body: unknown): string {
  const role = operationRole(operation);
  const query = isParameterOf(operation, 'page') ? '?page[limit]=10' : requiredQuery(operation);
  const upload_type = uploadType(operation);
  const words = [
    // Without -g, curl takes brackets for a range.
    `curl${!query.includes('[') ? '' : ' -g'}${method === 'get' ? '' : ` -X ${method.toUpperCase()}`}`,
    `"$${url_variable}${path.replace(/\{(\w+)\}/g, (_braces, name: string) => examplePathValue(name, operation))}${query}"`,
  ].join(' ');
  const headers = [
    ...(role === null ? [] : [`-H "Authorization: Bearer $${keyVariable(role)}"`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
    ...(upload_type === null ? [] : [`-H 'Content-Type: ${upload_type}'`]),
  ];
  const data = body === undefined ? [] : [`-d ${shellQuoted(JSON.stringify(body, null, 2))}`];
  return [words, ...headers, ...data, ...(upload_type === null ? [] : ['-T FILE'])].join(' \\\n  ');
}

type RequiredParameter = { readonly name: string; readonly schema: Schema };

/** The query of the parameters that must be sent, with an example of each. */
function requiredQuery({ parameters }: Operation): string {
  const required = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const words = required.flatMap(({ name, schema: { required: fields = [], ...schema } }: RequiredParameter) => {
    if (fields.length === 0) return `${name}=${schema.examples?.[0] ?? name.toUpperCase()}`;
    return fields.map(
      (field) => `${name}[${field}]=${schema.properties?.[field]?.examples?.[0] ?? field.toUpperCase()}`,
    );
  });
  return words.length === 0 ? '' : `?${words.join('&')}`;
}

/** An id is 1. Any other value of a path is its name in capitals. */
function examplePathValue(name: string, { parameters }: Operation): string {
  const schema = parameters.find((parameter) => parameter.name === name)?.schema as Schema | undefined;
  if (schema?.examples?.[0] !== undefined) return String(schema.examples[0]);
  return /(^|_)id$/.test(name) ? '1' : name.toUpperCase();
}

function bodyExamples(operation: Operation, { components }: OpenApiDocument): readonly unknown[] {
  const schema = bodySchema(operation);
  if (schema === null) return [];
  const named = schema.$ref === undefined ? undefined : components.schemas?.[referenceName(schema.$ref)];
  return schema.examples ?? (named as Schema | undefined)?.examples ?? [];
}

/** The text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

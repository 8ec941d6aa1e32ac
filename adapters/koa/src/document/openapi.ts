import { area_roles } from '@tallystick/access';
import { page_limit_default, page_limit_max, page_offset_max } from '@tallystick/kernel';
import * as z from 'zod';
import { http_problem_status, refusal_status } from '../answer/refusal-status.ts';
import type { Route } from '../request/route.ts';

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI 3.1 document, as far as the page about it looks into it. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Json>>;
}

export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly deprecated?: true;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Json;
}

const description = `Virtual cards that decide by their own limits, the log of all that happens to them, and webhooks that tell of it.

Every request carries \`Authorization: Bearer <API key>\`. Bodies are JSON objects wrapped in \`data\`, and amounts are
integers in minor units (cents). A key with a signing secret signs each request: \`X-Timestamp\` (seconds) and
\`X-Signature\`, the lower-case hex HMAC-SHA-256 over timestamp, method, path, query and body, joined by line feeds.`;

/** The document of the routes, from the same schemas that check the requests, and of pages for people. */
export function openApi(
  routes: readonly Route[],
  version: string,
  pages: OpenApiDocument['paths'] = {},
): OpenApiDocument {
  const schemas = namedSchemas(routes);
  const paths: Record<string, Record<string, Operation>> = { ...pages };
  const page_tags = Object.values(pages).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags));
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Tallystick', version, description },
    tags: [...new Set([...routes.map(({ tag }) => tag), ...page_tags])].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key' } },
      schemas,
      responses: { Error: { description: 'What was wrong', content: json(reference('Error')) } },
    },
  };
}

function operation(route: Route): Operation {
  const operationId = `${route.method.toLowerCase()}_${route.path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`;
  return {
    summary: route.summary,
    description: [route.description, `Takes a key of the role \`${area_roles[route.area]}\`.`]
      .filter(Boolean)
      .join(' '),
    tags: [route.tag],
    operationId,
    ...(route.deprecated ? { deprecated: true as const } : {}),
    parameters: parameters(route),
    ...requestBody(route),
    responses: responses(route),
    ...{ security: [{ key: [] }] },
  };
}

function requestBody({ body, documented_body }: Route): { readonly requestBody?: Json } {
  const schema = documented_body ?? body;
  return schema === undefined ? {} : { requestBody: { required: true, content: json(schemaOf(schema)) } };
}

function parameters(route: Route): readonly Parameter[] {
  const text = { type: 'string' };
  const told: Parameter[] = [];
  if (route.path.includes(':id')) {
    told.push({
      name: 'id',
      in: 'path',
      required: true,
      description: 'Its id',
      schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
    });
  }
  if (route.path.includes(':delivery_id')) {
    told.push({
      name: 'delivery_id',
      in: 'path',
      required: true,
      description: 'The id of the delivery',
      schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
    });
  }
  for (const name of route.filter_names ?? []) {
    told.push({ name: `filter[${name}]`, in: 'query', description: 'Only what has this value', schema: text });
  }
  for (const name of route.query?.flags ?? []) {
    told.push({ name, in: 'query', description: 'Default false', schema: { type: 'boolean' } });
  }
  if (route.query?.paged) {
    told.push(
      {
        name: 'page[limit]',
        in: 'query',
        description: `Items on a page; default ${page_limit_default}`,
        schema: { type: 'integer', minimum: 1, maximum: page_limit_max },
      },
      { name: 'page[after]', in: 'query', description: 'Taken from links.next', schema: text },
      {
        name: 'page[offset]',
        in: 'query',
        description: 'Items to skip; for old clients',
        schema: { type: 'integer', minimum: 0, maximum: page_offset_max },
      },
    );
  }
  if (route.query?.paged && !route.query.items_stay_whole) {
    const description = 'return-minimal: items become id, type and url';
    told.push({ name: 'Prefer', in: 'header', description, schema: text });
  }
  if (route.method === 'POST') {
    told.push({
      name: 'Idempotency-Key',
      in: 'header',
      description: 'For 24 hours the first answer to this key is given again, and nothing is done twice',
      schema: { type: 'string', maxLength: 255 },
    });
  }
  return told;
}

function responses(route: Route): Readonly<Record<string, Json>> {
  const statuses = new Set([...Object.values(refusal_status), ...Object.values(http_problem_status)]);
  const possible = [...statuses]
    .sort((a, b) => a - b)
    .filter((status) => route.method === 'POST' || ![409, 422].includes(status));
  const errors = Object.fromEntries(possible.map((status) => [status, { $ref: '#/components/responses/Error' }]));
  if (route.answer === null) return { [route.status ?? 204]: { description: 'Done; no body' }, ...errors };
  const shape = schemaOf(route.answer);
  const links = route.query?.paged ? { links: reference('Links') } : {};
  const wrapped = { type: 'object', properties: { data: shape, ...links }, required: ['data', ...Object.keys(links)] };
  return { 200: { description: 'Done', content: json(route.answers_bare ? shape : wrapped) }, ...errors };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** A reference to a named schema, or to the named schema of a list's items. */
function schemaOf(schema: z.ZodType): Json {
  const name = schema.meta()?.id;
  if (name !== undefined) return reference(name);
  if (schema instanceof z.ZodArray) return { type: 'array', items: schemaOf(schema.element as z.ZodType) };
  throw new TypeError('a schema of a route needs a name (meta id), or to be an array of such');
}

const error = z
  .object({
    error: z.string().describe('One sentence'),
    code: z.enum([...Object.keys(refusal_status), ...Object.keys(http_problem_status), 'unable_to_process']),
    fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

const links = z.object({ first: z.string(), next: z.string().nullable() }).meta({ id: 'Links' });

function namedSchemas(routes: readonly Route[]): Json {
  const registry = z.registry<{ id: string }>();
  const examples: Record<string, Json> = {};
  const add = (schema: z.ZodType | null | undefined): void => {
    if (schema === null || schema === undefined) return;
    const id = schema.meta()?.id;
    if (id === undefined) {
      if (schema instanceof z.ZodArray) add(schema.element as z.ZodType);
    } else if (!registry.has(schema)) {
      registry.add(schema, { id });
      // Zod leaves out the examples of a schema that transforms something.
      if (schema.meta()?.examples !== undefined) examples[id] = { examples: schema.meta()?.examples };
    }
  };
  for (const schema of [
    error,
    links,
    ...routes.flatMap(({ body, documented_body, answer }) => [documented_body ?? body, answer]),
  ])
    add(schema);
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _schema, $id: _id, ...schema }]) => [
      id,
      { ...schema, ...examples[id] },
    ]),
  );
}

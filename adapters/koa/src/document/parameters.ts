import { account_number_form, user_id_form } from '@tallystick/accounts';
import { filters_max, page_limit_default, page_limit_max, page_offset_max } from '@tallystick/kernel';
import type { QueryShape } from '@tallystick/operations';
import * as z from 'zod';
import type { Route } from '../join-endpoints.ts';
import type { Parameter } from './schemas.ts';
import { inlineSchemaOf } from './schemas.ts';

export function parametersOf(route: Route): readonly Parameter[] {
  const { query = {} } = route.operation;
  return [
    ...pathParametersOf(route),
    ...(query.filter === undefined ? [] : [filterParameterOf(query.filter)]),
    ...Object.entries(query.flags ?? {}).map(([name, meaning]) => ({
      name,
      in: 'query' as const,
      description: `${meaning}. Default false`,
      schema: { type: 'boolean' },
    })),
    ...textParametersOf(query),
    ...(query.paged ? [page_parameter] : []),
    ...(route.reduces_items ? [prefer_parameter] : []),
    ...(route.uploads !== undefined && route.operation.answers_early ? [respond_async_parameter] : []),
    ...(route.method === 'POST' && route.uploads === undefined ? [idempotency_parameter] : []),
    signature_version_parameter,
  ];
}

const path_parameters: Readonly<Record<string, string>> = {
  id: 'The id of the resource',
  delivery_id: 'The id of the delivery',
  authorization_id: 'The id of the authorization',
  number: 'The number of the account',
  consent_id: 'The ConsentId',
  consultation_id: 'The id of the consultation, as the endpoint got it',
  user_id: 'The id of the user of the bank',
};

/** The forms of ids in a path that are not numbers. */
const path_forms: Readonly<Record<string, string>> = {
  number: account_number_form.source,
  consent_id: '^[A-Za-z0-9._~-]{1,128}$',
  user_id: user_id_form.source,
};

function pathParametersOf({ path }: Route): readonly Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: path_parameters[name] ?? name,
    schema: { type: 'string', pattern: path_forms[name] ?? '^[1-9][0-9]{0,14}$' },
  }));
}

function filterParameterOf(filter: z.ZodObject): Parameter {
  const { description = 'Several filters are ANDed.', ...schema } = inlineSchemaOf(filter);
  return {
    name: 'filter',
    in: 'query',
    ...(Array.isArray(schema.required) ? { required: true } : {}),
    description: `${description} At most ${filters_max} filters.`,
    style: 'deepObject',
    explode: true,
    // Without maxProperties: some checkers count what a client did not send.
    schema: { additionalProperties: false, ...schema },
  };
}

/** The query parameters that are text, as the operation describes them. */
function textParametersOf({ texts }: QueryShape): readonly Parameter[] {
  return Object.entries<z.ZodType>(texts?.shape ?? {}).map(([name, shape]) => {
    const { description = name, ...schema } = inlineSchemaOf(shape);
    return {
      name,
      in: 'query',
      ...(shape.isOptional() ? {} : { required: true }),
      description: description as string,
      schema,
    };
  });
}

const page_parameter: Parameter = {
  name: 'page',
  in: 'query',
  description: 'Which items of the list are returned.',
  style: 'deepObject',
  explode: true,
  schema: {
    ...inlineSchemaOf(
      z
        .object({
          limit: z.int().min(1).max(page_limit_max).default(page_limit_default).describe('Items on a page'),
          after: z.string().min(1).describe('The cursor in links.next; not together with offset'),
          offset: z.int().min(0).max(page_offset_max).describe('Items to skip; for old clients'),
        })
        .partial(),
    ),
    additionalProperties: false,
  },
};

const prefer_parameter: Parameter = {
  name: 'Prefer',
  in: 'header',
  description: '`return-minimal`: each item of `data` is a `MinimalItem`, with `id`, `type` and `url` alone',
  schema: { type: 'string', examples: ['return-minimal'] },
};

const respond_async_parameter: Parameter = {
  name: 'Prefer',
  in: 'header',
  description: '`respond-async`: the answer does not wait for the end of the work',
  schema: { type: 'string', examples: ['respond-async'] },
};

const idempotency_parameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A text of your choice. For 24 hours, a request with the same key returns the first answer again and does ' +
    'nothing else',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

const signature_version_parameter: Parameter = {
  name: 'X-Signature-Version',
  in: 'header',
  description: '`2`: the signature of the request also covers Content-Type and Idempotency-Key. Default `1`',
  schema: { type: 'string', enum: ['1', '2'] },
};

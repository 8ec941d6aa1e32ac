import { ignoresUnknownNames, minimal_item } from '@tallystick/operations';
import type { Deprecation } from '../answer/deprecation.ts';
import type { Tag } from '../endpoints.ts';
import type { Route } from '../join-endpoints.ts';
import { type DocumentedDelivery, delivery_schemas, describeCallback, describeDeliveries } from './deliveries.ts';
import { parametersOf } from './parameters.ts';
import { networkReference, openBankingReference } from './reference.ts';
import {
  authorization_failure,
  describeErrors,
  describeHeaders,
  error,
  links,
  responsesOf,
  rolesOfRoute,
} from './responses.ts';
import type { Operation } from './schemas.ts';
import { collectNamedSchemas, type Json, jsonContentOf, schemaOf } from './schemas.ts';
import { webhookReference } from './webhook-reference.ts';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** The requests that the service sends, by event type. */
  readonly webhooks: Readonly<Record<string, DocumentedDelivery>>;
  readonly components: Readonly<Record<string, Json>>;
}

const description = `Virtual cards with their own limits, a log of every change, and webhooks that deliver the events.

Every request carries \`Authorization: Bearer <API key>\`. Bodies are JSON objects wrapped in \`data\`. Amounts are integers
in minor units (cents), and instants are in UTC, by the clock of the service.

A key with a signing secret signs each request: \`X-Timestamp\` is the time in seconds since the Unix epoch, and
\`X-Signature\` is the lower-case hex HMAC-SHA-256 over timestamp, method, path, query and body, joined by line feeds.
With \`X-Signature-Version: 2\`, which new clients should use, it is over the line \`v2\`, timestamp, method, path, query,
\`Content-Type\`, \`Idempotency-Key\` and body, joined by line feeds. The line of a header that is not sent is empty.

Every answer carries \`X-Request-Id\`. Clients must ignore unknown fields, because new ones may be added.

A request with an unknown field or query parameter is refused, and the error names the nearest known one. A resource can be sent
back as it was answered: the members that only answers have are ignored. Null stands for the default of a field: on creation it is
the same as an absent field, and in a PATCH it resets the field. Only messages of the card network may have unknown fields, which
are ignored.`;

/** What each section is about. The document lists its operations in this order. */
const sections: Readonly<Record<Tag, string>> = {
  'Virtual cards': 'Card numbers with their own limits, each tied to a real card',
  'Card details': 'The page behind the link in a mail, which shows the number of a card once',
  'Real cards': 'The cards that virtual cards are tied to',
  'Purchase templates': 'Lists of merchant categories that are allowed or denied',
  Events: 'The log of every change',
  Webhooks: 'Callback URLs that events are posted to, and their deliveries',
  'Decision endpoint': 'Where a company decides itself on requests that its cards would approve',
  Reconciliation: 'Items in which authorization, clearing and statement line meet, and what people do to them',
  Network: 'Authorizations and clearings from the card network',
  Bank: 'Accounts of companies at the bank, and what its users have authorised',
  Operator: 'Companies, their real cards and API keys, templates, foreign events and mails',
  Sandbox: 'The clock and the mailbox of a sandbox',
};

/** The document of the routes and of the pages for people. Its schemas also check the requests. */
export function openApi(
  routes: readonly Route[],
  version: string,
  pages: OpenApiDocument['paths'] = {},
  {
    open_banking = false,
    v1_deprecation = null,
  }: { readonly open_banking?: boolean; readonly v1_deprecation?: Deprecation | null } = {},
): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, v1_deprecation) };
  }
  const order = Object.keys(sections);
  const section = ([, methods]: readonly [string, Readonly<Record<string, Operation>>]): number =>
    order.indexOf(Object.values(methods)[0]?.tags[0] ?? '');
  const ordered = Object.entries({ ...paths, ...pages }).sort((a, b) => section(a) - section(b));
  const webhooks = describeDeliveries();
  const more: Partial<Record<string, string>> = {
    'Virtual cards': deprecationNotice(v1_deprecation),
    Network: networkReference(),
    Webhooks: webhookReference(webhooks),
  };
  const used = new Set(ordered.flatMap(([, methods]) => Object.values(methods).flatMap(({ tags }) => tags)));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tallystick',
      version,
      description: open_banking ? `${description}\n\n${openBankingReference()}` : description,
    },
    servers: [{ url: '/', description: 'The installation that serves this document' }],
    tags: Object.entries(sections)
      .filter(([name]) => used.has(name))
      .map(([name, about]) => ({ name, description: more[name] === undefined ? about : `${about}.\n\n${more[name]}` })),
    paths: Object.fromEntries(ordered),
    webhooks,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key. A key with a signing secret also signs each request',
        },
      },
      schemas: collectNamedSchemas(
        [
          error,
          links,
          minimal_item,
          ...routes.flatMap(({ operation: { body, documented_body, answer }, may_be_undecided }) =>
            [documented_body ?? body, answer, may_be_undecided && authorization_failure].filter(
              (schema) => schema != null,
            ),
          ),
          ...delivery_schemas,
        ],
        routes
          .filter(({ operation }) => !ignoresUnknownNames(operation))
          .flatMap(({ operation: { body, documented_body } }) => documented_body ?? body ?? []),
      ),
      headers: describeHeaders(v1_deprecation),
      responses: describeErrors(v1_deprecation),
    },
  };
}

function operationOf(route: Route, v1_deprecation: Deprecation | null): Operation {
  return {
    summary: route.operation.summary,
    description: [route.operation.description, needsOf(route)].filter(Boolean).join(' '),
    tags: [route.tag],
    operationId: route.operation.id,
    ...(v1_deprecation !== null && route.tag === 'Virtual cards' ? { deprecated: true as const } : {}),
    parameters: parametersOf(route),
    ...requestBodyOf(route),
    ...(route.registers_callback ? { callbacks: describeCallback() } : {}),
    responses: responsesOf(route, v1_deprecation),
    security: rolesOfRoute(route).map((role) => ({ key: [role] })),
  };
}

function requestBodyOf(route: Route): { readonly requestBody?: Json } {
  if (route.uploads !== undefined) {
    const content = route.uploads.map((type) => [type, { schema: { type: 'string', format: 'binary' } }] as const);
    return { requestBody: { required: true, content: Object.fromEntries(content) } };
  }
  const { body, documented_body } = route.operation;
  const schema = documented_body ?? body;
  if (schema === undefined) return {};
  return { requestBody: { required: !route.operation.data_is_optional, content: jsonContentOf(schemaOf(schema)) } };
}

/** The label of the interface (service specification 9), and what its operator announces. */
function deprecationNotice(announced: Deprecation | null): string {
  if (announced === null) {
    return 'This interface is labelled v1 and deprecated. It is served without an end, and no successor is named.';
  }
  const { deprecated_on, sunset_on, successor } = announced;
  const end = sunset_on === null ? 'It is served without an end' : `It may be gone from ${sunset_on} on`;
  const next = successor === null ? 'no successor is named' : `its successor is <${successor}>`;
  return `This interface is labelled v1 and deprecated, since ${deprecated_on}. ${end}, and ${next}.`;
}

/** The sentence about the keys that may use a route. */
function needsOf(route: Route): string {
  const roles = rolesOfRoute(route).map((role) => `\`${role}\``);
  return `Needs a key of the role ${roles.join(' or ')}.`;
}

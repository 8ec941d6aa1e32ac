/**
 * Checks answers of the HTTP interface against the OpenAPI document of the same service: status,
 * headers and body. In the document, objects are open for new fields. Here they are closed: a field
 * that is not in the document is a problem.
 */
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** An answer, as a client received it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A delivery, as its receiver received it. Header names are lower-case. */
export interface ReceivedDelivery {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Checks against one document. Each function returns the problem, or null when there is none. */
export interface CheckedDocument {
  /** Checks status, headers and body of an answer. */
  findAnswerProblem(method: string, target: string, answer: Answer): string | null;
  /** Checks headers and body of a delivery to a webhook. */
  findDeliveryProblem(delivery: ReceivedDelivery): string | null;
  /** Checks a value against a schema of the document, with open objects, as a client does. */
  findMisfit(schema: object, value: unknown): string | null;
}

type Json = Readonly<Record<string, unknown>>;

interface DocumentedAnswer {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: AnySchemaObject }>>;
}

interface DocumentedOperation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: AnySchemaObject;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: AnySchemaObject }>> };
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: DocumentedOperation }>>;
  readonly components: Json;
}

/** Paths for operators and readers, which are not part of the interface. */
const undocumented_paths: ReadonlySet<string> = new Set([
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/docs',
  '/openapi.json',
]);

/**
 * Paths of Open Banking, which the official documents describe (`OpenBankingDocuments`), and of the
 * authorisation server with its pages.
 */
const paths_of_third_parties =
  /^\/(\.well-known|oauth|authorise|consents|open-banking|account-access-consents|accounts|direct-debits|standing-orders|scheduled-payments|funds-confirmation(-consent)?s)(\/|$)/;

/** Headers that any HTTP answer may have. */
const plain_headers =
  /^(connection|content-(length|type)|date|keep-alive|transfer-encoding|vary|allow|cache-control|content-security-policy|referrer-policy|strict-transport-security|x-(content-type-options|frame-options|robots-tag)|cross-origin-(opener|resource)-policy)$/;

const uri_characters = /^(?:[\w.~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;

const formats = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  email: /^[^\s@]+@[^\s@]+$/,
  // RFC 3986, as strict checkers of others read it: without raw brackets, which only a host may have.
  uri: (text: string) => uri_characters.test(text) && URL.canParse(text),
  'uri-reference': (text: string) => uri_characters.test(text) && URL.canParse(text, 'http://127.0.0.1'),
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

/** Returns why a value does not fit a schema, or null. */
type FindMisfit = (schema: object, value: unknown) => string | null;

/** `prepare` makes a schema of the document stand alone: its references lead to `document_name`. */
function createFindMisfit(document: Document, prepare: (schema: unknown) => unknown): FindMisfit {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false, formats });
  ajv.addKeyword('components');
  // It only says which member of a union applies.
  ajv.addKeyword('discriminator');
  ajv.addSchema({ components: prepare(document.components) }, document_name);
  const compiled = new WeakMap<object, ValidateFunction>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(prepare(schema) as AnySchemaObject);
    compiled.set(schema, validate);
    if (validate(value)) return null;
    const problems = (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`,
    );
    return problems.slice(0, 8).join('; ');
  };
}

const document_name = 'openapi.json';

/** Reads the text of a document. */
export function checkedDocument(text: string): CheckedDocument {
  const document = JSON.parse(text) as Document;
  const findMisfit = createFindMisfit(document, (schema) => closeObjects(schema));
  return {
    findAnswerProblem: findAnswerProblem(document, findMisfit),
    findDeliveryProblem: ({ headers, body }) => findDeliveryProblem(document, findMisfit, headers, body),
    findMisfit: createFindMisfit(document, (schema) => qualifyReferences(schema)),
  };
}

function findAnswerProblem(document: Document, findMisfit: FindMisfit): CheckedDocument['findAnswerProblem'] {
  const paths = Object.entries(document.paths).map(([template, methods]) => ({
    template,
    methods,
    form: new RegExp(`^${template.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  // /v1/events/types comes before /v1/events/{id}.
  paths.sort((a, b) => Number(a.template.includes('{')) - Number(b.template.includes('{')));
  const error_schema = { $ref: '#/components/schemas/Error' };

  return (method, target, answer) => {
    const [path = ''] = target.split('?');
    const at = `${method} ${path} answers ${answer.status}`;
    const known = paths.find(({ form }) => form.test(path));
    const operation = known?.methods[method.toLowerCase()];
    if (operation === undefined) {
      if (undocumented_paths.has(path) || paths_of_third_parties.test(path) || method === 'HEAD') return null;
      if (answer.status < 400) return `${at}, and the document has no such operation`;
      const problem = findMisfit(error_schema, parseJson(answer.text));
      return problem === null ? null : `${at}: ${problem}`;
    }
    const response = resolveReference<DocumentedAnswer>(document, operation.responses[String(answer.status)]);
    if (response === undefined) return `${at}, which the document does not list: ${answer.text.slice(0, 200)}`;
    const header_problem = findHeaderProblem(document, response, answer.headers);
    if (header_problem !== null) return `${at} with ${header_problem}`;
    if (response.content === undefined) return answer.text === '' ? null : `${at} with a body, and none is documented`;
    const media_type = answer.headers.get('content-type')?.split(';')[0] ?? 'no type';
    const content = response.content[media_type];
    if (content === undefined) return `${at} as ${media_type}, which the document does not list`;
    // The document describes reduced items at the header.
    const is_minimal = answer.headers.get('preference-applied') === 'return-minimal';
    const schema = is_minimal ? minimalListOf(content.schema) : content.schema;
    const problem = media_type === 'application/json' ? findMisfit(schema, parseJson(answer.text)) : null;
    return problem === null ? null : `${at}: ${problem}`;
  };
}

/** The schema of a list whose items are reduced. */
function minimalListOf(schema: AnySchemaObject): AnySchemaObject {
  const data = { type: 'array', items: { $ref: '#/components/schemas/MinimalItem' } };
  return { ...schema, properties: { ...schema.properties, data } };
}

function findDeliveryProblem(
  { webhooks }: Document,
  findMisfit: FindMisfit,
  headers: ReceivedDelivery['headers'],
  body: string,
): string | null {
  const value = parseJson(body) as { readonly data?: { readonly type?: string } } | undefined;
  const type = value?.data?.type ?? 'no type';
  const operation = webhooks[type]?.post;
  if (operation === undefined) return `a delivery of ${type}, which the document does not list`;
  for (const { name, required, schema } of operation.parameters) {
    const sent = headers[name.toLowerCase()];
    if (sent === undefined && required !== true) continue;
    const problem = findMisfit(schema, schema.type === 'integer' ? Number(sent) : sent);
    if (problem !== null) return `a delivery of ${type} with the header ${name}: ${problem}`;
  }
  const documented = new Set(operation.parameters.map(({ name }) => name.toLowerCase()));
  const unknown = Object.keys(headers).find((name) => /^(x-|webhook-)/.test(name) && !documented.has(name));
  if (unknown !== undefined) return `a delivery of ${type} with the header ${unknown}, which the document lacks`;
  const content = operation.requestBody?.content['application/json'];
  const problem = content === undefined ? 'no body is documented' : findMisfit(content.schema, value);
  return problem === null ? null : `a delivery of ${type}: ${problem}`;
}

function findHeaderProblem(document: Document, { headers = {} }: DocumentedAnswer, sent: Headers): string | null {
  const documented = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
  for (const [name, header] of documented) {
    const { required } =
      resolveReference<{ readonly $ref?: string; readonly required?: boolean }>(document, header) ?? {};
    if (required === true && !sent.has(name)) return `no header ${name}, which the document requires`;
  }
  for (const [name] of sent) {
    if (!documented.has(name) && !plain_headers.test(name)) return `the header ${name}, which the document lacks`;
  }
  return null;
}

/** Prefixes every reference with the name of the document. */
function qualifyReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(qualifyReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === '$ref' ? document_name + value : value_keywords.has(name) ? value : qualifyReferences(value),
    ]),
  );
}

/** Keywords that hold values, not schemas. */
const value_keywords: ReadonlySet<string> = new Set(['examples', 'enum', 'const', 'default']);

/**
 * Does the same, and closes every object. Parts of an `allOf` are closed together, at the whole.
 */
function closeObjects(schema: unknown, is_part = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => closeObjects(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === '$ref') copy.$ref = document_name + value;
    else if (name === 'allOf') copy.allOf = (value as readonly unknown[]).map((part) => closeObjects(part, true));
    else copy[name] = value_keywords.has(name) ? value : closeObjects(value);
  }
  const is_object = copy.type === 'object' && 'properties' in copy;
  const is_open = is_object && !('additionalProperties' in copy) && !is_part;
  return is_open || 'allOf' in copy ? { ...copy, unevaluatedProperties: false } : copy;
}

/** Follows a reference; returns any other value unchanged. */
function resolveReference<Value>(
  document: Document,
  value: (Value & { readonly $ref?: string }) | undefined,
): Value | undefined {
  if (value?.$ref === undefined) return value;
  const steps = value.$ref.split('/').slice(1);
  return steps.reduce<unknown>((inner, step) => (inner as Json)[step], document) as Value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

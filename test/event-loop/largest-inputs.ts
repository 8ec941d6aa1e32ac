/** The largest inputs that the operations of an OpenAPI document take. */

export interface Input {
  readonly name: string;
  /** With a query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

export interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const body_bytes_max = 1024 * 1024;

/** A little less than Node accepts of a request's head. */
const query_bytes_max = 15_000;

const json_headers = { 'Content-Type': 'application/json' } as const;

/** As many pieces as fit, joined by a comma or another character. */
function pieces(pieceAt: (index: number) => string, bytes_max: number, join = ','): string {
  const all: string[] = [];
  for (let length = 0, index = 0; ; index += 1) {
    const piece = pieceAt(index);
    length += piece.length + join.length;
    if (length > bytes_max) return all.join(join);
    all.push(piece);
  }
}

const nearName = (index: number) => `total_card_amount_${index.toString(36)}`;
const nested = '['.repeat(50) + ']'.repeat(50);

/** JSON values of about this size with more parts than a body may have. */
function tooManyValues(bytes: number): Named<string>[] {
  return [
    ['too many texts', `[${pieces((index) => `"${index.toString(36)}"`, bytes)}]`],
    ['too many objects', `[${pieces(() => '{}', bytes)}]`],
    ['too many names', `{${pieces((index) => `"${index.toString(36)}":0`, bytes)}}`],
    ['too many nested arrays', `[${pieces(() => nested, bytes)}]`],
  ];
}

/** The largest JSON values that are read, of each kind. */
function largeValues(bytes: number): Named<string>[] {
  const text = (unit: string) => `"${unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))}"`;
  const many = (pieceAt: (index: number) => string) => Array.from({ length: 4_900 }, (_, at) => pieceAt(at)).join();
  return [
    ['letters', text('a')],
    ['digits', text('4')],
    ['digits in groups', text('4111 1111-1111 1111 ')],
    ['digits of another script', text('٤')],
    ['escapes', text('\\u0041')],
    ['texts', `[${many(() => `"4${'1'.repeat(bytes / 5_000 - 10)}"`)}]`],
    ['objects', `[${many((index) => `{"${nearName(index)}":"4111111111111111"}`)}]`],
    ['names', `{${many((index) => `"${index} 4111 1111${'a'.repeat(bytes / 5_000 - 30)}":"4"`)}}`],
  ];
}

/** What each field is sent. The other kinds differ only before a field is looked at. */
const kinds_of_fields: ReadonlySet<string> = new Set([
  'digits in groups',
  'digits of another script',
  'texts',
  'names',
]);

type Named<Value> = readonly [name: string, value: Value];

/** The bodies in JSON: each field of the resource in turn is as large as it can be. */
function bodiesOf(document: Document, schema: Schema): readonly Named<string>[] {
  const whole = resolve(document, schema);
  const [example = { data: {} }] = whole.examples ?? [];
  const fieldsOf = ({ data, Data }: Record<string, object>) => Object.keys(data ?? Data ?? {});
  const of_schema = Object.keys(resolve(document, whole.properties?.data ?? {}).properties ?? {});
  const names = [...new Set([...of_schema, ...fieldsOf(example as Record<string, object>), 'unknown'])];
  const wrapper = 'Data' in (example as object) ? 'Data' : 'data' in (example as object) ? 'data' : null;
  const data = (wrapper === null ? example : (example as Record<string, object>)[wrapper]) as object;
  const wrap = (inner: string) => (wrapper === null ? inner : `{"${wrapper}":${inner}}`);
  const room = body_bytes_max - JSON.stringify(example).length - 100;
  const bodies: Named<string>[] = tooManyValues(room).map(([kind, value]) => [`data of ${kind}`, wrap(value)]);
  for (const [kind, value] of largeValues(room)) {
    bodies.push([`a body of ${kind}`, value], [`data of ${kind}`, wrap(value)]);
    for (const name of kinds_of_fields.has(kind) ? names : ['unknown']) {
      const body = JSON.stringify({ ...data, [name]: '%' }).replace('"%"', () => value);
      bodies.push([`${name} of ${kind}`, wrap(body)]);
    }
  }
  const unknown = Array.from({ length: 9_000 }, (_, at) => `"${nearName(at)}":0`).join();
  const rest = JSON.stringify(data).slice(1, -1);
  bodies.push(['unknown names', wrap(`{${rest}${rest === '' ? '' : ','}${unknown}}`)]);
  return bodies;
}

/** The queries: many parameters, and for each parameter a long one. */
function queriesOf(document: Document, { parameters = [] }: Operation): readonly Named<string>[] {
  const many = (pieceAt: (index: number) => string) => pieces(pieceAt, query_bytes_max, '&');
  const names = parameters.flatMap(({ name, in: place, schema }) => {
    if (place !== 'query') return [];
    const inner = Object.keys(resolve(document, schema).properties ?? {});
    return inner.length === 0 ? [name] : inner.map((one) => `${name}[${one}]`);
  });
  return [
    ['unknown parameters', many((index) => `${index.toString(36)}=`)],
    ['parameters without a value', many(() => 'a')],
    ['unknown parameters like known ones', many((index) => `filtre[merchant_${index}]=1`)],
    ['unknown page parameters', many((index) => `page[limitt_${index}]=1`)],
    ['malformed filters', many(() => 'filter[=1')],
    ['unknown filters', pieces((index) => `filter[merchant_nam_${index}]=1`, 1_000, '&')],
    ['percent signs', `a=${'%'.repeat(query_bytes_max)}`],
    ['a long name', `${'a'.repeat(query_bytes_max)}=1`],
    ['a long unknown filter', `filter[metadata.${'4 '.repeat(query_bytes_max / 2 - 10)}]=1`.replaceAll(' ', '+')],
    ...names.flatMap((name): Named<string>[] => [
      [`a long ${name}`, `${name}=${'4'.repeat(query_bytes_max - name.length)}`],
      [`a range as ${name}`, `${name}=[${'1,'.repeat(query_bytes_max / 2 - name.length)}]`],
      [`a repeated ${name}`, many(() => `${name}=1`)],
    ]),
  ];
}

/** Everything that one operation of the document is sent, without files. */
export function largestInputs(document: Document, path: string, operation: Operation): readonly Input[] {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const queries = queriesOf(document, operation).map(([name, query]) => ({ name, path: `${path}?${query}` }));
  if (schema === undefined) return queries;
  const [example = {}] = resolve(document, schema).examples ?? [];
  const bodies = bodiesOf(document, schema);
  return [
    ...queries.map((input) => ({ ...input, headers: json_headers, body: JSON.stringify(example) })),
    ...bodies.map(([name, body]) => ({ name, path, headers: json_headers, body })),
    ...bodies
      .filter(([name]) => name === 'unknown of letters')
      .map(([name, body]) => ({
        name: `${name}, with an idempotency key`,
        path,
        headers: { ...json_headers, 'Idempotency-Key': 'longest-turn' },
        body,
      })),
  ];
}

/** Forms and queries for a path of the authorisation server. */
export function formInputs(path: string): readonly Input[] {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const forms: Named<string>[] = [
    ['many fields', pieces((index) => `${index.toString(36)}=1`, body_bytes_max, '&')],
    ['a long field', `client_assertion=${'a'.repeat(body_bytes_max - 100)}`],
    ['many fields that are read', pieces((index) => `${index.toString(36)}=1`, 50_000, '&')],
    ['a long field that is read', `client_assertion=${'e30.'.repeat(10_000)}`],
  ];
  const queries: Named<string>[] = [
    ['many parameters', pieces((index) => `${index.toString(36)}=1`, query_bytes_max, '&')],
    ['a long request', `request=${'e30.'.repeat(query_bytes_max / 4 - 10)}`],
  ];
  return [
    ...forms.map(([name, body]) => ({ name, path, headers, body })),
    ...queries.map(([name, query]) => ({ name, path: `${path}?${query}` })),
  ];
}

/** The schema with the reference and the choice followed that lead to its properties. */
export function resolve(document: Document, schema: Schema): Schema {
  if (schema.$ref !== undefined) {
    return resolve(document, document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  }
  if (schema.anyOf === undefined) return schema;
  return schema.anyOf.map((one) => resolve(document, one)).find(({ properties }) => properties) ?? schema;
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  database_names,
  openBankingDocumentsMissing,
  propertyParameters,
  readOpenBankingDocuments,
} from '@tallystick/test-support';
import fc from 'fast-check';
import { type Endpoint, endpoints, goodRequest } from './endpoints.ts';
import { aisp, all_permissions, cbpii, type Reply, startWorld } from './world.ts';

const missing = openBankingDocumentsMissing();
const documents = missing === false ? readOpenBankingDocuments() : null;

const posts = endpoints.filter(({ method }) => method === 'POST');

/** What the tests prove. Without the official documents it is less. */
const is_handled = documents === null ? 'is no failure of the service' : 'is an error of the standard';

/** Asserts that the answer is one of the official documents, where there are any, and no failure. */
function assertHandled({ method, official }: Endpoint, reply: Reply, what: string): void {
  assert.ok(reply.status < 500, `${what}: ${reply.status} ${reply.text}`);
  if (reply.status === 413 || documents === null) return;
  assert.equal(documents.findProblem(method, official, reply), null, what);
}

/** JSON values with texts that databases and parsers treat in a special way. */
const odd_text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    'x'.repeat(5_000),
    '4111 1111 1111 1111',
    "'; drop table consents",
  ),
);
const odd_value = fc.oneof(
  odd_text,
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Changes one member of a JSON value, at any depth. */
function changed(value: unknown, path: readonly number[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (typeof value !== 'object' || value === null || first === undefined) return by;
  const names = Object.keys(value);
  const name = names[first % (names.length + 1)] ?? 'Unknown';
  const inner = changed((value as Readonly<Record<string, unknown>>)[name], rest, by);
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === name ? inner : item));
  return { ...value, [name]: inner };
}

for (const name of database_names) {
  describe(`bad input to Open Banking on ${name}`, () => {
    it(`in any place of a body ${is_handled}, or accepted`, async (t) => {
      const world = await startWorld(t, name);
      const requests = await Promise.all(
        posts.map(async (endpoint) => ({ endpoint, ...(await goodRequest(world, endpoint, all_permissions)) })),
      );
      const property = fc.asyncProperty(
        fc.constantFrom(...requests),
        fc.array(fc.nat({ max: 12 }), { maxLength: 5 }),
        odd_value,
        async ({ endpoint, token, body }, path, by) => {
          const sent = changed(body, path, by);
          const reply = await world.send('POST', endpoint.path, { token, body: JSON.stringify(sent) ?? '' });
          assertHandled(endpoint, reply, JSON.stringify(sent)?.slice(0, 300));
          assert.ok(!/4111[^*]{0,3}1111[^*]{0,3}1111/.test(reply.status === 201 ? '' : reply.text), 'no card number');
        },
      );
      await fc.assert(property, propertyParameters({ short: 150, full: 450 }));
    });

    it(`in a path or a query ${is_handled}`, async (t) => {
      const world = await startWorld(t, name);
      const reads = endpoints.filter(({ method }) => method !== 'POST');
      const granted = await world.grant(all_permissions);
      const text = odd_text.map((one) => encodeURIComponent(one.toWellFormed()));
      const property = fc.asyncProperty(
        fc.constantFrom(...reads),
        text,
        fc.array(fc.tuple(fc.constantFrom('fromBookingDateTime', 'toBookingDateTime', 'page', 'x'), text), {
          maxLength: 3,
        }),
        async (endpoint, id, parameters) => {
          const { scope, grant_type, method, path } = endpoint;
          const token =
            grant_type === 'authorization_code'
              ? granted
              : world.managementToken(scope === 'accounts' ? aisp : cbpii, scope);
          const query = parameters.map(([key, value]) => `${key}=${value}`).join('&');
          // An empty id is another path.
          const target = `${path.replace(/\{\w+\}/, id === '' ? 'x' : id)}?${query}`;
          const reply = await world.send(method, target, { token });
          if (reply.status === 404 || reply.status === 405) return;
          assertHandled(endpoint, reply, target.slice(0, 300));
        },
      );
      await fc.assert(property, propertyParameters({ short: 150, full: 450 }));
    });
  });
}

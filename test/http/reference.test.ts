import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { clearing_class_meanings, match_rules, outcomes } from '@tallystick/cards';
import { type Service, startService } from './service.ts';

interface Schema {
  readonly examples?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** The query of the parameters that must be sent, with the example of each. */
function requiredQuery({ parameters }: Operation): string {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const words = required.flatMap(({ name, schema }) => {
    if (schema.required === undefined) return [`${name}=${schema.examples?.[0]}`];
    return schema.required.map((field) => `${name}[${field}]=${schema.properties?.[field]?.examples?.[0]}`);
  });
  return words.length === 0 ? '' : `?${words.join('&')}`;
}

/** An id is 1. Any other value of a path is the example of its parameter. */
function exampleTarget(path: string, operation: Operation): string {
  const exampleOf = (name: string): string => {
    const schema = operation.parameters.find((parameter) => parameter.name === name)?.schema;
    return String(schema?.examples?.[0] ?? (/(^|_)id$/.test(name) ? '1' : name.toUpperCase()));
  };
  return path.replace(/\{(\w+)\}/g, (_braces, name: string) => exampleOf(name)) + requiredQuery(operation);
}

async function describedBy({ send }: Service, tag: string): Promise<string> {
  const { tags } = (await send('GET', '/openapi.json', { key: null })).json;
  return tags.find(({ name }: { readonly name: string }) => name === tag).description;
}

/** The cells of each row of the table under a heading. */
function rowsUnder(heading: string, text: string): readonly (readonly string[])[] {
  const section = text.slice(text.indexOf(`${heading}\n`)).split(/\n#+ /)[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

describe('the OpenAPI document as a reference', () => {
  it('has an example of each parameter that must be sent, which the service understands', async (t) => {
    const { send, company_id } = await startService(t);
    // An account of the sandbox, which examples name.
    const account = { company_id, number: '1000000001', currency: 'USD', kind: 'deposit' };
    await send('POST', '/bank/v1/accounts', { key: 'bank', body: { data: account } });
    const { paths } = (await send('GET', '/openapi.json', { key: null })).json;
    const operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    // What is deleted takes no request afterwards.
    const ordered = operations.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
    for (const { method, path, operation } of ordered) {
      const [type] = Object.keys(operation.requestBody?.content ?? {});
      // test/http/document.test.ts sends the examples of JSON bodies.
      if (type === 'application/json' || path.startsWith('/card-details')) continue;
      const upload =
        type === undefined ? {} : { headers: { 'Content-Type': type }, body: 'id,version,decision,note\n' };
      const key = operation.security[0]?.key?.[0] ?? null;
      const reply = await send(method, exampleTarget(path, operation), { key, ...upload });
      // The object may be missing, or in a state that does not allow the change: a 409, or a 400 that
      // names no field.
      const { code, fields } = reply.json ?? {};
      const is_state = code === 'conflict' || (code === 'validation_failed' && fields === undefined);
      // No single filter of a search must be sent, but one of them.
      const needs_one = code === 'invalid_query' && fields[0].message === 'or another filter is required';
      assert.ok(
        [200, 204, 404].includes(reply.status) || is_state || needs_one,
        `${method} ${path}: ${reply.status} ${reply.text}`,
      );
      assert.notEqual(reply.json?.error, 'there is nothing at this path', path);
    }
  });

  it('lists every decline reason, clearing class and matching rule', async (t) => {
    const text = await describedBy(await startService(t), 'Network');
    const firstCells = (heading: string) => rowsUnder(heading, text).map(([cell]) => cell);
    assert.deepEqual(
      firstCells('### Decline reasons'),
      outcomes.map(({ code }) => `\`${code}\``),
    );
    assert.deepEqual(
      firstCells('### Clearing classes'),
      Object.keys(clearing_class_meanings).map((name) => `\`${name}\``),
    );
    assert.deepEqual(
      firstCells('### Matching rules'),
      match_rules.map(({ rule }) => `\`${rule}\``),
    );
  });

  it('shows a receiver that verifies deliveries, and a delivery that is signed the same way', async (t) => {
    const text = await describedBy(await startService(t), 'Webhooks');
    const blockOf = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, 's').exec(text)?.[1] ?? '';
    const { isFromTallystick } = await import(`data:text/javascript,${encodeURIComponent(blockOf('js'))}`);
    const [url, body, secret] = ['https://example.com/hooks', '{"data":{}}', 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C'];
    const signed = (seconds: number) => {
      const timestamp = String(Math.floor(Date.now() / 1000) + seconds);
      const message = `${timestamp}\nPOST\n${url}\n${body}`;
      return { 'x-timestamp': timestamp, 'x-signature': createHmac('sha256', secret).update(message).digest('hex') };
    };
    assert.equal(isFromTallystick(signed(0), body, url, secret), true);
    assert.equal(isFromTallystick(signed(0), `${body} `, url, secret), false);
    assert.equal(isFromTallystick(signed(0), body, url, `${secret}!`), false);
    assert.equal(isFromTallystick(signed(-400), body, url, secret), false);
    assert.equal(isFromTallystick({}, body, url, secret), false);

    const [head = '', sent = ''] = blockOf('http').split('\n\n');
    const shown = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(head)?.[1];
    const message = `${shown('X-Timestamp')}\nPOST\nhttps://hooks.example.com/tallystick\n${sent}`;
    assert.equal(shown('X-Signature'), createHmac('sha256', secret).update(message).digest('hex'));
  });

  it('lists every event type with its id, and the times of the attempts', async (t) => {
    const service = await startService(t);
    const text = await describedBy(service, 'Webhooks');
    const { webhooks } = (await service.send('GET', '/openapi.json', { key: null })).json;
    const types = rowsUnder('### Event types', text).map(([name]) => name);
    assert.deepEqual(
      types,
      Object.keys(webhooks).map((name) => `\`${name}\``),
    );
    assert.equal(rowsUnder('### Responses and retries', text).length, 5);
  });

  it('names every endpoint of Open Banking, and where it is described', async (t) => {
    const { send } = await startService(t);
    const { description } = (await send('GET', '/openapi.json', { key: null })).json.info;
    const listed = rowsUnder('## Open Banking', description).map(([method, path]) =>
      `${method} ${path}`.replaceAll('`', ''),
    );
    // 17 of the service specification, and three official bulk paths.
    assert.equal(listed.length, 20);
    for (const one of ['GET /accounts/{AccountId}/transactions', 'GET /direct-debits', 'POST /funds-confirmations']) {
      assert.ok(listed.includes(one), one);
    }
    assert.ok(listed.includes('DELETE /account-access-consents/{ConsentId}'));
    assert.match(description, /https:\/\/openbankinguk\.github\.io\/read-write-api-site3\/v3\.1\.11\//);
    assert.match(description, /Third parties of Open Banking use endpoints that the official OpenAPI documents/);
  });
});

describe('a path that does not exist', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  async function answer(t: TestContext, path: string, accept: string) {
    const { url } = await startService(t);
    const reply = await fetch(url + path, { headers: { Accept: accept } });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  }

  it('is answered to a browser with a page that says where to go, and repeats nothing of the path', async (t) => {
    const { status, headers, text } = await answer(t, '/no/such?path=4111111111111111', browser);
    assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=utf-8']);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-[^']+';/);
    assert.notEqual(headers.get('x-request-id'), null);
    assert.match(text, /<a href="\/openapi\.json">/);
    assert.ok(!/<script|such|4111/.test(text));
  });

  it('is answered to other clients, and within the interface, with an error in JSON', async (t) => {
    for (const [path, accept] of [
      ['/no/such/path', '*/*'],
      ['/no/such/path', 'application/json'],
      ['/v1/no-such-resource', browser],
      ['/operator/v1/no-such-resource', browser],
    ] as const) {
      const { status, text } = await answer(t, path, accept);
      assert.deepEqual([status, JSON.parse(text).code], [404, 'not_found'], `${path} ${accept}`);
    }
  });
});

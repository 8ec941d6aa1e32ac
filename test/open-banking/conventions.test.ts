import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { database_names, openBankingDocumentsMissing, readOpenBankingDocuments } from '@tallystick/test-support';
import { type Endpoint, endpoints, goodRequest, official_bulk_endpoints, pathsOf } from './endpoints.ts';
import { aisp, all_permissions, cbpii, other_aisp, type Reply, startWorld, type World } from './world.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const missing = openBankingDocumentsMissing();
if (missing !== false) console.error(`Answers are not checked against the official documents: ${missing}`);
const documents = missing === false ? readOpenBankingDocuments() : null;

/** Asserts that the answer is one of the official documents, and its conventions. */
function assertOfficial({ method, official }: Endpoint, reply: Reply, asked = method as string): void {
  assert.match(reply.headers.get('x-fapi-interaction-id') ?? '', /^[0-9A-Fa-f-]{36}$/);
  assert.equal(reply.headers.get('cache-control'), 'no-store');
  assert.ok(reply.headers.get('x-request-id'));
  assert.equal(documents?.findProblem(asked, official, reply) ?? null, null, `${asked} ${official}`);
}

/** Asserts an error with a body, and returns its errors. */
function errorsOf(reply: Reply, status: number): readonly { ErrorCode: string; Path?: string; Message: string }[] {
  assert.equal(reply.status, status, reply.text);
  return reply.json.Errors;
}

function assertBodyless(reply: Reply, status: number): void {
  assert.deepEqual([reply.status, reply.text, reply.headers.get('content-type')], [status, '', null]);
}

/** All of an answer but its time. */
function comparable({ status, headers, text }: Reply): string {
  return JSON.stringify([status, [...headers].filter(([name]) => name !== 'date').toSorted(), text]);
}

for (const name of database_names) {
  describe(`the endpoints of Open Banking on ${name}`, () => {
    let world: World;
    const cleanups: (() => unknown)[] = [];
    before(async () => {
      world = await startWorld({ after: (cleanup) => cleanups.unshift(cleanup) }, name);
    });
    after(async () => {
      for (const cleanup of cleanups) await cleanup();
    });

    it('answer at the root, at the official base, and at the official bulk paths', async () => {
      for (const endpoint of [...endpoints, ...official_bulk_endpoints]) {
        for (const path of pathsOf(endpoint)) {
          const { token, fill, body } = await goodRequest(world, endpoint, all_permissions);
          const reply = await world.send(endpoint.method, fill(path), { token, body });
          assert.equal(reply.status, endpoint.success, `${endpoint.method} ${path}: ${reply.text}`);
          assertOfficial(endpoint, reply);
          if (reply.status === 204) continue;
          assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
          const { Self } = reply.json.Links;
          const created = endpoint.success === 201 && path.endsWith('-consents') ? `/${reply.json.Data.ConsentId}` : '';
          assert.equal(Self, world.service.url + fill(path) + created);
        }
      }
    });

    it('are nowhere else: an optional endpoint that is not served is 404 without a body', async () => {
      const paths = ['/balances', '/transactions', '/beneficiaries', '/offers', '/party', '/products', '/statements'];
      const of_account = ['beneficiaries', 'offers', 'parties', 'party', 'product', 'statements', 'x'];
      const others = [
        ...of_account.map((what) => `/accounts/1000000001/${what}`),
        '/accounts/',
        '/accounts/1000000001/',
        '/accounts/1000000001/balances/x',
        '/account-access-consents/',
        '/open-banking',
        '/open-banking/v3.1/aisp',
        '/open-banking/v3.1/pisp/domestic-payments',
        '/open-banking/v4.0/aisp/accounts',
      ];
      const token = await world.grant(all_permissions);
      for (const path of [...paths, ...others, ...paths.map((path) => `/open-banking/v3.1/aisp${path}`)]) {
        for (const sent of [token, null]) {
          const reply = await world.send('GET', path, { token: sent });
          assertBodyless(reply, 404);
          assert.match(reply.headers.get('x-fapi-interaction-id') ?? '', uuid);
        }
      }
      // The endpoints of one scope are not below the base of the other.
      assertBodyless(await world.send('GET', '/open-banking/v3.1/cbpii/accounts', { token }), 404);
      assertBodyless(await world.send('POST', '/open-banking/v3.1/aisp/funds-confirmations', { token }), 404);
    });

    it('refuse another method (405), name the allowed ones, and need no token for that', async () => {
      const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'];
      for (const { path } of endpoints) {
        const allowed = endpoints.filter((other) => other.path === path).map(({ method }) => method);
        for (const method of methods.filter((one) => !allowed.includes(one as Endpoint['method']))) {
          const reply = await world.send(method, path);
          assertBodyless(reply, 405);
          const shown = allowed.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', ');
          assert.equal(reply.headers.get('allow'), shown);
          assert.match(reply.headers.get('x-fapi-interaction-id') ?? '', uuid);
        }
      }
    });

    it('answer HEAD like GET, without the body', async () => {
      const token = await world.grant(all_permissions);
      const [head, get] = await Promise.all(
        ['HEAD', 'GET'].map((method) => world.send(method, '/accounts', { token })),
      );
      assert.deepEqual([head!.status, head!.text], [200, '']);
      assert.equal(head!.headers.get('content-length'), get!.headers.get('content-length'));
    });

    it('refuse (401) a missing, an unknown and an ended token, before anything else is looked at', async () => {
      for (const endpoint of endpoints) {
        const { token, fill, body } = await goodRequest(world, endpoint, all_permissions);
        const path = fill(endpoint.path);
        world.end(token);
        const wrong = { Accept: 'text/html', 'x-fapi-interaction-id': 'wrong', 'Content-Type': 'text/plain' };
        for (const sent of [null, 'unknown', token, 'tly_test_client_sandbox', ' ', 'a b']) {
          for (const headers of [{}, wrong]) {
            const reply = await world.send(endpoint.method, path, { token: sent, body, headers });
            assertBodyless(reply, 401);
            const expected = sent === null ? 'Bearer' : 'Bearer error="invalid_token"';
            assert.equal(reply.headers.get('www-authenticate'), expected);
            assertOfficial(endpoint, reply);
          }
        }
        for (const Authorization of ['', 'Basic YTpi', token, `Bearer\t${token}`, `Token ${token}`]) {
          assertBodyless(await world.send(endpoint.method, path, { body, headers: { Authorization } }), 401);
        }
        // A token is read from the header only.
        assertBodyless(await world.send(endpoint.method, `${path}?access_token=${token}`, { body }), 401);
      }
    });

    it('refuse (401) a token of the other grant type', async () => {
      for (const endpoint of endpoints) {
        const { fill, body } = await goodRequest(world, endpoint, all_permissions);
        const { scope } = endpoint;
        const client_id = scope === 'accounts' ? aisp : cbpii;
        const token =
          endpoint.grant_type === 'authorization_code'
            ? world.managementToken(client_id, scope)
            : scope === 'accounts'
              ? await world.grant(all_permissions)
              : await world.authorise(cbpii, await world.fundsConsentFor(cbpii), ['1000000001']);
        const reply = await world.send(endpoint.method, fill(endpoint.path), { token, body });
        assertBodyless(reply, 401);
        assertOfficial(endpoint, reply);
      }
    });

    it('refuse (403) a token without the scope', async () => {
      for (const endpoint of endpoints) {
        const { consent_id, fill, body } = await goodRequest(world, endpoint, all_permissions);
        const is_granted = endpoint.grant_type === 'authorization_code';
        const token = world.tokenOf({
          client_id: endpoint.scope === 'accounts' ? aisp : cbpii,
          scopes: [endpoint.scope === 'accounts' ? 'fundsconfirmations' : 'accounts'],
          grant_type: endpoint.grant_type,
          consent_id: is_granted ? consent_id : null,
          user_id: is_granted ? 'alex' : null,
        });
        const reply = await world.send(endpoint.method, fill(endpoint.path), { token, body });
        assert.deepEqual(
          errorsOf(reply, 403).map(({ ErrorCode }) => ErrorCode),
          ['Tallystick.Permission.Missing'],
        );
        assertOfficial(endpoint, reply);
      }
    });

    it('echo a valid interaction id, and replace one that is missing or malformed', async () => {
      const sent = '93bac548-d2de-4546-b106-880a5018460d';
      for (const endpoint of endpoints) {
        const { token, fill, body } = await goodRequest(world, endpoint, all_permissions);
        const path = fill(endpoint.path);
        for (const id of [sent, sent.toUpperCase()]) {
          const reply = await world.send(endpoint.method, path, { body, headers: { 'x-fapi-interaction-id': id } });
          assert.deepEqual([reply.status, reply.headers.get('x-fapi-interaction-id')], [401, id]);
        }
        for (const id of ['', 'x', sent.slice(1), `${sent}0`, `{${sent}}`, sent.replaceAll('-', '')]) {
          const headers = { 'x-fapi-interaction-id': id };
          const reply = await world.send(endpoint.method, path, { token, body, headers });
          const [error] = errorsOf(reply, 400);
          assert.deepEqual([error?.ErrorCode, error?.Path], ['UK.OBIE.Header.Invalid', 'x-fapi-interaction-id']);
          assert.match(reply.headers.get('x-fapi-interaction-id') ?? '', uuid);
          assertOfficial(endpoint, reply);
        }
      }
    });

    it('check the date and the address of the user when they are sent', async () => {
      const token = await world.grant(all_permissions);
      const date = 'x-fapi-auth-date';
      const address = 'x-fapi-customer-ip-address';
      const rows: readonly (readonly [string, string, boolean])[] = [
        [date, 'Sun, 10 Sep 2017 19:43:31 GMT', true],
        [date, 'Sun, 10 Sep 2017 19:43:31 UTC', true],
        [date, 'Mon, 10 Sep 2017 19:43:31 GMT', false],
        [date, 'Tue, 31 Feb 2017 19:43:31 GMT', false],
        [date, 'Sun, 10 Sep 2017 25:43:31 GMT', false],
        [date, '2017-09-10T19:43:31Z', false],
        [date, '', false],
        [address, '104.25.212.99', true],
        [address, '2001:db8::1', true],
        [address, '104.25.212', false],
        [address, '104.25.212.256', false],
        [address, 'localhost', false],
        [address, '', false],
      ];
      for (const [header, value, fits] of rows) {
        const reply = await world.send('GET', '/accounts', { token, headers: { [header]: value } });
        assertOfficial(endpoints.find(({ path }) => path === '/accounts')!, reply);
        if (fits) assert.equal(reply.status, 200, `${header}: ${value}`);
        else {
          const [error] = errorsOf(reply, 400);
          assert.deepEqual([error?.ErrorCode, error?.Path], ['UK.OBIE.Header.Invalid', header], value);
        }
      }
    });

    it('accept headers of older versions of 3.1, and ignore an Idempotency-Key', async () => {
      const token = world.managementToken(aisp, 'accounts');
      const body = { Data: { Permissions: all_permissions }, Risk: {} };
      const headers = {
        'x-fapi-financial-id': 'OB/2017/001',
        'x-fapi-customer-last-logged-time': 'Sun, 10 Sep 2017 19:43:31 GMT',
        'x-idempotency-key': 'one',
        'Idempotency-Key': 'one',
        'x-jws-signature': 'abc..def',
        'x-customer-user-agent': 'test',
      };
      const replies = [1, 2].map(() => world.send('POST', '/account-access-consents', { token, body, headers }));
      const [first, second] = await Promise.all(replies);
      assert.deepEqual([first!.status, second!.status], [201, 201]);
      assert.notEqual(first!.json.Data.ConsentId, second!.json.Data.ConsentId);
    });

    it('refuse (406) a client that accepts no JSON', async () => {
      const token = await world.grant(all_permissions);
      const accounts = endpoints.find(({ path }) => path === '/accounts')!;
      const rows: readonly (readonly [string, number])[] = [
        ['application/json', 200],
        ['application/json; charset=utf-8', 200],
        ['application/json;charset=UTF-8', 200],
        ['application/*', 200],
        ['*/*', 200],
        ['text/html, application/json;q=0.1', 200],
        ['text/html', 406],
        ['application/jose+jwe', 406],
        ['application/json;q=0', 406],
        ['application/json;q=0, */*', 406],
        ['application/json; charset=utf-16', 406],
        ['*/json', 406],
      ];
      for (const [Accept, status] of rows) {
        const reply = await world.send('GET', '/accounts', { token, headers: { Accept } });
        assert.equal(reply.status, status, Accept);
        if (status === 406) assertBodyless(reply, 406);
        assertOfficial(accounts, reply);
      }
    });

    it('refuse (415) a body that is no JSON, (400) one that cannot be read, and (413) one that is too long', async () => {
      for (const endpoint of endpoints.filter(({ method }) => method === 'POST')) {
        const { token, fill, body } = await goodRequest(world, endpoint, all_permissions);
        const path = fill(endpoint.path);
        for (const type of [
          'text/plain',
          'application/xml',
          'application/jose+jwe',
          'application/json; charset=latin1',
        ]) {
          const reply = await world.send('POST', path, { token, body, headers: { 'Content-Type': type } });
          assertBodyless(reply, 415);
          assertOfficial(endpoint, reply);
        }
        const compressed = await world.send('POST', path, { token, body, headers: { 'Content-Encoding': 'gzip' } });
        assertBodyless(compressed, 415);
        const without = await world.send('POST', path, { token });
        assertBodyless(without, 415);
        for (const text of ['', '{', '[1', 'null', '[]', '"x"', '1', '{"Data":[]}', '{"Data":null}', '{}']) {
          const reply = await world.send('POST', path, { token, body: text });
          assert.match(
            errorsOf(reply, 400)[0]!.ErrorCode,
            /^UK\.OBIE\.(Resource\.InvalidFormat|Field\.(Missing|Invalid))$/,
            text,
          );
          assertOfficial(endpoint, reply);
        }
        const malformed = await world.send('POST', path, { token, body: '{"Data":' });
        assert.equal(errorsOf(malformed, 400)[0]!.ErrorCode, 'UK.OBIE.Resource.InvalidFormat');
        const long = await world.send('POST', path, { token, body: JSON.stringify({ x: 'x'.repeat(1024 * 1024) }) });
        assertBodyless(long, 413);
        const deep = await world.send('POST', path, { token, body: '['.repeat(100_000) });
        assert.equal(errorsOf(deep, 400)[0]!.ErrorCode, 'UK.OBIE.Resource.InvalidFormat');
      }
    });

    it('ignore unknown query parameters, and refuse a repeated one of the standard', async () => {
      const token = await world.grant(all_permissions);
      const path = '/accounts/1000000001/transactions';
      const transactions = endpoints.find((one) => one.path.endsWith('/transactions'))!;
      assert.equal((await world.send('GET', `${path}?foo=1&foo=2`, { token })).status, 200);
      for (const name of ['fromBookingDateTime', 'toBookingDateTime', 'page']) {
        const reply = await world.send('GET', `${path}?${name}=2030-01-01&${name}=2030-01-01`, { token });
        const [error] = errorsOf(reply, 400);
        assert.deepEqual([error?.ErrorCode, error?.Path], ['UK.OBIE.Field.Invalid', name]);
        assertOfficial(transactions, reply);
      }
      for (const page of ['', 'x', '%FF', 'A'.repeat(2000)]) {
        const reply = await world.send('GET', `${path}?page=${page}`, { token });
        assert.equal(errorsOf(reply, 400)[0]?.Path, 'page', page);
        assertOfficial(transactions, reply);
      }
    });

    it('answer alike for an unknown consent, a deleted one, one of another kind, and one of another party', async () => {
      const token = world.managementToken(aisp, 'accounts');
      const deleted = await world.consentFor(aisp, all_permissions);
      await world.send('DELETE', `/account-access-consents/${deleted}`, { token });
      const { json } = await world.service.send('GET', '/operator/v1/audit', { key: 'operator' });
      const { action, source_address } = json.data[0];
      assert.deepEqual([action, source_address], ['consent.deleted', '127.0.0.1']);
      const of_other = await world.consentFor(other_aisp, all_permissions);
      const of_other_kind = await world.fundsConsentFor(cbpii);
      const ids = [
        'unknown',
        of_other,
        deleted,
        of_other_kind,
        'x'.repeat(5000),
        '%00',
        '%FF',
        '..%2F',
        '%F0%9F%92%A9',
      ];
      for (const method of ['GET', 'DELETE']) {
        const shown = new Set<string>();
        for (const id of ids) {
          const headers = { 'X-Request-Id': 'same', 'x-fapi-interaction-id': '93bac548-d2de-4546-b106-880a5018460d' };
          const reply = await world.send(method, `/account-access-consents/${id}`, { token, headers });
          assert.equal(errorsOf(reply, 400)[0]?.ErrorCode, 'UK.OBIE.Resource.NotFound', id);
          shown.add(comparable(reply));
        }
        assert.equal(shown.size, 1, [...shown].join('\n'));
      }
      const own = await world.send('GET', `/account-access-consents/${of_other}`, {
        token: world.managementToken(other_aisp, 'accounts'),
      });
      assert.equal(own.status, 200, 'nothing happened to the consent of the other party');
    });

    it('answer alike for an account that does not exist, and one that is not granted', async () => {
      const token = await world.grant(all_permissions, ['1000000001']);
      const numbers = ['9999999999', 'ceid2000000001', '1000000002', '3000000001', 'x', '%00', '%FF', 'x'.repeat(3000)];
      for (const what of [
        '',
        '/balances',
        '/transactions',
        '/direct-debits',
        '/standing-orders',
        '/scheduled-payments',
      ]) {
        const shown = new Set<string>();
        for (const number of numbers) {
          const headers = { 'X-Request-Id': 'same', 'x-fapi-interaction-id': '93bac548-d2de-4546-b106-880a5018460d' };
          const reply = await world.send('GET', `/accounts/${number}${what}`, { token, headers });
          assert.equal(errorsOf(reply, 403)[0]?.ErrorCode, 'Tallystick.Consent.NotGranted', number);
          shown.add(comparable(reply));
        }
        assert.equal(shown.size, 1, [...shown].join('\n'));
      }
    });

    it('log the template of a path and the third party, and no path, query, token or id', async () => {
      const endpoint = endpoints.find(({ path }) => path.endsWith('/transactions'))!;
      const { token, fill, consent_id } = await goodRequest(world, endpoint, all_permissions);
      const reply = await world.send(
        'GET',
        `${fill(endpoint.path)}?fromBookingDateTime=2030-03-01&secret=4111111111111111`,
        { token },
      );
      assert.equal(reply.status, 200);
      const log = world.service.log();
      const line = log.split('\n').find((one) => one.includes(reply.headers.get('x-request-id')!));
      assert.match(line ?? '', /"route":"\/accounts\/:id\/transactions".*"third_party":"aisp-1"/);
      for (const text of [token, consent_id, '411111', 'fromBooking', '1000000001/'])
        assert.ok(!log.includes(text), text);
    });
  });
}

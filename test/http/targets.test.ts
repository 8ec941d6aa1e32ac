import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { otherSpellings, propertyParameters, sandbox_keys } from '@tallystick/test-support';
import fc from 'fast-check';
import { endpoints as open_banking_endpoints, pathsOf } from '../open-banking/endpoints.ts';
import { type Service, startService } from './service.ts';

/** Sends these bytes and returns everything that was received until the connection ends. */
async function exchange({ url }: Service, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes, 'latin1');
  socket.end();
  return (await socket.setEncoding('latin1').toArray()).join('');
}

const close = 'Host: x\r\nConnection: close\r\n';

function read(answer: string) {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  const request_id = /\r\nX-Request-Id: (\S+)\r\n/.exec(answer)?.[1];
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, unknown>;
  return { status, request_id, body };
}

async function assertRefused(service: Service, bytes: string, status: number, code: string): Promise<void> {
  const answer = read(await exchange(service, bytes));
  assert.deepEqual([answer.status, answer.body.code], [status, code], bytes);
  assert.equal(typeof answer.body.error, 'string');
  assert.ok(answer.request_id !== undefined && answer.body.request_id === answer.request_id);
}

function assertNoFault(service: Service): void {
  assert.doesNotMatch(service.log(), /"stack"|"level":50/);
}

describe('a request that names no path', () => {
  it('is answered with the usual error body, and the log has no stack', async (t) => {
    const service = await startService(t);
    for (const target of [
      'http://[::1',
      'http://',
      'https://',
      'http://a:99999/',
      'http://%/',
      'ftp://x/',
      'healthz',
      '/v1#',
      '//#@%',
      '/\xa0',
    ]) {
      await assertRefused(service, `GET ${target} HTTP/1.1\r\n${close}\r\n`, 400, 'malformed_request');
    }
    await assertRefused(service, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request');
    for (const [method, target] of [
      ['OPTIONS', '*'],
      ['GET', '//'],
      ['GET', '//[::1'],
      ['GET', '/%'],
      ['GET', '/v1/virtualcards/%ff%'],
      ['GET', `/${'a'.repeat(12_000)}`],
      ['GET', '/\\'],
    ] as const) {
      const answer = read(await exchange(service, `${method} ${target} HTTP/1.1\r\n${close}\r\n`));
      assert.ok([401, 404].includes(answer.status), `${target}: ${answer.status}`);
      assert.equal(answer.body.request_id, answer.request_id);
    }
    assertNoFault(service);
  });

  it('is never answered with 500, whatever its target is', async (t) => {
    const service = await startService(t);
    const piece = fc.constantFrom(
      '/',
      '//',
      'http:',
      '[',
      ']',
      '::1',
      '%',
      '%2',
      '%ff',
      '#',
      '?',
      '@',
      ':',
      '\\',
      'v1',
      '*',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 6 }), async (pieces) => {
        const answer = await exchange(service, `GET ${pieces.join('')} HTTP/1.1\r\n${close}\r\n`);
        // The path `/` leads to the documentation.
        if (answer.startsWith('HTTP/1.1 302 ')) return;
        const { status, body, request_id } = read(answer);
        assert.ok(status >= 400 && status < 500, `${pieces.join('')}: ${answer}`);
        assert.equal(body.request_id, request_id);
      }),
      propertyParameters(),
    );
    assertNoFault(service);
  });

  it('is accepted in the form of a proxy', async (t) => {
    const service = await startService(t);
    const key = 'Authorization: Bearer tly_test_client_sandbox\r\n';
    for (const target of ['http://x/v1/realcards', 'HTTPS://other:8080/v1/realcards', 'http://[::1]/v1/realcards']) {
      const answer = read(await exchange(service, `GET ${target} HTTP/1.1\r\n${key}${close}\r\n`));
      assert.equal(answer.status, 200, target);
    }
    const filtered = await exchange(service, `GET http://x/v1/realcards?page[limit]=0 HTTP/1.1\r\n${key}${close}\r\n`);
    assert.equal(read(filtered).body.code, 'invalid_query');
    // The path is `/`, which leads to the documentation.
    assert.match(await exchange(service, `GET http://x?a HTTP/1.1\r\n${close}\r\n`), /^HTTP\/1\.1 302 /);
  });
});

describe('a path', () => {
  it('is compared as it was sent: no other spelling of it reaches an operation', async (t) => {
    const service = await startService(t);
    const keys = new Map<string, string>(Object.entries(sandbox_keys));
    const document = (await service.send('GET', '/openapi.json')).json as {
      readonly paths: Readonly<Record<string, object>>;
    };
    const paths = [...Object.keys(document.paths), '/openapi.json', '/healthz', '/readyz', '/metrics'];
    assert.ok(paths.length > 80, `${paths.length} paths`);
    for (const template of paths) {
      const path = template.replaceAll(/\{[^}]+\}/g, '1');
      const key = keys.get(path.split('/')[1]!) ?? sandbox_keys.client;
      const headers = `${close}Authorization: Bearer ${key}\r\n\r\n`;
      for (const spelling of otherSpellings(path)) {
        const { status, body } = read(await exchange(service, `GET ${spelling} HTTP/1.1\r\n${headers}`));
        assert.deepEqual([status, body.code], [404, 'not_found'], spelling);
      }
    }
    for (const path of open_banking_endpoints.flatMap(pathsOf)) {
      for (const spelling of otherSpellings(path.replaceAll(/\{[^}]+\}/g, '1'))) {
        // What follows is the AccountId.
        if (/^(?:\/open-banking\/v3\.1\/aisp)?\/accounts\//.test(spelling)) continue;
        const answer = await exchange(service, `GET ${spelling} HTTP/1.1\r\n${close}\r\n`);
        assert.match(answer, /^HTTP\/1\.1 404 /, spelling);
      }
    }
  });
});

describe('a request with an expectation', () => {
  it('is asked for its body only after its key is known', async (t) => {
    const service = await startService(t);
    const head = `POST /v1/virtualcards HTTP/1.1\r\n${close}Expect: 100-continue\r\nContent-Type: application/json\r\n`;
    const body = '{"data":{"total_card_amount":5}}';
    const stranger = await exchange(service, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    assert.equal(read(stranger).status, 401);
    const known = await exchange(
      service,
      `${head}Authorization: Bearer tly_test_client_sandbox\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    assert.match(known, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  it('is answered as without an expectation that does not exist, or with an upgrade', async (t) => {
    const service = await startService(t);
    for (const header of ['Expect: the unexpected', 'Upgrade: websocket', 'Upgrade: h2c']) {
      const answer = read(await exchange(service, `GET /healthz HTTP/1.1\r\n${close}${header}\r\n\r\n`));
      assert.deepEqual([answer.status, answer.body.status], [200, 'ok'], header);
    }
  });
});

describe('a body that a request does not need', () => {
  it('is neither read nor checked, however large it is', async (t) => {
    const service = await startService(t);
    const large = 'x'.repeat(2_000_000);
    const key = 'Authorization: Bearer tly_test_client_sandbox\r\n';
    for (const [line, status] of [
      ['GET /v1/realcards', 200],
      ['GET /healthz', 200],
      ['DELETE /v1/virtualcards/17', 404],
      ['POST /v1/virtualcards', 413],
    ] as const) {
      const length = `Content-Length: ${large.length}\r\n`;
      // The next request is read where the body ends.
      const answers = await exchange(
        service,
        `${line} HTTP/1.1\r\nHost: x\r\n${key}${length}\r\n${large}GET /healthz HTTP/1.1\r\n${close}\r\n`,
      );
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, found]) => Number(found));
      assert.deepEqual(statuses, [status, 200], line);
    }
  });
});

describe('requests of monitoring', () => {
  it('are logged at the level debug, and others at info', async (t) => {
    const service = await startService(t);
    for (const path of ['/healthz', '/readyz', '/metrics', '/v1/realcards']) await service.send('GET', path);
    const routes = service
      .log()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { route?: string }).route);
    assert.deepEqual(routes, ['/v1/realcards']);
  });
});

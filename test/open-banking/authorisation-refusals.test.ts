import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ThirdParty } from '@tallystick/consents';
import * as client from 'openid-client';
import {
  type AuthorisationRequest,
  authorisePlain,
  authoriseSigned,
  type ClientKey,
  configure,
  newKey,
  registerWithKey,
  userAgent,
} from './authorisation-client.ts';
import { newConsent, redirect_uri, startWorld, type World } from './authorisation-world.ts';

type Claims = Record<string, unknown>;
type Modify = (claims: Claims) => unknown;

const nowS = () => Math.floor(Date.now() / 1_000);

/** RFC 6749, 5.2: what an error_description may have. */
const description_pattern = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

describe('a refusal of the authorisation server', () => {
  let world: World;
  let third_party: ThirdParty;
  let key: ClientKey;
  let config: client.Configuration;
  let consent_id: string;
  before(async () => {
    world = await startWorld();
    ({ third_party, key, config } = await registerWithKey(world, 'ES256'));
    consent_id = await newConsent(world, third_party);
  });
  after(() => world.close());

  /** Each wrong claim, and what the refusal says. */
  const wrong: readonly (readonly [claim: string, modify: Modify, right: (world: World) => string])[] = [
    ['iss', (claims) => Object.assign(claims, { iss: 'other' }), () => `the client_id, ${third_party.client_id}`],
    ['aud', (claims) => Object.assign(claims, { aud: 'https://other.example' }), ({ issuer }) => issuer],
    ['aud', (claims) => delete claims.aud, ({ issuer }) => issuer],
    ['exp', (claims) => delete claims.exp, () => 'a number of seconds since 1970'],
    [
      'exp',
      (claims) => Object.assign(claims, { nbf: nowS() - 600, iat: nowS() - 600, exp: nowS() - 300 }),
      () => 'later than now, 20',
    ],
    ['nbf', (claims) => Object.assign(claims, { nbf: nowS() + 300, exp: nowS() + 600 }), () => 'no later than now, 20'],
    ['iat', (claims) => Object.assign(claims, { iat: 'now' }), () => 'a number of seconds since 1970, or absent'],
  ];
  const wrong_in_request_object: typeof wrong = [
    ...wrong,
    ['nbf', (claims) => delete claims.nbf, () => 'a number of seconds since 1970'],
    [
      'exp',
      (claims) => Object.assign(claims, { exp: Number(claims.nbf) + 3_700 }),
      () => 'after nbf, by at most 60 minutes',
    ],
    ['nonce', (claims) => delete claims.nonce, () => 'text that is not empty'],
    ['jti', (claims) => Object.assign(claims, { jti: 1 }), () => 'text, or absent'],
    ['response_type', (claims) => delete claims.response_type, () => 'code id_token, or code with'],
  ];
  const wrong_in_assertion: typeof wrong = [
    ...wrong,
    ['exp', (claims) => Object.assign(claims, { exp: nowS() + 3_700 }), () => 'at most 60 minutes from now'],
    ['jti', (claims) => delete claims.jti, () => 'text that is not empty'],
  ];

  const lastLine = () => world.warned.at(-1) ?? '';

  /** The log has what was refused, the claim, what is right, and who sent it. */
  function assertLogged(what: string, error: string, claim: string, right: string): void {
    const line = lastLine();
    assert.ok(line.startsWith(`${what} refused ${error} ${claim}`), line);
    assert.ok(line.includes(` ${claim} ${right}`) && line.endsWith(` ${third_party.client_id}`), line);
  }

  /** How the answer of the authorization endpoint describes the error, where the browser ends. */
  async function descriptionOf(request: AuthorisationRequest): Promise<string> {
    const { html, url } = await userAgent(world).get(request.url);
    if (html !== null) return /<p class="muted">\w+: ([^<]*)/.exec(html)?.[1]?.replaceAll('&#39;', "'") ?? '';
    const answer = new URLSearchParams(url.hash.slice(1) || url.search);
    const signed = answer.get('response');
    if (signed === null) return answer.get('error_description') ?? '';
    return JSON.parse(Buffer.from(signed.split('.')[1]!, 'base64url').toString()).error_description;
  }

  const ways: Readonly<Record<string, (modify: Modify) => Promise<string>>> = {
    'on a page': async (modify) => {
      client.useCodeIdTokenResponseType(config);
      return descriptionOf(await authoriseSigned(config, key, consent_id, { modify }));
    },
    'in the fragment': async (modify) => {
      const request = await authoriseSigned(config, key, consent_id, { modify });
      request.url.searchParams.set('redirect_uri', 'https://tpp.example/callback');
      request.url.searchParams.set('response_type', 'code id_token');
      request.url.searchParams.set('scope', 'openid accounts');
      return descriptionOf(request);
    },
    'in a signed answer': async (modify) => {
      const jarm: Modify = (claims) => {
        Object.assign(claims, { response_type: 'code', response_mode: 'jwt' });
        return modify(claims);
      };
      const request = await authoriseSigned(config, key, consent_id, { modify: jarm });
      request.url.searchParams.set('redirect_uri', 'https://tpp.example/callback');
      return descriptionOf(request);
    },
  };
  for (const [way, describeBy] of Object.entries(ways)) {
    it(`names the wrong claim of a request object and what would be right, ${way}`, async () => {
      for (const [claim, modify, right] of wrong_in_request_object) {
        const description = await describeBy(modify);
        assert.ok(
          description.startsWith(`${claim} of the request object must be ${right(world)}`),
          `${claim}: ${description}`,
        );
        assert.match(description, description_pattern);
        assertLogged('authorisation', 'invalid_request_object', claim, right(world));
      }
    });
  }

  it('names the wrong claim of a request object that is pushed', async () => {
    for (const [claim, modify, right] of wrong_in_request_object) {
      const signed = await authoriseSigned(config, key, consent_id, { modify });
      const pushed = { client_id: third_party.client_id, request: signed.url.searchParams.get('request')! };
      const description = await refusalOf(client.buildAuthorizationUrlWithPAR(config, pushed));
      assert.ok(description.startsWith(`${claim} of the request object must be ${right(world)}`), description);
      assertLogged('pushed request', 'invalid_request_object', claim, right(world));
    }
  });

  /** The `error_description` with which a request of the client is refused. */
  async function refusalOf(call: Promise<unknown>): Promise<string> {
    const [outcome] = await Promise.allSettled([call]);
    assert(outcome.status === 'rejected', 'it was not refused');
    const { error_description } = outcome.reason as { readonly error_description: string };
    assert.match(error_description, description_pattern);
    return error_description;
  }

  const endpoints: Readonly<Record<string, (config: client.Configuration) => Promise<unknown>>> = {
    token: (by) => client.clientCredentialsGrant(by, { scope: 'accounts' }),
    'pushed request': (by) => client.buildAuthorizationUrlWithPAR(by, { client_id: third_party.client_id }),
    revocation: (by) => client.tokenRevocation(by, 'x'),
  };
  for (const [what, call] of Object.entries(endpoints)) {
    it(`names the wrong claim of a client assertion and what would be right: ${what}`, async () => {
      for (const [claim, modify, right] of wrong_in_assertion) {
        const assertion = {
          [client.modifyAssertion]: (_header: unknown, claims: object) => void modify(claims as Claims),
        };
        const by = await configure(world, third_party, client.PrivateKeyJwt(key.private_key, assertion));
        const description = await refusalOf(call(by));
        assert.ok(description.startsWith(`${claim} of the client assertion must be ${right(world)}`), description);
        assertLogged(what, 'invalid_client', claim, right(world));
      }
      const by_stranger = client.PrivateKeyJwt((await newKey('ES256', key.private_key.kid)).private_key);
      const description = await refusalOf(call(await configure(world, third_party, by_stranger)));
      assert.match(description, /^signature of the client assertion must be by a registered key/);
      assertLogged(what, 'invalid_client', 'signature', 'by a registered key');
    });
  }

  it('also names the token endpoint as an audience of assertions', async () => {
    const modify = (_header: unknown, claims: object) => void Object.assign(claims, { aud: 'https://other.example' });
    const by = client.PrivateKeyJwt(key.private_key, { [client.modifyAssertion]: modify });
    const refused = refusalOf(client.clientCredentialsGrant(await configure(world, third_party, by), {}));
    assert.ok((await refused).endsWith(` ${world.issuer} or ${world.issuer}/oauth/token`));
  });

  it('names sub and what would be right', async () => {
    for (const [sub, right] of [
      [undefined, 'the client_id of the third party'],
      ['other', 'the client_id of the request'],
    ] as const) {
      const modify = (_header: unknown, claims: object) => void Object.assign(claims, { sub });
      const by = client.PrivateKeyJwt(key.private_key, { [client.modifyAssertion]: modify });
      for (const call of Object.values(endpoints)) {
        const description = await refusalOf(call(await configure(world, third_party, by)));
        assert.equal(description, `sub of the client assertion must be ${right}`);
        assert.ok(lastLine().includes(` sub ${right} `), lastLine());
      }
    }
  });

  it('shows a stranger nothing of which third parties exist', async () => {
    const others = [
      await world.register(),
      await world.register({ status: 'suspended' }),
      await world.register({ is_sandbox: false, certificate_subject: 'CN=tpp' }),
    ].map(({ client_id }) => client_id);
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const answerTo = async (client_id: string, alg: string, modify: Modify) => {
      const exp = nowS() + 60;
      const claims = { iss: client_id, sub: client_id, aud: world.issuer, jti: 'stranger', exp };
      modify(claims);
      const client_assertion = `${encode({ alg, kid: key.private_key.kid })}.${encode(claims)}.AAAA`;
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_assertion, client_assertion_type });
      const answer = await fetch(`${world.issuer}/oauth/token`, { method: 'POST', body });
      const text = (await answer.text()).replaceAll(client_id, 'ID').replace(/now, 20[^"]*/, 'now');
      return { status: answer.status, text };
    };
    const modifications: readonly Modify[] = [
      ...wrong_in_assertion.map(([, modify]) => modify),
      () => {},
      (claims) => Object.assign(claims, { iss: 'another' }),
      (claims) => Object.assign(claims, { sub: 1 }),
      (claims) => Object.assign(claims, { sub: 'ä "quoted"' }),
    ];
    for (const alg of ['ES256', 'RS256']) {
      for (const modify of modifications) {
        const unknown = await answerTo('nobody', alg, modify);
        assert.equal(unknown.status, 401);
        assert.match(unknown.text, / of the client assertion must be /);
        for (const client_id of [third_party.client_id, ...others]) {
          assert.deepEqual(await answerTo(client_id, alg, modify), unknown, `${modify}`);
        }
      }
    }
    await answerTo('nobody', 'ES256', () => {});
    assert.match(lastLine(), /^token refused invalid_client client not found /, 'the log has the reason');
  });

  it('names jti when an assertion is sent again', async () => {
    let body: URLSearchParams | undefined;
    const recording = await configure(world, third_party, client.PrivateKeyJwt(key.private_key));
    recording[client.customFetch] = (url, options) => {
      body = options.body as URLSearchParams;
      return fetch(url, options as RequestInit);
    };
    await client.clientCredentialsGrant(recording, { scope: 'accounts' });
    const again = await fetch(`${world.issuer}/oauth/token`, { method: 'POST', body: body! });
    assert.equal(again.status, 401);
    const { error_description } = (await again.json()) as { readonly error_description: string };
    assert.equal(error_description, 'jti of the client assertion must be new with each assertion');
    assertLogged('token', 'invalid_client', 'jti', 'new with each assertion');
  });

  it('names the scopes that would be right', async () => {
    const refused = refusalOf(client.clientCredentialsGrant(config, { scope: 'fundsconfirmations' }));
    assert.equal(await refused, 'scope must be accounts');
    assertLogged('token', 'invalid_scope', 'scope', 'accounts');
    for (const scope of ['openid', 'openid fundsconfirmations']) {
      const description = await ways['on a page']!((claims) => Object.assign(claims, { scope, claims: claims.claims }));
      assert.equal(description, 'scope must be openid with accounts, as the consent needs it', scope);
      assertLogged('authorisation', 'invalid_scope', 'scope', 'openid with accounts');
    }
  });

  it('names nonce where an id_token needs it', async () => {
    const sandbox = await world.register();
    const plain = await configure(world, sandbox);
    client.useCodeIdTokenResponseType(plain);
    const request = await authorisePlain(plain, await newConsent(world, sandbox));
    request.url.searchParams.delete('nonce');
    assert.match(await descriptionOf(request), /nonce/);
    assert.match(lastLine(), new RegExp(`^authorisation refused invalid_request .*nonce.* ${sandbox.client_id}$`));
  });

  it('logs the registered addresses, and does not send them, when a redirect_uri is another one', async () => {
    const sandbox = await world.register();
    const request = await authorisePlain(await configure(world, sandbox), await newConsent(world, sandbox));
    request.url.searchParams.set('redirect_uri', 'https://evil.example/');
    assert.ok(!(await descriptionOf(request)).includes(redirect_uri));
    assert.ok(lastLine().includes(` redirect_uri ${redirect_uri} `), lastLine());
  });

  it('is not logged when the user decides so', async () => {
    const sandbox = await world.register();
    const request = await authorisePlain(await configure(world, sandbox), await newConsent(world, sandbox));
    const before = world.warned.length;
    assert.equal((await userAgent(world).refuse(request.url, 'alice')).searchParams.get('error'), 'access_denied');
    assert.deepEqual(world.warned.slice(before), []);
  });

  it('says what a person can do when the app is unknown or suspended, and never invalid_client', async () => {
    const suspended = await world.register({ status: 'suspended' });
    for (const client_id of ['unknown', suspended.client_id]) {
      const { html, status } = await userAgent(world).get(`${world.issuer}/oauth/authorize?client_id=${client_id}`);
      assert.equal(status, 400);
      assert.match(html!, /not registered with us.*Ask those who make the app/s);
      assert.doesNotMatch(html!, /invalid_client|client is invalid/);
      assert.match(lastLine(), /^authorisation refused invalid_client /);
    }
    const form = { method: 'POST', body: new URLSearchParams({ client_id: 'unknown' }) };
    for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/par']) {
      const page = await fetch(world.issuer + path, { ...form, headers: { accept: 'text/html' } });
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      assert.doesNotMatch(await page.text(), /invalid_client/);
    }
  });

  it('leads back when an answer by form_post is asked for, without a page that needs a script', async () => {
    const sandbox = await world.register();
    const request = await authorisePlain(await configure(world, sandbox), await newConsent(world, sandbox));
    for (const response_mode of ['form_post', 'form_post.jwt']) {
      request.url.searchParams.set('response_mode', response_mode);
      const { headers } = await fetch(request.url, { redirect: 'manual' });
      assert.ok(headers.get('location')?.startsWith(`${redirect_uri}?error=unsupported_response_mode&`), response_mode);
    }
  });

  it('is 405 with Allow for another method, at every endpoint', async () => {
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    for (const [path, allow] of [
      ['/oauth/token', 'POST'],
      ['/oauth/par', 'POST'],
      ['/oauth/revoke', 'POST'],
      ['/oauth/jwks', 'GET, HEAD'],
      ['/.well-known/openid-configuration', 'GET, HEAD'],
      ['/.well-known/oauth-authorization-server', 'GET, HEAD'],
      ['/oauth/authorize', 'GET, HEAD, POST'],
      ['/oauth/authorize/a-step', 'GET, HEAD'],
    ] as const) {
      for (const method of methods) {
        const { status, headers } = await fetch(world.issuer + path, { method });
        if (allow.split(', ').includes(method)) assert.notEqual(status, 405, `${method} ${path}`);
        else assert.deepEqual([status, headers.get('allow')], [405, allow], `${method} ${path}`);
      }
    }
  });
});

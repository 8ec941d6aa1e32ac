import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ThirdParty } from '@tallystick/consents';
import { registerWithKey } from './authorisation-client.ts';
import { certificate, certificate_header, startWorld, type World } from './authorisation-world.ts';

describe('a third party that a request names', () => {
  let world: World;
  let by_secret: ThirdParty;
  let by_key: ThirdParty;
  let by_certificate: ThirdParty;
  before(async () => {
    world = await startWorld();
    by_secret = await world.register();
    by_key = (await registerWithKey(world)).third_party;
    const { subject } = certificate('tpp');
    by_certificate = await world.register({ is_sandbox: false, certificate_subject: subject });
  });
  after(() => world.close());

  const secretOf = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  const assertionOf = (sub: string) => `e30.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.AA`;
  const proof_of_attestation = { 'OAuth-Client-Attestation-PoP': 'a' };
  const attestation = { ...proof_of_attestation, 'OAuth-Client-Attestation': 'b' };
  const assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

  /** Sends a form. Returns the status, and who was identified. */
  async function send(path: string, form: Record<string, string>, headers: Record<string, string>) {
    const { length } = world.identified;
    const body = new URLSearchParams(form);
    const answer = await fetch(world.issuer + path, { method: 'POST', body, headers });
    await answer.text();
    return [answer.status, ...world.identified.slice(length)];
  }

  it('is identified by no request that fails to authenticate, whatever it sends', async () => {
    const wanted = { grant_type: 'client_credentials', scope: 'accounts', token: 'x' };
    for (const { client_id } of [by_secret, by_key, by_certificate]) {
      const client_assertion = assertionOf(client_id);
      const form = { client_id };
      const assertion = { ...form, client_assertion, client_assertion_type: assertion_type };
      for (const [fields, headers] of [
        [form, {}],
        [{ ...form, client_secret: 'x' }, {}],
        [form, secretOf(`${client_id}:x`)],
        [form, secretOf(client_id)],
        [form, secretOf(`other:${client_id}-secret`)],
        [form, { Authorization: 'Bearer x' }],
        [assertion, {}],
        [{ ...assertion, client_id: 'other' }, {}],
        [{ ...form, client_assertion }, {}],
        [assertion, secretOf(`${client_id}:x`)],
        [form, { [certificate_header]: 'other' }],
      ] as const) {
        for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/par']) {
          for (const more of [{}, proof_of_attestation, attestation]) {
            const all = { ...headers, ...more };
            const [status, ...identified] = await send(path, { ...wanted, ...fields }, all);
            assert.ok(status === 400 || status === 401, `${status}`);
            assert.deepEqual(identified, [], JSON.stringify([path, fields, all]));
          }
        }
      }
    }
  });

  it('is identified by its authentication, even if the request is refused', async () => {
    const { client_id } = by_secret;
    const headers = { ...secretOf(`${client_id}:${client_id}-secret`), ...attestation };
    for (const [form, status] of [
      [{ grant_type: 'client_credentials', scope: 'accounts' }, 200],
      [{ grant_type: 'client_credentials', scope: 'other' }, 400],
      [{ grant_type: 'refresh_token', refresh_token: 'x' }, 400],
      [{ grant_type: 'other' }, 400],
    ] as const) {
      assert.deepEqual(await send('/oauth/token', { client_id, ...form }, headers), [status, client_id]);
    }
    const { client_id: other } = by_certificate;
    const form = { client_id: other, grant_type: 'client_credentials', scope: 'accounts' };
    const sent = { [certificate_header]: 'tpp', ...attestation };
    assert.deepEqual(await send('/oauth/token', form, sent), [200, other]);
  });
});

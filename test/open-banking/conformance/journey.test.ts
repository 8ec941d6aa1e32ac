import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  migratedDatabase,
  type ScratchDatabase,
  type ServerProcess,
  send,
  startServer,
} from '@tallystick/test-support';
import { type SuiteClient, suite_redirect_uri, suiteClient } from './suite-client.ts';

const consents = '/open-banking/v3.1/aisp/account-access-consents';
const interaction_id = 'c4405450-febe-11e8-80a5-0fcebb157400';

/** How the suite gets its tokens: its components, before the cases of the manifests. */
describe('the journey of the conformance suite', () => {
  let scratch: ScratchDatabase | undefined;
  let server: ServerProcess | undefined;
  let client: SuiteClient;
  before(async () => {
    scratch = await migratedDatabase('sqlite');
    server = await startServer(scratch);
    client = await suiteClient(server.url);
  });
  after(async () => {
    await server?.stop();
    await scratch?.dispose();
  });

  const clientToken = async (): Promise<string> =>
    (await client.token({ grant_type: 'client_credentials', scope: 'accounts' })).access_token!;
  /** As `send`, with the headers of the suite. */
  const sendAs = async (token: string, method: string, path: string, body?: unknown) =>
    await send(server!.url, method, path, {
      key: token,
      ...(body === undefined ? {} : { body }),
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'x-fapi-interaction-id': interaction_id,
        'x-fapi-financial-id': '0015800001041RHAAY',
      },
    });
  const request = (more: object = {}) => ({ Data: { Permissions: ['ReadAccountsBasic'], ...more }, Risk: {} });

  it('creates, reads and deletes a consent (components/account_consent_v3.1.json)', async () => {
    const token = await clientToken();
    const created = await sendAs(token, 'POST', consents, request());
    assert.equal(created.status, 201, created.text);
    assert.equal(created.json.Data.Status, 'AwaitingAuthorisation');
    const path = `${consents}/${created.json.Data.ConsentId}`;
    const read = await sendAs(token, 'GET', path);
    assert.deepEqual([read.status, read.json.Data.Status], [200, 'AwaitingAuthorisation']);
    const deleted = await sendAs(token, 'DELETE', path);
    assert.deepEqual([deleted.status, deleted.text], [204, '']);
    assert.equal((await sendAs(token, 'GET', path)).status, 400);
  });

  it('authorises by a request object and a code (components/PSUConsentProviderComponentV3.json)', async () => {
    const range = {
      TransactionFromDateTime: '2016-01-01T10:40:00+02:00',
      TransactionToDateTime: '2025-12-31T10:40:00+02:00',
    };
    const created = await sendAs(await clientToken(), 'POST', consents, request(range));
    assert.equal(created.status, 201, created.text);
    const { ConsentId } = created.json.Data as { readonly ConsentId: string };
    const body = { data: { decision: 'approve' } };
    const decided = await send(server!.url, 'POST', `/sandbox/v1/consents/${ConsentId}/decide`, { key: 'bank', body });
    assert.equal(decided.status, 200, decided.text);

    const answer = await fetch(client.authorisation(ConsentId, 'to1001'), { redirect: 'manual' });
    const location = new URL(answer.headers.get('location') ?? 'about:blank');
    assert.equal(location.origin + location.pathname, suite_redirect_uri);
    // The answer of `code id_token` is in the fragment.
    const answered = new URLSearchParams(location.hash.slice(1));
    assert.equal(answered.get('state'), 'to1001', location.hash);
    const [, claims] = answered.get('id_token')!.split('.');
    const { openbanking_intent_id, acr } = JSON.parse(Buffer.from(claims!, 'base64url').toString());
    assert.deepEqual([openbanking_intent_id, acr], [ConsentId, client.discovery.acr_values_supported[0]]);

    const code = answered.get('code')!;
    const parameters = { grant_type: 'authorization_code', code, redirect_uri: suite_redirect_uri };
    const { access_token } = await client.token(parameters);
    const accounts = await sendAs(access_token!, 'GET', '/open-banking/v3.1/aisp/accounts');
    assert.equal(accounts.status, 200, accounts.text);
    assert.equal(accounts.headers.get('x-fapi-interaction-id'), interaction_id);
  });
});

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { type Service, startService } from './service.ts';

const path = '/operator/v1/third-parties';

const good = {
  client_id: 'budget-app',
  name: 'Budget App',
  scopes: ['accounts'],
  redirect_uris: ['https://budget.example/callback'],
  jwks_uri: 'https://budget.example/jwks.json',
};

function register({ send }: Service, data: object) {
  return send('POST', path, { key: 'operator', body: { data } });
}

for (const name of database_names) {
  describe(`third parties on ${name}`, () => {
    it('are registered, listed, read, suspended and activated by an operator', async (t) => {
      const service = await startService(t, name);
      const { send } = service;
      const created = await register(service, good);
      assert.equal(created.status, 200, created.text);
      const { id, url, status } = created.json.data;
      assert.deepEqual([url, status], [`${path}/${id}`, 'active']);
      const read = async () => (await send('GET', url, { key: 'operator' })).json.data;
      assert.deepEqual(await read(), created.json.data);
      const listed = await send('GET', path, { key: 'operator' });
      assert.deepEqual(listed.json.data, [created.json.data]);
      for (const [act, expected] of [
        ['suspend', 'suspended'],
        ['suspend', 'suspended'],
        ['activate', 'active'],
      ] as const) {
        const changed = await send('POST', `${url}/${act}`, { key: 'operator' });
        assert.deepEqual([changed.status, changed.json.data.status], [200, expected]);
        assert.equal((await read()).status, expected);
      }
      const audit = await send('GET', `/operator/v1/audit?filter[object]=third_party:${id}`, { key: 'operator' });
      const actions = audit.json.data.map(({ action }: { action: string }) => action);
      assert.deepEqual(actions, ['third_party.activated', 'third_party.suspended', 'third_party.registered']);
    });

    it('end all their tokens when they are suspended', async (t) => {
      const service = await startService(t, name);
      const { unitOfWork } = service.persistence;
      const { id } = (await register(service, good)).json.data;
      const record = (client_id: string) => ({
        model: 'AccessToken',
        id_hash: client_id,
        payload_sealed: new Uint8Array([1]),
        client_id,
        consent_id: null,
        user_id: null,
        grant_id: null,
        expires_at_ms: null,
        ends_by: 'service' as const,
        consumed_at_ms: null,
      });
      await unitOfWork.run(async (tx) => {
        await tx.authorisation.put(record('budget-app'));
        await tx.authorisation.put(record('other'));
      });
      await service.send('POST', `${path}/${id}/suspend`, { key: 'operator' });
      const left = (client_id: string) => unitOfWork.read((tx) => tx.authorisation.find('AccessToken', client_id));
      assert.equal(await left('budget-app'), null);
      assert.notEqual(await left('other'), null);
    });

    it('are changed by an operator, who may send one back, and their keys and scopes with them', async (t) => {
      const service = await startService(t, name);
      const { send } = service;
      const created = (await register(service, good)).json.data;
      const { url } = created;
      const change = (data: object) => send('PATCH', url, { key: 'operator', body: { data } });
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'new' }] };
      const redirect_uris = [...good.redirect_uris, 'https://budget.example/app'];
      const changed = await change({ ...created, jwks, jwks_uri: null, redirect_uris, name: 'Budget' });
      assert.equal(changed.status, 200, changed.text);
      const expected = { ...created, jwks, jwks_uri: null, redirect_uris, name: 'Budget' };
      assert.deepEqual(changed.json.data, expected);
      assert.deepEqual((await send('GET', url, { key: 'operator' })).json.data, expected);
      const audit = await send('GET', '/operator/v1/audit?filter[action]=third_party.changed', { key: 'operator' });
      assert.deepEqual(
        audit.json.data.map(({ details }: { details: unknown }) => details),
        [{ client_id: 'budget-app', changed: ['name', 'redirect_uris', 'jwks', 'jwks_uri'] }],
      );
      for (const [data, field] of [
        [{ client_id: 'other' }, 'data.client_id'],
        [{ status: 'suspended' }, 'data.status'],
        [{ name: null }, 'data.name'],
        [{ jwks: null }, 'data.jwks'],
        [{ jwks, jwks_uri: good.jwks_uri }, 'data.jwks'],
        [{ redirect_uris: ['http://budget.example/'] }, 'data.redirect_uris[0]'],
        [{ redirect_uri: ['https://budget.example/'] }, 'data.redirect_uri'],
        [{ is_sandbox: true }, 'data.is_sandbox'],
      ] as const) {
        const reply = await change(data);
        assert.equal(reply.status, 400, `${field}: ${reply.text}`);
        assert.deepEqual(
          reply.json.fields.map((one: { path: string }) => one.path),
          [field],
        );
      }
      assert.deepEqual((await send('GET', url, { key: 'operator' })).json.data, expected);
      assert.equal((await send('PATCH', `${path}/9`, { key: 'operator', body: { data: {} } })).status, 404);
      assert.equal((await send('PATCH', url, { key: 'bank', body: { data: {} } })).status, 403);
    });

    it('refuse what cannot be registered, and name every field', async (t) => {
      const service = await startService(t, name);
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key = publicKey.export({ format: 'jwk' });
      const { jwks_uri: _, ...without_keys } = good;
      const rows: readonly (readonly [object, string])[] = [
        [{ ...good, name: '' }, 'data.name'],
        [{ ...good, scopes: ['payments'] }, 'data.scopes'],
        [{ ...good, redirect_uris: ['http://budget.example/callback'] }, 'data.redirect_uris[0]'],
        [{ ...good, redirect_uris: ['https://budget.example/#x'] }, 'data.redirect_uris[0]'],
        [{ ...good, jwks: { keys: [key] } }, 'data.jwks'],
        [{ ...good, jwks_uri: 'http://budget.example/jwks' }, 'data.jwks_uri'],
        [{ ...good, jwks_uri: 'https://168.63.129.16/jwks' }, 'data.jwks_uri'],
        [without_keys, 'data.jwks'],
        [{ ...without_keys, jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, 'data.jwks.keys[0]'],
        [{ ...good, colour: 'red' }, 'data.colour'],
      ];
      for (const [data, field] of rows) {
        const reply = await register(service, data);
        assert.equal(reply.status, 400, `${field}: ${reply.text}`);
        assert.deepEqual(
          reply.json.fields.map((one: { path: string }) => one.path),
          [field],
        );
      }
      assert.equal((await register(service, good)).status, 200);
      assert.equal((await register(service, good)).status, 409, 'the client id is taken');
      for (const id of ['9', '0', 'x']) {
        assert.equal((await service.send('GET', `${path}/${id}`, { key: 'operator' })).status, 404);
        assert.equal((await service.send('POST', `${path}/${id}/suspend`, { key: 'operator' })).status, 404);
      }
    });

    it('are for operators only', async (t) => {
      const { send } = await startService(t, name);
      for (const key of ['client', 'network', 'bank'] as const) {
        assert.equal((await send('GET', path, { key })).status, 403);
        assert.equal((await send('POST', path, { key, body: { data: good } })).status, 403);
      }
    });
  });
}

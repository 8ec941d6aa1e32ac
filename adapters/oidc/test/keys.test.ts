import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type AuthorisationServerPorts, createAuthorisationServer } from '../src/index.ts';

it('refuses to start without a signing key or a cookie key', () => {
  for (const keys of [
    { signing_keys: [], cookie_keys: ['secret'] },
    { signing_keys: [{ kty: 'EC' }], cookie_keys: [] },
  ]) {
    assert.throws(() => createAuthorisationServer(keys as unknown as AuthorisationServerPorts), /at least one signing/);
  }
});

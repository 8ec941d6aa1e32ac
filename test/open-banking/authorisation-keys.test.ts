import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { it } from 'node:test';
import { startWorld } from './authorisation-world.ts';

it('an RSA key is made in another thread, so that no other request waits for it', async (t) => {
  const world = await startWorld();
  t.after(() => world.close());
  const { mock } = t.mock.method(crypto, 'generateKeyPairSync', () => {
    throw new Error('it holds the event loop');
  });
  syncBuiltinESMExports();
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  const answer = await fetch(`${world.issuer}/oauth/jwks`);
  const { keys } = (await answer.json()) as { readonly keys: readonly { readonly kty: string }[] };
  assert.equal(keys.filter(({ kty }) => kty === 'RSA').length, 2);
});

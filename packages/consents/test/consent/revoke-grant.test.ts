import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AccountAccessConsent, accessEnd, grant_model, revokeGrant } from '@tallystick/consents';
import { now_ms } from '../bank-world.ts';
import { ConsentWorld, third_party_call, user_id } from '../consent-world.ts';

/** A consent with these grants, each with a token. */
async function withGrants(world: ConsentWorld, ...grant_ids: readonly string[]): Promise<AccountAccessConsent> {
  const consent = await world.grantAccess();
  const record = {
    payload_sealed: new Uint8Array([1]),
    client_id: third_party_call.client_id,
    consent_id: consent.consent_id,
    user_id,
    expires_at_ms: now_ms + 1_000,
    ends_by: 'service' as const,
    consumed_at_ms: null,
  };
  await world.run(async ({ authorisation }) => {
    for (const grant_id of grant_ids) {
      await authorisation.put({ ...record, model: grant_model, id_hash: grant_id, grant_id: null });
      await authorisation.put({ ...record, model: 'RefreshToken', id_hash: `token of ${grant_id}`, grant_id });
    }
  });
  return consent;
}

function revoke(world: ConsentWorld, grant_id: string, at_ms: number): Promise<void> {
  return world.run((tx) => revokeGrant(tx, { request_id: 'r-3', now_ms: at_ms }, grant_id));
}

function revokedAt(world: ConsentWorld, { consent_id }: AccountAccessConsent) {
  return world.read(async (tx) => (await tx.consents.find(consent_id))?.tokens_revoked_at_ms);
}

describe('a revocation of the tokens of an authorisation', () => {
  it('ends them alone, and the access with those of the last authorisation', async () => {
    const world = new ConsentWorld();
    const consent = await withGrants(world, 'one', 'two');
    const tokensLeft = () =>
      world.read(async ({ authorisation }) => {
        const found = ['one', 'two'].map((id) => authorisation.find('RefreshToken', `token of ${id}`));
        return (await Promise.all(found)).map((token) => token !== null);
      });
    await revoke(world, 'one', now_ms + 1);
    assert.deepEqual([await tokensLeft(), await revokedAt(world, consent)], [[false, true], null]);
    await revoke(world, 'two', now_ms + 2);
    assert.deepEqual([await tokensLeft(), await revokedAt(world, consent)], [[false, false], now_ms + 2]);
    await revoke(world, 'two', now_ms + 3);
    assert.equal(await revokedAt(world, consent), now_ms + 2);
    assert.deepEqual(await world.audited(), ['consent.authorised', 'consent.tokens_revoked']);
  });

  it('lets the access end with the tokens that are left, when those of the newest are revoked', async () => {
    const world = new ConsentWorld();
    const { consent_id } = await withGrants(world, 'older', 'newest');
    await revoke(world, 'newest', now_ms + 1);
    const left = await world.read((tx) => tx.consents.find(consent_id));
    assert.deepEqual(accessEnd(left!), { how: 'lapsed', at_ms: now_ms + 1_000 });
  });

  it('counts no authorisation that has ended', async () => {
    const world = new ConsentWorld();
    const consent = await withGrants(world, 'one', 'two');
    await revoke(world, 'one', now_ms + 1_000);
    assert.equal(await revokedAt(world, consent), now_ms + 1_000);
  });

  it('leaves a consent as it is whose access has ended before', async () => {
    const world = new ConsentWorld();
    const consent = await withGrants(world, 'one');
    await world.run((tx) => tx.consents.update({ ...consent, stopped_at_ms: now_ms }));
    await revoke(world, 'one', now_ms + 1);
    assert.equal(await revokedAt(world, consent), null);
    assert.deepEqual(await world.audited(), ['consent.authorised']);
  });
});

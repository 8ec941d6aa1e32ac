import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type AuthorisationRecord,
  openAuthorisation,
  resealAuthorisations,
  sealAuthorisation,
} from '@tallystick/consents';
import { fixedClock } from '@tallystick/kernel';
import { memoryPersistence, memoryVault } from '@tallystick/memory';

const clear = Buffer.from('content');

function sealedWith(key_ids: readonly string[], id_hash: string): AuthorisationRecord {
  const key = { model: 'RefreshToken', id_hash };
  const links = { client_id: null, consent_id: null, user_id: null, grant_id: null };
  const payload_sealed = sealAuthorisation(memoryVault(key_ids).sealer, key, clear);
  return { ...key, ...links, payload_sealed, expires_at_ms: null, ends_by: 'service', consumed_at_ms: 5 };
}

it('a rotation of keys seals every record of the authorisation server again, and changes nothing else', async () => {
  const { unitOfWork } = memoryPersistence({ clock: fixedClock('2026-05-20T12:00:00Z') });
  const records = ['a', 'b', 'c'].map((id_hash) => sealedWith(['k1'], id_hash));
  const current = sealedWith(['k2', 'k1'], 'd');
  await unitOfWork.run(async (tx) => {
    for (const record of [...records, current]) await tx.authorisation.put(record);
  });
  const { sealer } = memoryVault(['k2', 'k1']);
  assert.equal(await resealAuthorisations(unitOfWork, sealer, 2), 3);
  assert.equal(await resealAuthorisations(unitOfWork, sealer, 2), 0);
  for (const record of [...records, current]) {
    const found = await unitOfWork.read((tx) => tx.authorisation.find(record.model, record.id_hash));
    const opened = openAuthorisation(memoryVault(['k2']).sealer, found!);
    assert.deepEqual(Buffer.from(opened), clear);
    assert.deepEqual({ ...found, payload_sealed: null }, { ...record, payload_sealed: null });
  }
});

it('the content of a record cannot be read in the place of another record', () => {
  const { sealer } = memoryVault();
  const record = sealedWith(['k1'], 'a');
  assert.deepEqual(Buffer.from(openAuthorisation(sealer, record)), clear);
  assert.throws(() => openAuthorisation(sealer, { ...record, id_hash: 'b' }));
  assert.throws(() => openAuthorisation(sealer, { ...record, model: 'AccessToken' }));
});

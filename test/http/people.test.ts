import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startService } from './service.ts';

it('an operator makes people, whose secrets no answer repeats', async (t) => {
  const { send } = await startService(t, 'sqlite');
  const asOperator = async (method: string, path: string, data?: object) => {
    const reply = await send(method, path, { key: 'operator', ...(data === undefined ? {} : { body: { data } }) });
    assert.ok(reply.status === 200 || reply.status === 204, reply.text);
    return reply.json?.data;
  };
  const grants = [{ role: 'support', company_id: '1' }, { role: 'viewer' }];
  const anna = await asOperator('POST', '/operator/v1/people', { handle: 'anna', name: 'Anna', grants });
  assert.deepEqual(anna.grants, [
    { role: 'support', company_id: 1 },
    { role: 'viewer', company_id: null },
  ]);
  assert.deepEqual([anna.has_password, anna.has_totp, anna.status], [false, false, 'active']);

  const { totp_secret, totp_uri, ...reset } = await asOperator('POST', `${anna.url}/reset-totp`);
  assert.match(totp_secret, /^[A-Z2-7]{32}$/);
  assert.equal(totp_uri, `otpauth://totp/Tallystick%3Aanna?secret=${totp_secret}&issuer=Tallystick`);
  assert.deepEqual([reset.has_password, reset.has_totp], [false, true]);
  const password = 'correct horse battery';
  assert.equal((await asOperator('PUT', `${anna.url}/password`, { password })).has_password, true);
  await asOperator('POST', `${anna.url}/end-sessions`);

  const changed = await asOperator('PATCH', anna.url, { ...anna, status: 'disabled', grants: [] });
  assert.deepEqual(changed, { ...reset, has_password: true, status: 'disabled', grants: [] });
  assert.deepEqual(await asOperator('GET', anna.url), changed);
  const listed = await send('GET', '/operator/v1/people', { key: 'operator' });
  assert.deepEqual(listed.json.data, [changed]);
  const audited = await send('GET', '/operator/v1/audit?filter[object]=person:1', { key: 'operator' });
  assert.deepEqual(
    audited.json.data.map(({ action }: { action: string }) => action),
    [
      ...['person.disabled', 'person.updated', 'person.sessions_ended', 'person.password_set'],
      ...['person.totp_reset', 'person.created'],
    ],
  );
  for (const { text } of [listed, audited]) {
    assert.ok(!text.includes(totp_secret) && !text.includes(password) && !text.includes('scrypt'));
  }

  const short = await send('PUT', `${anna.url}/password`, { key: 'operator', body: { data: { password: 'short' } } });
  assert.deepEqual([short.status, short.json.code], [400, 'validation_failed'], short.text);
  for (const key of ['client', 'network', 'bank']) {
    assert.equal((await send('GET', anna.url, { key })).status, 403);
  }
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clear, issueCard } from './reconciliation-world.ts';
import { startService } from './service.ts';

const path = '/v1/reconciliation';
const note = { data: { note: 'agreed' } };

it('an act above the amount is answered 202, and done once another key approves it', async (t) => {
  const service = await startService(t);
  const { send } = service;
  const card = await issueCard(service);
  await clear(service, card, 3_000);
  service.setClock('2030-03-17T10:00:00Z');
  const [item] = (await send('GET', `${path}/items?filter[status]=break`)).json.data;
  const four_eyes = { above: { USD: 2_999 } };
  const setting = { body: { data: { four_eyes } } };
  const company = `/operator/v1/companies/${service.company_id}`;
  assert.equal((await send('PATCH', company, setting)).status, 403, 'the company sets it');
  const set = await send('PATCH', company, { ...setting, key: 'operator' });
  assert.deepEqual([set.status, set.json.data.four_eyes], [200, four_eyes], set.text);
  for (const wrong of [{ above: { USD: -1 } }, { above: { usd: 1 } }, { below: {} }, 5]) {
    const refused = await send('PATCH', company, { key: 'operator', body: { data: { four_eyes: wrong } } });
    assert.equal(refused.status, 400, JSON.stringify(wrong));
  }

  const tolerate = (USD: number | null) => send('PATCH', `${path}/tolerances`, { body: { data: { USD } } });
  const lower = (data: object) => send('PATCH', company, { key: 'operator', body: { data: { four_eyes: data } } });
  assert.equal((await tolerate(2_000)).status, 200);
  for (const below of [{ above: { USD: 1_999 } }, { above: { EUR: 5_000 } }]) {
    const refused = await lower(below);
    assert.deepEqual([refused.status, refused.json.fields?.[0].path], [400, 'data.four_eyes'], refused.text);
  }
  assert.deepEqual((await send('GET', company, { key: 'operator' })).json.data.four_eyes, four_eyes);
  await tolerate(null);
  assert.equal((await lower(four_eyes)).status, 200);

  const asked = await send('POST', `${item.url}/accept`, { body: note });
  assert.deepEqual([asked.status, asked.json.data.type], [202, 'reconciliation_approval'], asked.text);
  const { id, url } = asked.json.data;
  const shown = (await send('GET', item.url)).json.data;
  assert.deepEqual([shown.status, shown.version, shown.pending_approval_id], ['break', item.version, id]);
  assert.deepEqual((await send('GET', `${path}/approvals?filter[status]=pending`)).json.data, [asked.json.data]);
  const other = await send('POST', `${item.url}/ignore`, { body: note });
  assert.deepEqual([other.status, other.json.error.includes(`approval ${id} `)], [409, true], other.text);
  const own = await send('POST', `${url}/approve`);
  assert.deepEqual([own.status, own.json.code, /needs another person/.test(own.text)], [403, 'forbidden', true]);

  const made = { data: { company_id: service.company_id, role: 'client', name: 'second' } };
  const { key } = (await send('POST', '/operator/v1/keys', { key: 'operator', body: made })).json.data;
  const approved = await send('POST', `${url}/approve`, { key, body: note });
  assert.deepEqual([approved.status, approved.json.data.status], [200, 'approved'], approved.text);
  const done = (await send('GET', item.url)).json.data;
  assert.deepEqual([done.status, done.pending_approval_id], ['accepted', null]);
  const [act] = done.history;
  assert.deepEqual([act.actor, act.approved_by], [asked.json.data.asked_by, approved.json.data.decided_by]);
  assert.equal((await send('POST', `${url}/refuse`, { key, body: note })).status, 409);
  const events: readonly { readonly event_type: string; readonly payload: object }[] = (await send('GET', '/v1/events'))
    .json.data;
  const of_approval = events.filter(({ event_type }) => event_type.startsWith('reconciliation.approval.'));
  assert.deepEqual(
    of_approval.map(({ event_type, payload }) => [event_type, (payload as { approval_id: number }).approval_id]),
    [
      ['reconciliation.approval.approved', Number(id)],
      ['reconciliation.approval.asked', Number(id)],
    ],
  );
});

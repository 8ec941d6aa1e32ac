import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKey } from '@tallystick/access';
import { authoriseConsent } from '@tallystick/consents';
import { database_names } from '@tallystick/test-support';
import type { Reply } from '../http/service.ts';
import { card, deposit, frozen_user_id, user_id, userOf } from './bank.ts';
import { aisp, all_permissions, cbpii, startWorld, type World } from './world.ts';

const decideAt = (id: string) => `/sandbox/v1/consents/${id}/decide`;
const withdrawAt = (id: string) => `/bank/v1/consents/${id}/withdraw`;

function decide({ service }: World, consent_id: string, data: object, key = 'bank'): Promise<Reply> {
  return service.send('POST', decideAt(consent_id), { key, body: { data } });
}

/** The state of the consent as its third party sees it. */
async function statusOf(world: World, client_id: string, consent_id: string): Promise<string> {
  const scope = client_id === cbpii ? 'fundsconfirmations' : 'accounts';
  const name = client_id === cbpii ? 'funds-confirmation-consents' : 'account-access-consents';
  const token = world.managementToken(client_id, scope);
  return (await world.send('GET', `/${name}/${consent_id}`, { token })).json.Data.Status;
}

/** A key of the bank that serves this company only. */
async function keyOf({ service }: World, company_id: number): Promise<string> {
  const { persistence, vault } = service;
  const call = { actor: 'job:test', request_id: null, now_ms: Date.parse('2030-03-15T10:00:00Z') };
  const request = { role: 'bank', name: 'branch', company_id } as const;
  const ports = { ...vault, environment: 'test' } as const;
  return (await persistence.unitOfWork.run((tx) => createKey(tx, ports, call, request))).text;
}

for (const name of database_names) {
  describe(`consents in the bank channel on ${name}`, () => {
    it('are decided by the first user with all accounts, by default, in the sandbox', async (t) => {
      const world = await startWorld(t, name);
      const consent_id = await world.consentFor(aisp, all_permissions);
      const reply = await decide(world, consent_id, { decision: 'approve' });
      assert.equal(reply.status, 200, reply.text);
      const { status, user_id: user, account_ids, company_id } = reply.json.data;
      assert.deepEqual(
        [status, user, account_ids, company_id],
        ['Authorised', user_id, [deposit, card], world.service.company_id],
      );
      assert.equal(await statusOf(world, aisp, consent_id), 'Authorised');
      const stored = await world.service.persistence.unitOfWork.read((tx) => tx.consents.find(consent_id));
      assert.equal(stored?.decided_ahead, true);

      const funds = await world.fundsConsentFor(cbpii);
      const confirmed = await decide(world, funds, { decision: 'approve' });
      assert.deepEqual(confirmed.json.data.account_ids, [deposit], 'the account that the consent names');
    });

    it('are decided for named accounts, or rejected', async (t) => {
      const world = await startWorld(t, name);
      const one = await world.consentFor(aisp, all_permissions);
      const chosen = await decide(world, one, { decision: 'approve', user_id, account_ids: [card] });
      assert.deepEqual(chosen.json.data.account_ids, [card]);
      const other = await world.consentFor(aisp, all_permissions);
      const rejected = await decide(world, other, { decision: 'reject' });
      assert.equal(rejected.json.data.status, 'Rejected');
      assert.equal(await statusOf(world, aisp, other), 'Rejected');
    });

    it('are decided once, and only by whom and for what is allowed', async (t) => {
      const world = await startWorld(t, name);
      const consent_id = await world.consentFor(aisp, all_permissions);
      const rows: readonly (readonly [object, number])[] = [
        [{ decision: 'approve', user_id: 'nobody' }, 400],
        [{ decision: 'reject', user_id: 'nobody' }, 400],
        [{ decision: 'approve', account_ids: ['1000000002'] }, 400],
        [{ decision: 'approve', account_ids: ['3000000001'] }, 400],
        [{ decision: 'approve', account_ids: [] }, 400],
        [{ decision: 'perhaps' }, 400],
        [{ decision: 'approve', status: 'Authorised' }, 400],
        [{}, 400],
        [{ decision: 'approve', user_id: frozen_user_id }, 409],
      ];
      for (const [data, status] of rows) {
        const reply = await decide(world, consent_id, data);
        assert.equal(reply.status, status, `${JSON.stringify(data)}: ${reply.text}`);
      }
      assert.equal(await statusOf(world, aisp, consent_id), 'AwaitingAuthorisation');
      assert.equal((await decide(world, consent_id, { decision: 'approve' })).status, 200);
      for (const decision of ['approve', 'reject']) {
        const again = await decide(world, consent_id, { decision });
        assert.deepEqual([again.status, again.json.code], [409, 'conflict']);
      }
      const deleted = await world.consentFor(aisp, all_permissions);
      const token = world.managementToken(aisp, 'accounts');
      await world.send('DELETE', `/account-access-consents/${deleted}`, { token });
      for (const id of ['unknown', deleted]) {
        assert.equal((await decide(world, id, { decision: 'approve' })).status, 404);
      }
      for (const key of ['client', 'network', 'operator'] as const) {
        assert.equal((await decide(world, consent_id, { decision: 'approve' }, key)).status, 403);
      }
    });

    it('of another company are as unknown as those that do not exist, wherever a key of a company asks', async (t) => {
      const world = await startWorld(t, name);
      const { send, company_id, persistence } = world.service;
      const own = await keyOf(world, company_id + 1);
      await persistence.unitOfWork.run((tx) => tx.bank.putUsers([userOf(company_id + 1, 0, { user_id: 'other' })]));
      const [awaiting, authorised, withdrawn, rejected] = await Promise.all(
        [1, 2, 3, 4].map(() => world.consentFor(aisp, all_permissions)),
      );
      await world.authorise(aisp, authorised!);
      await world.authorise(aisp, withdrawn!);
      assert.equal((await send('POST', withdrawAt(withdrawn!), { key: 'bank' })).status, 200);
      assert.equal((await decide(world, rejected!, { decision: 'reject' })).status, 200);
      const funds = await world.fundsConsentFor(cbpii);
      await world.authorise(cbpii, funds, [deposit]);

      /** The answer without the ids that were sent and the id of the request. */
      const answerTo = async (method: string, path: string, id: string, data?: object) => {
        const body = data === undefined ? {} : { body: { data } };
        const reply = await send(method, path.replace('{id}', id), { key: own, ...body });
        const text = reply.text.replaceAll(reply.headers.get('x-request-id')!, 'R').replaceAll(id, '{id}');
        return { status: reply.status, text };
      };
      const alike = async (method: string, path: string, id: string, data?: object) => {
        const unknown = `${id.slice(0, -3)}zzz`;
        const found = await answerTo(method, path, id, data);
        const what = `${method} ${path} ${id} ${JSON.stringify(data)}`;
        assert.deepEqual(found, await answerTo(method, path, unknown, data), what);
        assert.equal(found.status, 404, what);
      };
      for (const id of [authorised!, withdrawn!, rejected!, funds]) {
        for (const data of [
          { decision: 'approve' },
          { decision: 'reject' },
          { decision: 'approve', user_id: 'other', account_ids: [deposit] },
          { decision: 'reject', user_id: 'nobody' },
        ]) {
          await alike('POST', decideAt('{id}'), id, data);
        }
        await alike('GET', '/bank/v1/consents/{id}', id);
        await alike('POST', withdrawAt('{id}'), id);
      }
      await alike('GET', '/bank/v1/consents/{id}', awaiting!);
      await alike('POST', withdrawAt('{id}'), awaiting!);
      for (const path of ['', '/consents']) await alike('GET', `/bank/v1/users/{id}${path}`, user_id);
      for (const rest of [
        'profile',
        'balance',
        'transactions',
        'direct-debits',
        'standing-orders',
        'scheduled-payments',
      ]) {
        await alike('GET', `/bank/v1/accounts/{id}/${rest}`, deposit);
      }
      await alike('GET', '/bank/v1/accounts/{id}', deposit);
      await alike('PUT', '/bank/v1/accounts/{id}/balance', deposit, { booked: 1 });
      await alike('PUT', '/bank/v1/accounts/{id}/profile', deposit, { nickname: 'x' });
      for (const method of ['GET', 'PUT']) {
        const data = method === 'GET' ? undefined : { eligible_services: [], is_configured: true };
        const companies = [String(company_id), '987'].map((id) =>
          answerTo(method, '/bank/v1/companies/{id}/open-banking', id, data),
        );
        const [found, unknown] = await Promise.all(companies);
        assert.deepEqual([found, found!.status], [unknown, 404], `${method} of a company`);
      }
      const requests: readonly (readonly [
        string,
        string,
        (company: string, account: string) => object | string | null,
      ])[] = [
        ['GET', '/bank/v1/users?filter[company_id]={company}', () => null],
        ['GET', '/bank/v1/accounts?filter[company_id]={company}', () => null],
        [
          'POST',
          '/bank/v1/accounts',
          (company_id) => ({ data: { company_id, number: '4000000001', currency: 'USD', kind: 'deposit' } }),
        ],
        ['PUT', '/bank/v1/users/new', (company_id) => ({ data: { company_id, name: 'New', status: 'active' } })],
        [
          'PUT',
          '/bank/v1/users/other',
          (_, number) => ({ data: { name: 'Other', status: 'active', viewable_accounts: [number] } }),
        ],
        ['POST', '/bank/v1/records', (_, account) => JSON.stringify({ kind: 'balance', account, booked: 1 })],
        [
          'POST',
          '/bank/v1/records',
          (company_id) => JSON.stringify({ kind: 'user', user_id: 'new', company_id, name: 'New', status: 'active' }),
        ],
      ];
      for (const [method, path, bodyOf] of requests) {
        const answers = [];
        for (const [company, account] of [
          [String(company_id), deposit],
          ['987', '1000000zzz'],
        ] as const) {
          const body = bodyOf(company, account);
          const headers = typeof body === 'string' ? { 'Content-Type': 'application/x-ndjson' } : {};
          const sent = { key: own, headers, ...(body === null ? {} : { body }) };
          const reply = await send(method, path.replace('{company}', company), sent);
          const text = reply.text.replaceAll(reply.headers.get('x-request-id')!, 'R');
          answers.push([reply.status, text.replaceAll(account, '{number}').replaceAll(`company_id]=${company}`, '')]);
        }
        assert.deepEqual(answers[0], answers[1], `${method} ${path}`);
      }
      // What awaits its user is of no company: each company may decide.
      assert.equal((await decide(world, awaiting!, { decision: 'reject', user_id: 'other' }, own)).status, 200);
      await alike('POST', decideAt('{id}'), awaiting!, { decision: 'approve' });
    });

    it('are withdrawn at the bank: tokens end, and a confirmation of funds is Revoked', async (t) => {
      const world = await startWorld(t, name);
      const { send } = world.service;
      const consent_id = await world.consentFor(aisp, all_permissions);
      const early = await send('POST', withdrawAt(consent_id), { key: 'bank' });
      assert.equal(early.status, 409, 'nobody has authorised it');
      const token = await world.authorise(aisp, consent_id);
      assert.equal((await world.send('GET', '/accounts', { token })).status, 200);
      const first = await send('POST', withdrawAt(consent_id), { key: 'bank' });
      assert.equal(first.status, 200, first.text);
      assert.deepEqual([first.json.data.status, typeof first.json.data.withdrawn_at], ['Authorised', 'string']);
      const again = await send('POST', withdrawAt(consent_id), { key: 'bank' });
      assert.deepEqual(again.json, first.json, 'a repeat changes nothing');
      // This world does not end its tokens: a token without a consent in force reads nothing either.
      assert.equal((await world.send('GET', '/accounts', { token })).status, 403);

      const funds = await world.fundsConsentFor(cbpii);
      await world.authorise(cbpii, funds, [deposit]);
      assert.equal((await send('POST', withdrawAt(funds), { key: 'bank' })).json.data.status, 'Revoked');
      assert.equal(await statusOf(world, cbpii, funds), 'Revoked');
      assert.equal((await send('POST', withdrawAt('unknown'), { key: 'bank' })).status, 404);
    });

    it('say whether access goes on, and how and when it ended', async (t) => {
      const world = await startWorld(t, name);
      const { send, persistence, setClock } = world.service;
      const day = (days: number) => new Date(Date.parse('2030-03-15T10:00:00Z') + days * 86_400_000).toISOString();
      const names = ['lapsed', 'expired', 'withdrawn', 'deleted'] as const;
      const ids: Record<string, string> = {};
      for (const one of names) {
        const ExpirationDateTime = one === 'expired' ? { ExpirationDateTime: '2030-04-01T00:00:00Z' } : {};
        ids[one] = await world.consentFor(aisp, all_permissions, ExpirationDateTime);
        await world.authorise(aisp, ids[one]);
      }
      const awaiting = await world.consentFor(aisp, all_permissions);
      const shown = async () => {
        const { json } = await send('GET', `/bank/v1/users/${user_id}/consents`, { key: 'bank' });
        const found = json.data.map(({ id, access, access_ends_at }: Record<string, string>) => [
          names.find((one) => ids[one] === id),
          access,
          access_ends_at,
        ]);
        for (const item of json.data) {
          const { json: read } = await send('GET', item.url, { key: 'bank' });
          assert.deepEqual(read.data, item);
        }
        return found;
      };
      assert.deepEqual(await shown(), [
        ['deleted', 'active', day(90)],
        ['withdrawn', 'active', day(90)],
        ['expired', 'active', '2030-04-01T00:00:00.000Z'],
        ['lapsed', 'active', day(90)],
      ]);
      setClock(day(2));
      assert.equal((await send('POST', withdrawAt(ids.withdrawn!), { key: 'bank' })).json.data.access, 'withdrawn');
      const token = world.managementToken(aisp, 'accounts');
      await world.send('DELETE', `/account-access-consents/${ids.deleted}`, { token });
      setClock(day(90));
      assert.deepEqual(await shown(), [
        ['deleted', 'deleted', day(2)],
        ['withdrawn', 'withdrawn', day(2)],
        ['expired', 'expired', '2030-04-01T00:00:00.000Z'],
        ['lapsed', 'lapsed', day(90)],
      ]);
      const { json } = await send('GET', `/bank/v1/consents/${awaiting}`, { key: 'bank' });
      assert.deepEqual([json.data.access, json.data.access_ends_at], ['none', null]);
      // The user confirms it again, and it goes on for another 90 days.
      const call = { actor: `user:${user_id}`, request_id: null, now_ms: Date.parse(day(90)) };
      const again = { consent_id: ids.lapsed!, user_id, account_numbers: null };
      await persistence.unitOfWork.run((tx) => authoriseConsent(tx, { bank: tx.bank }, call, again));
      assert.deepEqual((await shown()).at(-1), ['lapsed', 'active', day(180)]);
    });

    it('are read by consent and by user, and a key of a company sees only its own', async (t) => {
      const world = await startWorld(t, name);
      const { send, company_id, persistence } = world.service;
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        const consent_id = await world.consentFor(aisp, all_permissions);
        await world.authorise(aisp, consent_id);
        ids.unshift(consent_id);
      }
      const pending = await world.consentFor(aisp, all_permissions);
      const [own, foreign] = [await keyOf(world, company_id), await keyOf(world, company_id + 1)];
      const of_user = `/bank/v1/users/${user_id}/consents`;
      for (const key of ['bank', own]) {
        const listed = await send('GET', `${of_user}?page[limit]=2`, { key });
        const next = await send('GET', listed.json.links.next, { key });
        const items = [...listed.json.data, ...next.json.data] as { id: string; url: string }[];
        assert.deepEqual(
          items.map(({ id }) => id),
          ids,
        );
        for (const item of items) assert.deepEqual((await send('GET', item.url, { key })).json.data, item);
      }
      const paths = [
        of_user,
        `/bank/v1/consents/${ids[0]}`,
        `/bank/v1/consents/${pending}`,
        '/bank/v1/users/x/consents',
      ];
      for (const path of paths) assert.equal((await send('GET', path, { key: foreign })).status, 404, path);
      assert.equal((await send('POST', withdrawAt(ids[0]!), { key: foreign })).status, 404);
      assert.equal((await send('POST', withdrawAt(ids[0]!), { key: own })).status, 200);
      assert.equal((await send('GET', `/bank/v1/consents/${pending}`, { key: 'bank' })).status, 200);

      await persistence.unitOfWork.run((tx) => tx.bank.putUsers([userOf(company_id + 1, 0, { user_id: 'aaa' })]));
      const decided = await decide(world, pending, { decision: 'reject', user_id: 'aaa' }, own);
      assert.equal(decided.status, 400, 'a user of another company');
    });
  });
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names, readRows } from '@tallystick/test-support';
import { type Reply, type Service, startService } from './service.ts';

const users = '/bank/v1/users';
const bank = { key: 'bank' } as const;

const alex = {
  company_id: 1,
  name: 'Alex Carter',
  status: 'active',
  eligible_services: ['cbpii', 'aisp'],
  configured_services: ['aisp'],
  may_view_direct_debits: true,
  viewable_accounts: ['1000000002', '1000000001', '1000000001'],
};

async function openAccount({ send }: Service, number: string, company_id = 1, key: string = 'bank'): Promise<void> {
  const data = { company_id, number, currency: 'USD', kind: 'deposit' };
  const reply = await send('POST', '/bank/v1/accounts', { key, body: { data } });
  assert.equal(reply.status, 200, reply.text);
}

async function withAccounts(service: Service): Promise<Service> {
  await openAccount(service, '1000000001');
  await openAccount(service, '1000000002');
  return service;
}

function put({ send }: Service, path: string, data: object, key: string = 'bank'): Promise<Reply> {
  return send('PUT', path, { key, body: { data } });
}

/** Another company, and a key of the bank that serves only it. */
async function otherCompany({ send }: Service): Promise<{ readonly company_id: number; readonly key: string }> {
  const operator = { key: 'operator' } as const;
  const made = await send('POST', '/operator/v1/companies', {
    ...operator,
    body: { data: { name: 'Other', customer_number: '9' } },
  });
  const company_id = Number(made.json.data.id);
  const key_body = { data: { role: 'bank', name: 'n', company_id } };
  const key: string = (await send('POST', '/operator/v1/keys', { ...operator, body: key_body })).json.data.key;
  return { company_id, key };
}

const pathsOf = (reply: Reply): readonly string[] =>
  reply.json.fields.map(({ path }: { readonly path: string }) => path).toSorted();

for (const database of database_names) {
  describe(`bank data over ${database}`, () => {
    it('has users, which a PUT adds and replaces, and which are listed in pages', async (t) => {
      const service = await withAccounts(await startService(t, database));
      const { send } = service;
      const added = await put(service, `${users}/alex`, alex);
      assert.equal(added.status, 200, added.text);
      assert.deepEqual(added.json.data, {
        id: 'alex',
        company_id: 1,
        name: 'Alex Carter',
        status: 'active',
        eligible_services: ['aisp', 'cbpii'],
        configured_services: ['aisp'],
        may_view_direct_debits: true,
        viewable_accounts: ['1000000001', '1000000002'],
        updated_at: '2030-03-15T10:00:00.000Z',
        type: 'user',
        url: '/bank/v1/users/alex',
      });
      assert.deepEqual((await send('GET', added.json.data.url, bank)).json, added.json);
      assert.deepEqual((await put(service, `${users}/alex`, added.json.data)).json, added.json, 'it can be sent back');
      const frozen = await put(service, `${users}/alex`, { company_id: 1, name: 'Alex', status: 'frozen' });
      assert.deepEqual(
        [frozen.json.data.status, frozen.json.data.eligible_services, frozen.json.data.may_view_direct_debits],
        ['frozen', [], false],
      );
      for (const id of ['blair', 'zoe']) await put(service, `${users}/${id}`, alex);
      const first = (await send('GET', `${users}?page[limit]=2`, bank)).json;
      assert.deepEqual(
        first.data.map(({ id }: { readonly id: string }) => id),
        ['alex', 'blair'],
      );
      const second = (await send('GET', first.links.next, bank)).json;
      assert.deepEqual([second.data.length, second.data[0].id, second.links.next], [1, 'zoe', null]);
      assert.deepEqual((await send('GET', `${users}?filter[company_id]=2`, bank)).json.data, []);
      const audited = await readRows<{ object: string }>(
        service.database,
        `select object from tallystick_audit_entries where action = 'bank_user.changed' order by id`,
      );
      assert.deepEqual(
        audited.map(({ object }) => object),
        ['alex', 'alex', 'alex', 'blair', 'zoe'].map((id) => `bank_user:${id}`),
      );
    });

    it('sets what a company may do, and how an account is shown', async (t) => {
      const service = await withAccounts(await startService(t, database));
      const { send } = service;
      const company = '/bank/v1/companies/1/open-banking';
      const before = (await send('GET', company, bank)).json.data;
      assert.deepEqual([before.is_active, before.eligible_services, before.is_configured], [true, [], false]);
      const set = await put(service, company, { eligible_services: ['aisp'], is_configured: true });
      assert.deepEqual([set.json.data.eligible_services, set.json.data.is_configured], [['aisp'], true], set.text);
      assert.deepEqual((await send('GET', company, bank)).json, set.json);

      const profile = '/bank/v1/accounts/1000000001/profile';
      assert.equal((await send('GET', profile, bank)).status, 404);
      const iban = { scheme_name: 'UK.OBIE.IBAN', identification: 'GB29NWBK60161331926819' };
      const shown = await put(service, profile, { ...iban, nickname: 'Travel' });
      assert.equal(shown.status, 200, shown.text);
      assert.deepEqual((await send('GET', profile, bank)).json, shown.json);
      service.setClock('2030-03-16T10:00:00Z');
      assert.deepEqual((await put(service, profile, { ...iban, nickname: 'Travel' })).json, shown.json, 'a repeat');
      const disabled = await put(service, profile, { ...iban, status: 'Disabled' });
      assert.equal(disabled.json.data.status_updated_at, '2030-03-16T10:00:00.000Z');
      const taken = await put(service, '/bank/v1/accounts/1000000002/profile', iban);
      assert.deepEqual([taken.status, taken.json.code], [409, 'conflict'], taken.text);
    });

    it('identifies an account by no number of another one, whichever was there first', async (t) => {
      const service = await withAccounts(await startService(t, database));
      const profile = '/bank/v1/accounts/1000000001/profile';
      const open = (number: string) => {
        const data = { company_id: 1, number, currency: 'USD', kind: 'deposit' };
        return service.send('POST', '/bank/v1/accounts', { key: 'bank', body: { data } });
      };
      const own_number = { scheme_name: 'Tallystick.AccountNumber', identification: '1000000001' };
      const foreign = await put(service, profile, { ...own_number, identification: '1000000055' });
      assert.deepEqual([foreign.status, pathsOf(foreign)], [400, ['data.identification']], foreign.text);
      assert.equal((await put(service, profile, own_number)).status, 200, 'its own number');
      const iban = { scheme_name: 'UK.OBIE.IBAN', identification: 'GB29NWBK60161331926819' };
      const bban = { scheme_name: 'UK.OBIE.BBAN', identification: '1000000002' };
      assert.equal((await put(service, profile, bban)).status, 409);
      assert.equal((await put(service, profile, iban)).status, 200);
      const taken = await open(iban.identification);
      assert.deepEqual([taken.status, taken.json.code], [409, 'conflict'], taken.text);
      assert.equal((await put(service, profile, {})).status, 200);
      assert.equal((await open(iban.identification)).status, 200, 'nothing has this identification any more');
    });

    it('keeps the last four digits of card numbers', async (t) => {
      const service = await withAccounts(await startService(t, database));
      const as_iban = { scheme_name: 'UK.OBIE.IBAN', identification: '4539578763621486' };
      const refused = await put(service, '/bank/v1/accounts/1000000001/profile', as_iban);
      assert.deepEqual([refused.status, pathsOf(refused)], [400, ['data.identification']]);
      assert.ok(!refused.text.includes('4539578763621486'));
      const pan = { scheme_name: 'UK.OBIE.PAN', identification: '4539578763621486', nickname: 'card 4539578763621486' };
      const shown = (await put(service, '/bank/v1/accounts/1000000001/profile', pan)).json.data;
      assert.deepEqual([shown.identification, shown.nickname], ['************1486', 'card ************1486']);
      const again = await put(service, '/bank/v1/accounts/1000000001/profile', shown);
      assert.deepEqual(again.json.data, shown, again.text);
      assert.ok(!service.log().includes('4539578763621486'));
      const other = await put(service, '/bank/v1/accounts/1000000002/profile', { ...pan, nickname: null });
      assert.equal(other.status, 200, 'of two cards the last four digits can be the same');
      const odd = await Promise.all(
        ['users/%00', 'accounts/%00', 'accounts/%00/balance'].map((path) =>
          service.send('GET', `/bank/v1/${path}`, bank),
        ),
      );
      assert.deepEqual(
        odd.map(({ status }) => status),
        [404, 404, 404],
        'a name with a NUL is unknown',
      );
    });

    it('takes a balance unless a later one is known', async (t) => {
      const service = await withAccounts(await startService(t, database));
      const path = '/bank/v1/accounts/1000000001/balance';
      assert.deepEqual((await service.send('GET', path, bank)).json.data.booked, 0);
      const data = { booked: -500, credit_line: 1_000, currency: 'USD', as_of: '2030-03-15T09:00:00Z' };
      const reported = await put(service, path, data);
      const { booked, available, credit_line, as_of } = reported.json.data;
      assert.deepEqual(
        [booked, available, credit_line, as_of],
        [-500, -500, 1_000, '2030-03-15T09:00:00.000Z'],
        reported.text,
      );
      assert.deepEqual((await service.send('GET', path, bank)).json, reported.json);
      assert.equal((await put(service, path, data)).status, 200, 'a repeat');
      const older = await put(service, path, { ...data, booked: 1, as_of: '2030-03-15T08:59:59Z' });
      assert.deepEqual([older.status, older.json.code], [409, 'conflict']);
      assert.deepEqual((await service.send('GET', path, bank)).json, reported.json);
    });

    it('accepts a user id and an identification from one of several callers at the same time', async (t) => {
      const service = await withAccounts(await startService(t, database));
      const { company_id, key } = await otherCompany(service);
      const iban = { scheme_name: 'UK.OBIE.IBAN', identification: 'GB29NWBK60161331926819' };
      for (let round = 0; round < 5; round += 1) {
        const id = `user-${round}`;
        const identified = { ...iban, identification: `${iban.identification}${round}` };
        const of_both = await Promise.all([
          put(service, `${users}/${id}`, { company_id: 1, name: 'One', status: 'active' }),
          put(service, `${users}/${id}`, { company_id, name: 'Two', status: 'active' }, key),
        ]);
        assert.deepEqual(of_both.map(({ status }) => status).toSorted(), [200, 409]);
        const profiles = await Promise.all(
          ['1000000001', '1000000002'].map((number) => put(service, `/bank/v1/accounts/${number}/profile`, identified)),
        );
        assert.deepEqual(profiles.map(({ status }) => status).toSorted(), [200, 409]);
        const number = `9000${round}`;
        const data = { company_id: 1, number, currency: 'USD', kind: 'deposit' };
        const opened = await Promise.all([
          service.send('POST', '/bank/v1/accounts', { key: 'bank', body: { data } }),
          put(service, '/bank/v1/accounts/1000000001/profile', {
            scheme_name: 'UK.OBIE.BBAN',
            identification: number,
          }),
        ]);
        assert.deepEqual(opened.map(({ status }) => status).toSorted(), [200, 409]);
      }
    });
  });
}

describe('bank data', () => {
  it('is for the bank', async (t) => {
    const service = await withAccounts(await startService(t));
    for (const key of ['client', 'network', 'operator'] as const) {
      for (const path of [users, `${users}/alex`, '/bank/v1/companies/1/open-banking']) {
        assert.equal((await service.send('GET', path, { key })).status, 403, path);
      }
      assert.equal((await put(service, `${users}/alex`, alex, key)).status, 403);
      assert.equal((await put(service, '/bank/v1/accounts/1000000001/profile', {}, key)).status, 403);
    }
  });

  it('of another company is unknown to a key of the bank that serves one company', async (t) => {
    const service = await withAccounts(await startService(t));
    const { company_id, key } = await otherCompany(service);
    await put(service, `${users}/alex`, alex);
    const its = { key } as const;
    const { send } = service;
    assert.equal((await send('GET', `${users}/alex`, its)).status, 404);
    assert.deepEqual((await send('GET', users, its)).json.data, []);
    assert.deepEqual((await send('GET', `${users}?filter[company_id]=1`, its)).json.data, []);
    const of_other = await put(service, `${users}/max`, { ...alex, company_id: 1 }, key);
    assert.deepEqual(pathsOf(of_other), ['data.company_id']);
    const viewing = { name: 'Max', status: 'active', viewable_accounts: ['1000000001'] };
    assert.deepEqual(pathsOf(await put(service, `${users}/max`, viewing, key)), ['data.viewable_accounts[0]']);
    const max = await put(service, `${users}/max`, { ...viewing, viewable_accounts: null }, key);
    assert.deepEqual([max.status, max.json.data?.company_id], [200, company_id], max.text);
    const taken = await put(service, `${users}/alex`, { name: 'Max', status: 'active' }, key);
    assert.deepEqual([taken.status, taken.json.code], [409, 'conflict']);
    assert.equal((await send('GET', `${users}/alex`, bank)).json.data.name, 'Alex Carter');
    for (const rest of [
      'profile',
      'balance',
      'transactions',
      'direct-debits',
      'standing-orders',
      'scheduled-payments',
    ]) {
      assert.equal((await send('GET', `/bank/v1/accounts/1000000001/${rest}`, its)).status, 404, rest);
    }
    assert.equal((await put(service, '/bank/v1/accounts/1000000001/profile', {}, key)).status, 404);
    assert.equal((await put(service, '/bank/v1/accounts/1000000001/balance', { booked: 1 }, key)).status, 404);
    const allowed = { eligible_services: ['aisp'], is_configured: true };
    assert.equal((await put(service, '/bank/v1/companies/1/open-banking', allowed, key)).status, 404);
    assert.equal((await put(service, `/bank/v1/companies/${company_id}/open-banking`, allowed, key)).status, 200);
  });

  it('is refused with every invalid field', async (t) => {
    const service = await withAccounts(await startService(t));
    const user = await put(service, `${users}/max`, {
      company_id: 99,
      name: ' ',
      status: 'Active',
      eligible_services: ['pisp'],
      may_view_direct_debits: 'yes',
    });
    assert.equal(user.status, 400);
    assert.deepEqual(pathsOf(user), [
      'data.company_id',
      'data.eligible_services[0]',
      'data.may_view_direct_debits',
      'data.name',
      'data.status',
    ]);
    const misspelt = await put(service, `${users}/max`, { ...alex, stauts: 'active' });
    assert.match(misspelt.json.error, /stauts is not a field of this request; did you mean status/);
    assert.equal((await put(service, `${users}/a%20b`, alex)).status, 400);
    assert.equal((await put(service, `${users}/${'x'.repeat(65)}`, alex)).status, 400);
    const profile = await put(service, '/bank/v1/accounts/1000000001/profile', {
      scheme_name: 'UK.OBIE.IBAN',
      servicer_identification: 'x'.repeat(36),
      nickname: 'x'.repeat(71),
      description: 'x'.repeat(36),
      opened_on: '2030-02-30',
      status: 'enabled',
    });
    assert.deepEqual(pathsOf(profile), [
      'data.description',
      'data.identification',
      'data.nickname',
      'data.opened_on',
      'data.servicer_identification',
      'data.servicer_scheme_name',
      'data.status',
    ]);
    const balance = await put(service, '/bank/v1/accounts/1000000001/balance', {
      booked: 0.5,
      credit_line: -1,
      currency: 'EUR',
      as_of: '2030-03-17T10:00:00Z',
    });
    assert.deepEqual(pathsOf(balance), ['data.as_of', 'data.booked', 'data.credit_line', 'data.currency']);
    for (const name of ['a\ud800b', 'a\u0000b']) {
      assert.equal((await put(service, `${users}/max`, { ...alex, name })).status, 400);
    }
    assert.equal((await service.send('GET', `${users}/max`, bank)).status, 404);
  });

  it('refuses the numbers of cards of the service where they would name something', async (t) => {
    const service = await withAccounts(await startService(t));
    const body = { data: { total_card_amount: 5_000 }, show_card_number: true };
    const { card_number } = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
    const refused = await put(service, '/bank/v1/accounts/1000000001/profile', {
      scheme_name: 'Other',
      identification: card_number,
    });
    assert.deepEqual([refused.status, pathsOf(refused)], [400, ['data.identification']]);
    assert.ok(!refused.text.includes(card_number));
    assert.equal((await put(service, `${users}/${card_number}`, alex)).status, 400);
    assert.ok(!service.stored().includes(card_number));
  });

  it('is paged by cursors of its list only', async (t) => {
    const service = await withAccounts(await startService(t));
    for (const id of ['a', 'b']) await put(service, `${users}/${id}`, alex);
    for (const query of ['page[after]=x', 'page[offset]=1', 'page[limit]=0']) {
      const refused = await service.send('GET', `${users}?${query}`, bank);
      assert.deepEqual([refused.status, refused.json.fields[0].path], [400, query.split('=')[0]], refused.text);
    }
    const { next } = (await service.send('GET', `${users}?page[limit]=1`, bank)).json.links;
    const of_other = String(next).replace(users, '/bank/v1/accounts/1000000001/transactions');
    assert.equal((await service.send('GET', of_other, bank)).status, 400);
  });
});

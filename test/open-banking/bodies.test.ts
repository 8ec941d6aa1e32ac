import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { permissions } from '@tallystick/consents';
import {
  database_names,
  openBankingDocumentsMissing,
  propertyParameters,
  readOpenBankingDocuments,
} from '@tallystick/test-support';
import fc from 'fast-check';
import { card, deposit, transaction_count } from './bank.ts';
import { endpoints, official_bulk_endpoints } from './endpoints.ts';
import { aisp, all_permissions, startWorld, type World } from './world.ts';

const missing = openBankingDocumentsMissing();

/** The endpoints that read account information. */
const reads = [...endpoints, ...official_bulk_endpoints].filter(({ method, scope, grant_type }) => {
  return method === 'GET' && scope === 'accounts' && grant_type === 'authorization_code';
});

/** The name of the list in `Data`. */
function listOf(path: string): string {
  if (path.includes('balances')) return 'Balance';
  if (path.includes('transactions')) return 'Transaction';
  if (path.includes('direct-debits')) return 'DirectDebit';
  if (path.includes('standing-orders')) return 'StandingOrder';
  if (path.includes('scheduled-payments')) return 'ScheduledPayment';
  return 'Account';
}

/** Sets of permissions that a consent may have. */
const permission_sets = fc
  .tuple(
    fc.constantFrom(['ReadAccountsBasic'], ['ReadAccountsDetail'], ['ReadAccountsBasic', 'ReadAccountsDetail']),
    fc.subarray([...permissions]),
  )
  .map(([accounts, others]) => {
    const all = new Set<string>([...accounts, ...others]);
    const of_transactions = [
      'ReadTransactionsBasic',
      'ReadTransactionsDetail',
      'ReadTransactionsCredits',
      'ReadTransactionsDebits',
    ];
    if (of_transactions.some((one) => all.has(one))) {
      all.add('ReadTransactionsCredits').add('ReadTransactionsDebits');
      if (!all.has('ReadTransactionsBasic') && !all.has('ReadTransactionsDetail')) all.add('ReadTransactionsBasic');
    }
    return [...all] as readonly string[];
  });

/** Whether a set allows a resource (service specification 4.5). */
function allows(set: readonly string[], list: string): boolean {
  const any = (...wanted: readonly string[]) => wanted.some((one) => set.includes(one));
  if (list === 'Account') return true;
  if (list === 'Balance') return any('ReadBalances');
  if (list === 'Transaction') return any('ReadTransactionsBasic', 'ReadTransactionsDetail');
  if (list === 'DirectDebit') return any('ReadDirectDebits');
  if (list === 'StandingOrder') return any('ReadStandingOrdersBasic', 'ReadStandingOrdersDetail');
  return any('ReadScheduledPaymentsBasic', 'ReadScheduledPaymentsDetail');
}

/** Fields that no answer has without the permission for details. */
const detail_fields: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  Account: ['ReadAccountsDetail', ['Account', 'Servicer']],
  Transaction: [
    'ReadTransactionsDetail',
    [
      'TransactionInformation',
      'Balance',
      'MerchantDetails',
      'CreditorAgent',
      'CreditorAccount',
      'DebtorAgent',
      'DebtorAccount',
    ],
  ],
  StandingOrder: ['ReadStandingOrdersDetail', ['CreditorAccount', 'CreditorAgent']],
  ScheduledPayment: ['ReadScheduledPaymentsDetail', ['CreditorAccount', 'CreditorAgent']],
};

for (const name of database_names) {
  describe(`the bodies of Open Banking on ${name}`, () => {
    it('fit the official documents for every set of permissions, and hold nothing beyond the grant', {
      skip: missing,
    }, async (t) => {
      const documents = readOpenBankingDocuments();
      const world = await startWorld(t, name);
      await fc.assert(
        fc.asyncProperty(permission_sets, fc.subarray([deposit, card], { minLength: 1 }), async (set, accounts) => {
          const token = await world.grant(set, accounts);
          for (const { path, official } of reads) {
            const reply = await world.send('GET', path.replace('{AccountId}', accounts[0]!), { token });
            assert.equal(documents.findProblem('GET', official, reply), null);
            const list = listOf(path);
            assert.equal(reply.status, allows(set, list) ? 200 : 403, `${path} with ${set.join()}`);
            if (reply.status === 403) {
              assert.equal(reply.json.Errors[0].ErrorCode, 'Tallystick.Permission.Missing');
              continue;
            }
            const items = reply.json.Data[list] as readonly Readonly<Record<string, unknown>>[];
            assert.deepEqual(Object.keys(reply.json.Data), [list]);
            for (const { AccountId } of items) assert.ok(accounts.includes(AccountId as string), path);
            const [detail, fields] = detail_fields[list] ?? ['', []];
            if (set.includes(detail)) continue;
            for (const item of items) for (const field of fields) assert.ok(!(field in item), `${path} shows ${field}`);
          }
        }),
        propertyParameters({ short: 12, full: 36 }),
      );
    });

    it('lead through all pages forward and back, by the address that was asked', async (t) => {
      const world = await startWorld(t, name);
      const token = await world.grant(all_permissions);
      const path = `/open-banking/v3.1/aisp/accounts/${deposit}/transactions`;
      const query = '?fromBookingDateTime=2029-03-01T00:00:00&toBookingDateTime=2030-03-20&foo=b%20r';
      const first = await world.send('GET', path + query, { token });
      const forward = await follow(world, token, first.json, 'Next');
      assert.deepEqual(
        forward.map(idsOf).map(({ length }) => length),
        [100, 100, transaction_count - 200],
      );
      assert.equal(new Set(forward.flatMap(idsOf)).size, transaction_count);
      for (const page of forward) {
        const { Self, First } = page.Links;
        assert.equal(First, world.service.url + path + query);
        assert.ok(Self.startsWith(world.service.url + path + query), Self);
        assert.equal(page.Meta.TotalPages, undefined);
        assert.ok(page.Meta.FirstAvailableDateTime <= page.Meta.LastAvailableDateTime);
      }
      const back = await follow(world, token, forward.at(-1), 'Prev');
      assert.deepEqual(back.map(idsOf).reverse(), forward.map(idsOf));
      assert.deepEqual([first.json.Links.Prev, forward.at(-1).Links.Next], [undefined, undefined]);
    });

    it('have the newest 13 months for a To in the far future, and Meta says so', async (t) => {
      const world = await startWorld(t, name);
      const token = await world.grant(all_permissions);
      const served = async (query: string) => {
        const { status, json } = await world.send('GET', `/accounts/${deposit}/transactions?${query}`, { token });
        assert.equal(status, 200, query);
        const { FirstAvailableDateTime, LastAvailableDateTime } = json.Meta;
        return [idsOf(json).length, FirstAvailableDateTime, LastAvailableDateTime];
      };
      const newest = [100, '2029-02-20T00:00:00Z', '2030-03-20T00:00:00Z'];
      for (const to of ['2030-03-20', '2030-03-21', '2999-12-31T23:59:59%2B14:00', '9999-12-31']) {
        assert.deepEqual(await served(`toBookingDateTime=${to}`), newest, to);
        assert.deepEqual(await served(`fromBookingDateTime=0000-01-01&toBookingDateTime=${to}`), newest, to);
      }
      // A date beyond the year 9999 has another form in ISO 8601, which only agreed parties use.
      const beyond = `/accounts/${deposit}/transactions?toBookingDateTime=%2B275760-09-13`;
      const refused = await world.send('GET', beyond, { token });
      assert.deepEqual([refused.status, refused.json.Errors[0].ErrorCode], [400, 'UK.OBIE.Field.InvalidDate']);
    });

    it('have one page and no other links when everything fits', async (t) => {
      const world = await startWorld(t, name);
      const token = await world.grant(all_permissions);
      const { json } = await world.send('GET', '/accounts?x="<>"', { token });
      assert.deepEqual(json.Links, { Self: `${world.service.url}/accounts?x=%22%3C%3E%22` });
      assert.deepEqual(json.Meta, { TotalPages: 1 });
    });

    it('do not repeat the Host of a request', async (t) => {
      const world = await startWorld(t, name);
      const consent_id = await world.consentFor(aisp, all_permissions);
      const token = await world.authorise(aisp, consent_id);
      // `fetch` sends its own Host.
      const headers = {
        Authorization: `Bearer ${token}`,
        Host: 'evil.example',
        'X-Forwarded-Host': 'evil.example',
        Forwarded: 'host=evil.example',
      };
      const answer = await new Promise<string>((resolve, reject) => {
        request(`${world.service.url}/accounts`, { headers }, (response) => resolve(text(response)))
          .on('error', reject)
          .end();
      });
      assert.equal(JSON.parse(answer).Links.Self, `${world.service.url}/accounts`);
      assert.ok(!answer.includes('evil'));
    });
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
type Page = any;

async function follow(world: World, token: string, first: Page, link: 'Next' | 'Prev'): Promise<Page[]> {
  const pages = [first];
  for (let page = first; page.Links[link] !== undefined; pages.push(page)) {
    const url = new URL(page.Links[link]);
    const reply = await world.send('GET', url.pathname + url.search, { token });
    assert.equal(reply.status, 200, reply.text);
    page = reply.json;
  }
  return pages;
}

function idsOf(page: Page): readonly string[] {
  return page.Data.Transaction.map(({ TransactionId }: { TransactionId: string }) => TransactionId);
}

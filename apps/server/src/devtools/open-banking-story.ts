import assert from 'node:assert/strict';
import type { Narrator } from './narrator.ts';
import { createSandboxClient, type Json, type SandboxClient } from './sandbox-client.ts';
import { createThirdPartyClient, type ThirdPartyAnswer, type ThirdPartyClient } from './third-party-client.ts';

/** The deposit account of the sandbox's company. */
const account_number = '1000000001';

const permissions = [
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
];

interface Scene {
  readonly bank: SandboxClient;
  readonly narrator: Narrator;
}

/** Plays the story. Rejects when the service answers differently. */
export async function playOpenBanking(url: string, narrator: Narrator): Promise<void> {
  const scene = { bank: createSandboxClient(url), narrator };
  const aisp = createThirdPartyClient(url, 'sandbox-aisp', 'accounts');
  const cbpii = createThirdPartyClient(url, 'sandbox-cbpii', 'fundsconfirmations');

  const consent_id = await createConsent(scene, aisp);
  const token = await approve(scene, aisp, consent_id);
  await read(scene, aisp, token);
  await readTooMuch(scene, aisp, token);
  await confirmFunds(scene, cbpii);
  await withdraw(scene, aisp, consent_id, token);
  narrator.chapter('Every answer was as expected.');
}

async function createConsent({ narrator }: Scene, aisp: ThirdPartyClient): Promise<string> {
  narrator.chapter('A third party asks for a consent');
  const management = await aisp.manage();
  const ExpirationDateTime = Temporal.Now.instant()
    .add({ hours: 90 * 24 })
    .toString({ smallestUnit: 'second' });
  const request = { Data: { Permissions: permissions, ExpirationDateTime }, Risk: {} };
  const { ConsentId, Status } = dataOf(await aisp.call(management, 'POST', '/account-access-consents', request), 201);
  assert.equal(Status, 'AwaitingAuthorisation');
  narrator.line(`Consent ${ConsentId}, with ${permissions.length} permissions`, String(Status));
  const early = await aisp.call(management, 'GET', '/accounts');
  assert.equal(early.status, 401, 'a client-credentials token reads no account');
  narrator.declined('It reads accounts with the token for consents', '401');
  return String(ConsentId);
}

async function approve({ bank, narrator }: Scene, client: ThirdPartyClient, consent_id: string): Promise<string> {
  narrator.chapter("The bank's user approves");
  const { data } = await bank.post('bank', `/sandbox/v1/consents/${consent_id}/decide`, {
    data: { decision: 'approve' },
  });
  const { status, user_id, account_ids } = data as Json & { readonly account_ids: readonly string[] };
  assert.equal(status, 'Authorised');
  narrator.approved(`User ${user_id}, for ${account_ids.map(shown).join(' and ')}`, String(status));
  const token = await client.authorise(consent_id);
  narrator.line('The redirect brings a code, and the code a token', 'bound to this consent');
  return token;
}

async function read({ narrator }: Scene, aisp: ThirdPartyClient, token: string): Promise<void> {
  narrator.chapter('The third party reads what was granted');
  const { Account } = dataOf(await aisp.call(token, 'GET', '/accounts'), 200) as { readonly Account: readonly Json[] };
  assert.ok(Account.length >= 2, 'a deposit account and a card account');
  for (const { AccountId, AccountSubType, Currency } of Account) {
    narrator.line(`Account ${shown(String(AccountId))}: ${AccountSubType}`, String(Currency));
  }
  const path = `/accounts/${account_number}`;
  const balances = dataOf(await aisp.call(token, 'GET', `${path}/balances`), 200) as {
    readonly Balance: readonly Json[];
  };
  for (const { Type, Amount } of balances.Balance) narrator.line(`Balance ${Type}`, amountOf(Amount));
  const page = await aisp.call(token, 'GET', `${path}/transactions`);
  const { Transaction } = dataOf(page, 200) as { readonly Transaction: readonly Json[] };
  assert.ok(Transaction.length > 0);
  for (const { BookingDateTime, TransactionInformation, Amount, CreditDebitIndicator } of Transaction.slice(0, 3)) {
    const what = `${String(BookingDateTime).slice(0, 10)} ${TransactionInformation}`;
    narrator.line(what, `${CreditDebitIndicator} ${amountOf(Amount)}`);
  }
  const { Next } = page.body.Links as Json;
  narrator.line(
    `${Transaction.length} transactions on the first page`,
    Next === undefined ? 'the only one' : 'more follow',
  );
}

async function readTooMuch({ narrator }: Scene, aisp: ThirdPartyClient, token: string): Promise<void> {
  narrator.chapter('It is refused what was not granted');
  for (const [what, path, code] of [
    [
      'Direct debits, without the permission',
      `/accounts/${account_number}/direct-debits`,
      'Tallystick.Permission.Missing',
    ],
    ['An account that was not granted', '/accounts/9999999999', 'Tallystick.Consent.NotGranted'],
  ] as const) {
    const { status, body } = await aisp.call(token, 'GET', path);
    assert.equal(status, 403);
    const [error] = body.Errors as readonly Json[];
    assert.equal(error?.ErrorCode, code);
    narrator.declined(what, `403 ${code}`);
  }
}

async function confirmFunds(scene: Scene, cbpii: ThirdPartyClient): Promise<void> {
  const { narrator } = scene;
  narrator.chapter('A card issuer asks whether funds are available');
  const management = await cbpii.manage();
  const DebtorAccount = { SchemeName: 'Tallystick.AccountNumber', Identification: account_number };
  const created = await cbpii.call(management, 'POST', '/funds-confirmation-consents', { Data: { DebtorAccount } });
  const { ConsentId, Status } = dataOf(created, 201);
  narrator.line(`Consent ${ConsentId}`, String(Status));
  const token = await approve(scene, cbpii, String(ConsentId));
  for (const [Amount, expected] of [
    ['1.00', true],
    ['9999999999.00', false],
  ] as const) {
    const InstructedAmount = { Amount, Currency: 'USD' };
    const request = { Data: { ConsentId, Reference: 'Demo', InstructedAmount } };
    const { FundsAvailable } = dataOf(await cbpii.call(token, 'POST', '/funds-confirmations', request), 201);
    assert.equal(FundsAvailable, expected);
    narrator.line(`Are ${Amount} USD available?`, FundsAvailable ? 'yes' : 'no');
  }
}

async function withdraw(
  { bank, narrator }: Scene,
  aisp: ThirdPartyClient,
  consent_id: string,
  token: string,
): Promise<void> {
  narrator.chapter('The user withdraws the first consent');
  assert.equal((await aisp.call(token, 'GET', '/accounts')).status, 200);
  const { data } = await bank.post('bank', `/bank/v1/consents/${consent_id}/withdraw`, {});
  narrator.line('At the bank', `withdrawn at ${(data as Json).withdrawn_at}`);
  assert.equal((await aisp.call(token, 'GET', '/accounts')).status, 401);
  narrator.declined('The third party reads again with its token', '401');
}

function dataOf({ status, body }: ThirdPartyAnswer, expected: number): Json {
  assert.equal(status, expected, JSON.stringify(body));
  return body.Data as Json;
}

function amountOf(amount: unknown): string {
  const { Amount, Currency } = amount as Json;
  return `${Amount} ${Currency}`;
}

/** An account by its last digits. The number of a card account begins with letters. */
function shown(number: string): string {
  return `${/^[a-z]*/.exec(number)?.[0]}...${number.slice(-4)}`;
}

import assert from 'node:assert/strict';
import type { Narrator } from './narrator.ts';
import { createSandboxClient, type Json, type SandboxClient } from './sandbox-client.ts';
import { createThirdPartyClient, type ThirdPartyClient } from './third-party-client.ts';

/** The deposit account of the sandbox's company. */
const account_number = '1000000001';

const Permissions = [
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
  const consent_id = await createConsent(scene, aisp, '/account-access-consents', { Permissions });
  const token = await approve(scene, aisp, consent_id);
  await read(scene, aisp, token);
  await readTooMuch(scene, aisp, token);
  await confirmFunds(scene, createThirdPartyClient(url, 'sandbox-cbpii', 'fundsconfirmations'));

  narrator.chapter('The user withdraws the first consent');
  const { data } = await scene.bank.post('bank', `/bank/v1/consents/${consent_id}/withdraw`, {});
  narrator.line('At the bank', `withdrawn at ${(data as Json).withdrawn_at}`);
  assert.equal((await aisp.call(token, 'GET', '/accounts')).status, 401);
  narrator.declined('The third party reads again with its token', '401');
  narrator.chapter('Every answer was as expected.');
}

async function createConsent({ narrator }: Scene, client: ThirdPartyClient, path: string, Data: Json): Promise<string> {
  narrator.chapter(`A third party asks for a consent: POST ${path}`);
  const body = { Data, ...('Permissions' in Data && { Risk: {} }) };
  const { ConsentId, Status } = await call(client, await client.manage(), 'POST', path, body);
  assert.equal(Status, 'AwaitingAuthorisation');
  narrator.line(`Consent ${ConsentId}`, Status);
  return String(ConsentId);
}

async function approve({ bank, narrator }: Scene, client: ThirdPartyClient, consent_id: string): Promise<string> {
  narrator.chapter("The bank's user approves");
  const decision = { data: { decision: 'approve' } };
  const { data } = await bank.post('bank', `/sandbox/v1/consents/${consent_id}/decide`, decision);
  const { status, user_id, account_ids } = data as Json & { readonly account_ids: readonly string[] };
  narrator.approved(`User ${user_id}, for ${account_ids.map(shortNumber).join(' and ')}`, String(status));
  const token = await client.authorise(consent_id);
  narrator.line('The redirect brings a code, and the code a token', 'bound to this consent');
  return token;
}

async function read({ narrator }: Scene, aisp: ThirdPartyClient, token: string): Promise<void> {
  narrator.chapter('The third party reads what was granted');
  const { Account } = await call(aisp, token, 'GET', '/accounts');
  for (const { AccountId, AccountSubType, Currency } of Account as Json[]) {
    narrator.line(`Account ${shortNumber(String(AccountId))}: ${AccountSubType}`, String(Currency));
  }
  const { Balance } = await call(aisp, token, 'GET', `/accounts/${account_number}/balances`);
  for (const { Type, Amount } of Balance as Json[]) narrator.line(`Balance ${Type}`, describeAmount(Amount));
  const { Transaction } = await call(aisp, token, 'GET', `/accounts/${account_number}/transactions`);
  assert.ok((Transaction as Json[]).length > 0);
  for (const { BookingDateTime, TransactionInformation, Amount } of (Transaction as Json[]).slice(0, 3)) {
    narrator.line(`${String(BookingDateTime).slice(0, 10)} ${TransactionInformation}`, describeAmount(Amount));
  }
}

async function readTooMuch({ narrator }: Scene, aisp: ThirdPartyClient, token: string): Promise<void> {
  narrator.chapter('It is refused what was not granted');
  const direct_debits = `/accounts/${account_number}/direct-debits`;
  for (const [what, path, code] of [
    ['Direct debits, without the permission', direct_debits, 'Tallystick.Permission.Missing'],
    ['Another account', '/accounts/9999999999', 'Tallystick.Consent.NotGranted'],
  ] as const) {
    const { status, body } = await aisp.call(token, 'GET', path);
    assert.deepEqual([status, (body.Errors as Json[])[0]?.ErrorCode], [403, code]);
    narrator.declined(what, `403 ${code}`);
  }
}

async function confirmFunds(scene: Scene, cbpii: ThirdPartyClient): Promise<void> {
  const DebtorAccount = { SchemeName: 'Tallystick.AccountNumber', Identification: account_number };
  const ConsentId = await createConsent(scene, cbpii, '/funds-confirmation-consents', { DebtorAccount });
  const token = await approve(scene, cbpii, ConsentId);
  for (const [Amount, expected] of [
    ['1.00', true],
    ['9999999999.00', false],
  ] as const) {
    const Data = { ConsentId, Reference: 'Demo', InstructedAmount: { Amount, Currency: 'USD' } };
    const { FundsAvailable } = await call(cbpii, token, 'POST', '/funds-confirmations', { Data });
    assert.equal(FundsAvailable, expected);
    scene.narrator.line(`Are ${Amount} USD available?`, expected ? 'yes' : 'no');
  }
}

/** The `Data` of a successful answer. */
async function call(client: ThirdPartyClient, token: string, method: string, path: string, request?: Json) {
  const { status, body } = await client.call(token, method, path, request);
  assert.equal(status, method === 'POST' ? 201 : 200, JSON.stringify(body));
  return body.Data as Json;
}

function describeAmount(amount: unknown): string {
  const { Amount, Currency } = amount as Json;
  return `${Amount} ${Currency}`;
}

function shortNumber(number: string): string {
  return `${/^[a-z]*/.exec(number)?.[0]}...${number.slice(-4)}`;
}

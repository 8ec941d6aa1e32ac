import type { Authorisation, Denied, TokenPair } from '../authorisation.ts';
import { exchange, type Perform } from '../exchange.ts';
import type { TokenUse } from '../history.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';

/** A third party, as its operator registered it. */
export interface ThirdPartyInWorld {
  readonly id: number;
  readonly client_id: string;
}

/** A user of the bank, and the account that the user may view. */
export interface BankUserInWorld {
  readonly user_id: string;
  readonly company_id: number;
  readonly account_number: string;
}

const third_parties_max = 3;
const users_max = 4;
const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;

const hasThirdParties = ({ third_parties }: World): boolean => third_parties.length > 0;
const hasUsers = ({ bank_users }: World): boolean => bank_users.length > 0;

export const consents: readonly Activity[] = [
  {
    name: 'new third party',
    weight: 4,
    isPossible: ({ third_parties }) => third_parties.length < third_parties_max,
    run: addThirdParty,
  },
  {
    name: 'new bank user',
    weight: 4,
    isPossible: ({ companies, bank_users }) => companies.length > 0 && bank_users.length < users_max,
    run: addBankUser,
  },
  { name: 'bank user changed', weight: 1, isPossible: hasUsers, run: changeBankUser },
  { name: 'third party suspended', weight: 1, isPossible: hasThirdParties, run: suspendThirdParty },
  {
    name: 'account access',
    weight: 6,
    isPossible: (world) => hasThirdParties(world) && hasUsers(world),
    run: accessAccount,
  },
];

/** Sends to the Open Banking of a process. A process that has ended does not answer. */
async function call<Value>(
  world: World,
  input: object,
  perform: (authorisation: Authorisation) => Promise<Value>,
): Promise<Value | null> {
  const sent: Perform<unknown> = (tally) => {
    const node = world.nodes.find((one) => one.tally === tally);
    return node === undefined ? new Promise<never>(() => {}) : perform(node.authorisation);
  };
  const outcome = await exchange(world, { operation: 'other', company_id: null, input, perform: sent });
  return outcome?.kind === 'done' ? (outcome.value as Value) : null;
}

async function addThirdParty(world: World): Promise<void> {
  const client_id = `tp-${world.nextId()}`;
  const id = await call(world, { register: client_id }, (one) => one.register(client_id));
  if (id !== null) world.third_parties.push({ id, client_id });
}

async function suspendThirdParty(world: World): Promise<void> {
  const { random } = world;
  const { id } = random.pick(world.third_parties);
  for (const status of ['suspended', 'active'] as const) {
    await call(world, { third_party: id, status }, (one) => one.setStatus(id, status));
    if (!(await world.pauseUntilQuiet(random.wait(hour_ms)))) return;
  }
}

function userData({ company_id, account_number }: BankUserInWorld, status: 'active' | 'frozen', is_viewable = true) {
  return {
    company_id,
    name: 'User of the bank',
    status,
    eligible_services: ['aisp', 'cbpii'] as const,
    configured_services: ['aisp', 'cbpii'] as const,
    viewable_accounts: is_viewable ? [account_number] : [],
  };
}

/** The bank reports a company, its account, and its user. */
async function addBankUser(world: World): Promise<void> {
  const { random } = world;
  const { id: company_id, billing_currency } = random.pick(world.companies);
  const number = world.nextId();
  const user: BankUserInWorld = { user_id: `user-${number}`, company_id, account_number: `8${10_000_000 + number}` };
  const made = await exchange(world, {
    operation: 'other',
    company_id: null,
    input: user,
    async perform(tally, options) {
      const { bank } = tally;
      const { account_number } = user;
      const services = { eligible_services: ['aisp', 'cbpii'] as const, is_configured: true };
      await bank.openBanking.put(company_id, services, options);
      await bank.accounts.create(
        { company_id, number: account_number, currency: billing_currency, kind: 'deposit' },
        options,
      );
      await bank.accounts.balance.put(account_number, { booked: random.between(0, 1_000_000) }, options);
      return await bank.users.put(user.user_id, userData(user, 'active'), options);
    },
  });
  if (made?.kind === 'done') world.bank_users.push(user);
}

async function changeBankUser(world: World): Promise<void> {
  const { random } = world;
  const user = random.pick(world.bank_users);
  const input = userData(user, random.happens(0.3) ? 'frozen' : 'active', random.happens(0.7));
  await exchange(world, {
    operation: 'other',
    company_id: null,
    input: { user_id: user.user_id, ...input },
    perform: (tally, options) => tally.bank.users.put(user.user_id, input, options),
  });
}

const permission_choices = [
  ['ReadAccountsBasic'],
  ['ReadAccountsDetail', 'ReadBalances'],
  ['ReadAccountsBasic', 'ReadBalances'],
];

/** From the consent until its end, and the use of the tokens after it. */
async function accessAccount(world: World): Promise<void> {
  const { random, time, history } = world;
  const { client_id } = random.pick(world.third_parties);
  const { user_id, account_number } = random.pick(world.bank_users);

  const Permissions = random.pick(permission_choices);
  const ExpirationDateTime = new Date(time.now_ms + random.between(1, 20 * day_ms)).toISOString();
  const data = { Permissions, ...(random.happens(0.5) ? { ExpirationDateTime } : {}) };
  const consent_id = await call(world, { client_id, data }, (authorisation) =>
    authorisation.createConsent(client_id, data),
  );
  if (consent_id === null || !(await world.pauseUntilQuiet(random.wait(60_000)))) return;

  const used = (grant: 'access' | 'refresh', read?: TokenUse['read']) => (at_ms: number) => {
    world.reach(`consent: ${grant} token accepted`);
    const use = { at_ms, consent_id, grant, issued_at_ms: at_ms, is_accepted: true };
    history.token_uses.push(read === undefined ? use : { ...use, read });
  };
  let tokens: TokenPair | null = null;
  async function getTokens(): Promise<void> {
    const code = await call(world, { authorise: consent_id, user_id }, (one) => one.authorise(consent_id!, user_id));
    if (code === null) return;
    const got = await call(world, { code }, (one) => one.token('AuthorizationCode', code, () => {}));
    if (got !== null && !isDenied(got)) tokens = got;
  }
  async function useTokens(): Promise<void> {
    for (let use = 0; use < 3; use += 1) {
      const held: TokenPair | null = tokens;
      if (held === null) return;
      const { access_token, refresh_token } = held as TokenPair;
      const resource = random.pick(['accounts', 'balances'] as const);
      const read = await call(world, { read: resource, account_number }, (one) =>
        one.read(access_token, resource, account_number, used('access', { resource, account_number })),
      );
      if (read === null || isDenied(read)) {
        world.reach('consent: access token refused');
        const got = await call(world, { refresh: consent_id }, (one) =>
          one.token('RefreshToken', refresh_token, used('refresh')),
        );
        if (got !== null && isDenied(got)) world.reach('consent: refresh token refused');
        if (got !== null && !isDenied(got)) tokens = got;
      }
      if (!(await world.pauseUntilQuiet(random.wait(random.pick([60_000, hour_ms, 5 * day_ms]))))) return;
    }
  }
  async function end(): Promise<void> {
    const how = random.pick(['withdrawn', 'deleted', 'left'] as const);
    world.reach(`consent: ${how}`);
    if (how === 'withdrawn') {
      await exchange(world, {
        operation: 'other',
        company_id: null,
        input: { withdraw: consent_id },
        perform: (tally, options) => tally.bank.consents.withdraw(consent_id!, options),
      });
    }
    if (how === 'deleted')
      await call(world, { delete: consent_id }, (one) => one.deleteConsent(client_id, consent_id!));
  }

  await getTokens();
  await useTokens();
  // A second authorisation, and an end that comes in the middle of the use.
  if (random.happens(0.3)) await Promise.all([end(), getTokens()]);
  await Promise.all([end(), useTokens()]);
  await useTokens();
}

function isDenied(value: object): value is Denied {
  return 'denied' in value;
}

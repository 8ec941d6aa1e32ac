import {
  type BankAccount,
  type BankCompany,
  type BankData,
  type BankUser,
  isUserId,
  type ThirdPartyService,
} from '@tallystick/accounts';

/** What the bank knows of who authorised a consent. */
export interface AccessFacts {
  readonly service: ThirdPartyService;
  readonly company: BankCompany | null;
  readonly user: BankUser;
}

/** A condition of service specification 5.6, by its name. */
export type EligibilityCondition =
  | 'company_is_active'
  | 'company_is_eligible'
  | 'company_is_configured'
  | 'user_may_log_in'
  | 'user_is_eligible'
  | 'user_is_configured'
  | 'user_may_view_direct_debits'
  | 'user_may_view_account';

/** The company is an active client. */
function companyIsActive({ company }: AccessFacts): boolean {
  return company?.is_active === true;
}

/** The company is eligible for the service through the third-party channel. */
function companyIsEligible({ company, service }: AccessFacts): boolean {
  return company?.eligible_services.includes(service) === true;
}

/** The company is configured for API services. */
function companyIsConfigured({ company }: AccessFacts): boolean {
  return company?.is_configured === true;
}

/** The user is in a status that allows a login to online or mobile banking. */
function userMayLogIn({ user }: AccessFacts): boolean {
  return user.status === 'active';
}

function userIsEligible({ user, service }: AccessFacts): boolean {
  return user.eligible_services.includes(service);
}

function userIsConfigured({ user, service }: AccessFacts): boolean {
  return user.configured_services.includes(service);
}

/** The user may view direct debit mandates. A condition of direct debits only. */
export function userMayViewDirectDebits({ user }: Pick<AccessFacts, 'user'>): boolean {
  return user.may_view_direct_debits;
}

/**
 * The user may view the account over online or mobile channels. An account of another company is
 * viewed by none of its users: the conditions of that company were not examined.
 */
export function userMayViewAccount({ user }: Pick<AccessFacts, 'user'>, account: BankAccount): boolean {
  return account.company_id === user.company_id && user.viewable_accounts.includes(account.number);
}

/** The conditions of every access, in the order in which they are examined. */
const conditions: readonly (readonly [EligibilityCondition, (facts: AccessFacts) => boolean])[] = [
  ['company_is_active', companyIsActive],
  ['company_is_eligible', companyIsEligible],
  ['company_is_configured', companyIsConfigured],
  ['user_may_log_in', userMayLogIn],
  ['user_is_eligible', userIsEligible],
  ['user_is_configured', userIsConfigured],
];

/** The first condition of the company or the user that fails; null: none does. */
export function failedCondition(facts: AccessFacts): EligibilityCondition | null {
  return conditions.find(([, holds]) => !holds(facts))?.[0] ?? null;
}

/**
 * The user, if no condition of the company or the user fails for the service; else null. The bank is
 * not asked for text that is no id of a user.
 */
export async function findEligibleUser(
  bank: BankData,
  user_id: string,
  service: ThirdPartyService,
): Promise<BankUser | null> {
  const user = isUserId(user_id) ? await bank.findUser(user_id) : null;
  if (user === null) return null;
  const company = await bank.findCompany(user.company_id);
  return failedCondition({ service, company, user }) === null ? user : null;
}

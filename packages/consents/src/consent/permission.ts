/** The permissions that a consent can have (service specification 4.5). */
export const permissions = [
  'ReadAccountsBasic',
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadTransactionsBasic',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
  'ReadDirectDebits',
  'ReadStandingOrdersBasic',
  'ReadStandingOrdersDetail',
  'ReadScheduledPaymentsBasic',
  'ReadScheduledPaymentsDetail',
] as const;

export type Permission = (typeof permissions)[number];

/** The permissions of the standard that this service does not support. */
export const unsupported_permissions = [
  'ReadBeneficiariesBasic',
  'ReadBeneficiariesDetail',
  'ReadOffers',
  'ReadPAN',
  'ReadParty',
  'ReadPartyPSU',
  'ReadProducts',
  'ReadStatementsBasic',
  'ReadStatementsDetail',
] as const;

/** Another spelling of a permission (service specification 4.5). */
const aliases: Readonly<Record<string, Permission>> = { ReadTransactionBasic: 'ReadTransactionsBasic' };

export function toPermission(name: string): Permission | null {
  const spelled = Object.hasOwn(aliases, name) ? aliases[name]! : name;
  return permissions.find((permission) => permission === spelled) ?? null;
}

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

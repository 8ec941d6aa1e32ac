/**
 * The permissions of a key: the company's own data, card-network traffic, the bank channel, or the
 * operation of the service.
 */
export const roles = ['client', 'network', 'bank', 'operator'] as const;

export type Role = (typeof roles)[number];

/**
 * Whether a key of a role belongs to a company. A key of the bank channel may serve a single
 * company, or all.
 */
export const company_of_role = {
  client: 'always',
  network: 'never',
  bank: 'optional',
  operator: 'never',
} as const satisfies Readonly<Record<Role, 'always' | 'optional' | 'never'>>;

/** The role, or the roles, of each part of the service. */
export const area_roles = {
  virtualcards: 'client',
  /** Making cards, mailing them, which gives away their numbers, and cancelling them. */
  card_issuing: 'client',
  /** Reading a number and its code in plain text. */
  card_numbers: 'client',
  /** Ending a hold by hand: the company, or an operator for it. */
  hold_release: ['client', 'operator'],
  /** Freezing a card, and ending that: the company, or an operator for it. */
  card_freeze: ['client', 'operator'],
  realcards: 'client',
  templates: 'client',
  events: 'client',
  webhooks: 'client',
  /** Letting somebody without a key see the webhooks. */
  portal_links: 'client',
  /** Where the company decides on its purchases itself. */
  decision_endpoint: 'client',
  /** The items of a company, what people do to them, and the reports about them. */
  reconciliation: 'client',
  network_messages: 'network',
  /** Customers, accounts, and the users' authorisation of consents. */
  bank_channel: 'bank',
  /** The accounts of companies, which statements name. */
  bank_accounts: 'bank',
  /** Companies, their real cards and API keys. */
  administration: 'operator',
  /** Who may use the console. */
  people: 'operator',
  template_completion: 'operator',
  mails: 'operator',
  /** What happens in all companies: deliveries, the state of webhooks, the audit log. */
  oversight: 'operator',
  /** Events that other systems of the bank submit. */
  foreign_events: 'operator',
  quarantine: 'operator',
  imports: 'operator',
  sandbox_clock: 'operator',
  /** Purchases with the company's cards that no card network sent. */
  sandbox_purchases: 'client',
  /** Mails that the sandbox stored instead of sending them. */
  sandbox_mailbox: 'operator',
} as const satisfies Readonly<Record<string, Role | readonly Role[]>>;

export type Area = keyof typeof area_roles;

export function rolesOf(area: Area): readonly Role[] {
  const allowed: Role | readonly Role[] = area_roles[area];
  return typeof allowed === 'string' ? [allowed] : allowed;
}

/** What a key may do: the company's own data, card-network traffic, the bank channel, or running the service. */
export const roles = ['client', 'network', 'bank', 'operator'] as const;

export type Role = (typeof roles)[number];

/** Whether a key of a role belongs to a company. One of the bank channel may serve a single company, or all. */
export const company_of_role = {
  client: 'always',
  network: 'never',
  bank: 'optional',
  operator: 'never',
} as const satisfies Readonly<Record<Role, 'always' | 'optional' | 'never'>>;

/** Which role may do what: each part of the service is for one role. */
export const area_roles = {
  virtualcards: 'client',
  /** Seeing a number and its code in clear. */
  card_numbers: 'client',
  realcards: 'client',
  templates: 'client',
  events: 'client',
  webhooks: 'client',
  /** Authorizations and clearings come in. */
  network_messages: 'network',
  /** Customers, accounts, and the users' authorisation of consents. */
  bank_channel: 'bank',
  /** Companies, their real cards and API keys. */
  administration: 'operator',
  template_completion: 'operator',
  /** What became of the mails about cards, of all companies. */
  mails: 'operator',
  /** Events that other systems of the bank tell of. */
  foreign_events: 'operator',
  sandbox_clock: 'operator',
  /** Mails that the sandbox kept instead of sending them. */
  sandbox_mailbox: 'operator',
} as const satisfies Readonly<Record<string, Role>>;

export type Area = keyof typeof area_roles;

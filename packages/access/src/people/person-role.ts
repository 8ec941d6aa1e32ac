import type { Area, area_roles } from '../keys/role.ts';

/** What a person may do in the console. Each includes reading all but card numbers. */
export const person_roles = ['viewer', 'support', 'risk', 'finance', 'admin'] as const;

export type PersonRole = (typeof person_roles)[number];

/** The roles of a visit by a portal link: a company's own webhooks, with or without acts. */
export type PortalRole = 'portal' | 'portal_reader';

export type VisitorRole = PersonRole | PortalRole;

/** Who may read and who may change something. */
interface Access {
  readonly read: readonly VisitorRole[];
  readonly change: readonly VisitorRole[];
}

const people = person_roles;
const nobody: Access = { read: [], change: [] };
const administered: Access = { read: people, change: ['admin'] };
const cards: Access = { read: people, change: ['support', 'risk', 'admin'] };
const served: Access = { read: people, change: ['support', 'admin'] };
/** What may show a card number. */
const confidential: Access = { read: ['support', 'admin'], change: ['support', 'admin'] };
const books: Access = { read: people, change: ['finance', 'admin'] };
const tried: Access = { read: people, change: ['support', 'risk', 'finance', 'admin'] };

/** What the roles of people may do in each part of the service. */
export const area_access = {
  virtualcards: cards,
  card_issuing: served,
  card_numbers: confidential,
  hold_release: served,
  card_freeze: cards,
  realcards: served,
  templates: served,
  events: { read: [...people, 'portal', 'portal_reader'], change: [] },
  webhooks: { read: [...people, 'portal', 'portal_reader'], change: ['admin', 'portal'] },
  /** A link that may change webhooks also needs the right to do so: `passesOn` of the operation. */
  portal_links: confidential,
  decision_endpoint: administered,
  reconciliation: books,
  /** Only the card network and its connector send these. */
  network_messages: nobody,
  bank_channel: administered,
  bank_accounts: books,
  administration: administered,
  people: administered,
  template_completion: served,
  mails: served,
  oversight: administered,
  foreign_events: nobody,
  quarantine: books,
  imports: books,
  sandbox_clock: tried,
  sandbox_purchases: tried,
  /** Its mails may contain card numbers. */
  sandbox_mailbox: confidential,
} as const satisfies Readonly<Record<keyof typeof area_roles, Access>>;

/** The roles that may read, or change something, in a part of the service. */
export function visitorRolesOf(area: Area, effect: keyof Access): readonly VisitorRole[] {
  return area_access[area][effect];
}

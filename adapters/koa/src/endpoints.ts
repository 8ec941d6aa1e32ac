import { type MinimalItem, templateStatusPath } from '@tallystick/operations';

/** Where an operation is in the interface, and what only HTTP has. */
export interface Endpoint {
  /** Method and path, with the operation's parameters in their order. */
  readonly at: `${Method} /${string}`;
  /** The section of the document. */
  readonly tag: Tag;
  /**
   * A GET that has an effect beyond reading. HEAD would have the effect without showing it, so it
   * is refused on this path (405).
   */
  readonly has_effect?: true;
  /** The media types of a body that is a file, for the document. */
  readonly uploads?: readonly string[];
  /** Other media types, and text in another encoding than UTF-8, are refused (415). */
  readonly takes_only_uploads?: true;
  /**
   * The answer is the resource itself, without `data`, and a body without `data` is read as the
   * content of `data`.
   */
  readonly is_bare?: true;
  /**
   * The request may be refused because of load before it is read (ADR 0020): with the item that
   * tells the card network so, or with an error. An answer with the item also stands for a retryable
   * fault before the work.
   */
  readonly sheds_load?: 'with_item' | 'with_error';
  /** A fault that prevents a decision is answered with 503 and the item. */
  readonly may_be_undecided?: true;
  /** The events of the service are then posted to the URL in `data.callback_url`. */
  readonly registers_callback?: true;
  /** The item of a list with `Prefer: return-minimal`, where items have no `type` and `url`. */
  readonly minimal?: (item: never) => MinimalItem;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The sections of the document. */
export type Tag =
  | 'Virtual cards'
  | 'Card details'
  | 'Real cards'
  | 'Purchase templates'
  | 'Events'
  | 'Webhooks'
  | 'Decision endpoint'
  | 'Reconciliation'
  | 'Network'
  | 'Bank'
  | 'Operator'
  | 'Sandbox';

/** Where many messages of the network are sent in one request, which no operation is (ADR 0079). */
export const messages_path = '/network/v1/messages';

/**
 * The endpoints by the ids of their operations. The network's are first: the router tries them in
 * order, and these are the most used.
 */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  ...section('Network', {
    'network.authorizations.decide': {
      at: 'POST /network/v1/authorizations',
      sheds_load: 'with_item',
      may_be_undecided: true,
    },
    'network.clearings.record': { at: 'POST /network/v1/clearings', sheds_load: 'with_error' },
  }),
  ...section('Virtual cards', {
    'virtualCards.create': 'POST /v1/virtualcards',
    'virtualCards.list': 'GET /v1/virtualcards',
    'virtualCards.read': 'GET /v1/virtualcards/:id',
    'virtualCards.update': 'PATCH /v1/virtualcards/:id',
    'virtualCards.cancel': 'DELETE /v1/virtualcards/:id',
    'virtualCards.freeze': 'POST /v1/virtualcards/:id/freeze',
    'virtualCards.unfreeze': 'POST /v1/virtualcards/:id/unfreeze',
    'virtualCards.email': 'POST /v1/virtualcards/:id/email',
    'virtualCards.authorizations.list': 'GET /v1/virtualcards/:id/authorizations',
    'virtualCards.authorizations.release': 'POST /v1/virtualcards/:id/authorizations/:authorization_id/release',
    'virtualCards.clearings.list': 'GET /v1/virtualcards/:id/clearings',
    'virtualCards.decisions.try': 'POST /v1/virtualcards/:id/decisions',
    'virtualCards.decisions.read': 'GET /v1/virtualcards/:id/decisions/:authorization_id',
    'virtualCards.versions.list': 'GET /v1/virtualcards/:id/versions',
    'virtualCards.audit.list': 'GET /v1/virtualcards/:id/audit',
    'virtualCards.mails.list': 'GET /v1/virtualcards/:id/mails',
    'backtests.create': 'POST /v1/backtests',
    'backtests.list': 'GET /v1/backtests',
    'backtests.read': 'GET /v1/backtests/:id',
    'backtests.differences.list': 'GET /v1/backtests/:id/differences',
    'backtests.delete': 'DELETE /v1/backtests/:id',
    'authorizations.list': 'GET /v1/authorizations',
    'authorizations.read': 'GET /v1/authorizations/:authorization_id',
    'clearings.list': 'GET /v1/clearings',
  }),
  ...section('Real cards', {
    'realCards.list': 'GET /v1/realcards',
    'realCards.read': 'GET /v1/realcards/:id',
  }),
  ...section('Purchase templates', {
    'purchaseTemplates.request': { at: 'POST /v1/content/virtualcard-templates', is_bare: true },
    'purchaseTemplates.list': { at: 'GET /v1/content/virtualcard-templates', minimal: minimalTemplate },
    'purchaseTemplates.versions.list': 'GET /v1/content/virtualcard-templates/:id/versions',
  }),
  ...section('Events', {
    'events.types.list': 'GET /v1/events/types',
    'events.read': 'GET /v1/events/:id',
    'events.list': 'GET /v1/events',
  }),
  ...section('Webhooks', {
    'webhooks.create': { at: 'POST /v1/webhooks', registers_callback: true },
    'activity.read': 'GET /v1/activity',
    'webhooks.list': 'GET /v1/webhooks',
    'webhooks.states.list': 'GET /v1/webhooks/states',
    'webhooks.read': 'GET /v1/webhooks/:id',
    'webhooks.update': 'PATCH /v1/webhooks/:id',
    'webhooks.delete': 'DELETE /v1/webhooks/:id',
    'webhooks.rotateSecret': 'POST /v1/webhooks/:id/rotate-secret',
    'webhooks.test': { at: 'GET /v1/webhooks/:id/test', has_effect: true },
    'webhooks.deliveries.list': 'GET /v1/webhooks/:id/deliveries',
    'webhooks.deliveries.read': 'GET /v1/webhooks/:id/deliveries/:delivery_id',
    'webhooks.deliveries.retry': 'POST /v1/webhooks/:id/deliveries/:delivery_id/retry',
    'webhooks.deliveries.recover': 'POST /v1/webhooks/:id/recover',
    'portalLinks.create': 'POST /v1/portal-links',
  }),
  ...section('Decision endpoint', {
    'decisionEndpoint.put': 'PUT /v1/decision-endpoint',
    'decisionEndpoint.read': 'GET /v1/decision-endpoint',
    'decisionEndpoint.update': 'PATCH /v1/decision-endpoint',
    'decisionEndpoint.delete': 'DELETE /v1/decision-endpoint',
    'decisionEndpoint.test': 'POST /v1/decision-endpoint/test',
    'decisionEndpoint.rotateSecret': 'POST /v1/decision-endpoint/rotate-secret',
    'decisionEndpoint.consultations.list': 'GET /v1/decision-endpoint/consultations',
    'decisionEndpoint.consultations.read': 'GET /v1/decision-endpoint/consultations/:consultation_id',
  }),
  ...section('Reconciliation', {
    'reconciliation.items.list': 'GET /v1/reconciliation/items',
    'reconciliation.items.export': 'GET /v1/reconciliation/items.csv',
    'reconciliation.items.read': 'GET /v1/reconciliation/items/:id',
    'reconciliation.lines.list': 'GET /v1/reconciliation/lines',
    'reconciliation.lines.read': 'GET /v1/reconciliation/lines/:id',
    'reconciliation.summary': 'GET /v1/reconciliation/summary',
    'reconciliation.rules': 'GET /v1/reconciliation/rules',
    'reconciliation.bridge': 'GET /v1/reconciliation/bridge',
    'reconciliation.items.match': 'POST /v1/reconciliation/items/:id/match',
    'reconciliation.items.unmatch': 'POST /v1/reconciliation/items/:id/unmatch',
    'reconciliation.items.ignore': 'POST /v1/reconciliation/items/:id/ignore',
    'reconciliation.items.accept': 'POST /v1/reconciliation/items/:id/accept',
    'reconciliation.items.confirm': 'POST /v1/reconciliation/items/:id/confirm',
    'reconciliation.items.reopen': 'POST /v1/reconciliation/items/:id/reopen',
    'reconciliation.items.comment': 'POST /v1/reconciliation/items/:id/comments',
    'reconciliation.items.assign': 'PUT /v1/reconciliation/items/:id/assignee',
    'reconciliation.approvals.list': 'GET /v1/reconciliation/approvals',
    'reconciliation.approvals.read': 'GET /v1/reconciliation/approvals/:id',
    'reconciliation.approvals.approve': 'POST /v1/reconciliation/approvals/:id/approve',
    'reconciliation.approvals.refuse': 'POST /v1/reconciliation/approvals/:id/refuse',
    'reconciliation.approvals.withdraw': 'POST /v1/reconciliation/approvals/:id/withdraw',
    'reconciliation.decisions.create': {
      at: 'POST /v1/reconciliation/decisions',
      uploads: ['text/csv'],
      takes_only_uploads: true,
    },
    'reconciliation.periods.close': 'POST /v1/reconciliation/periods',
    'reconciliation.periods.list': 'GET /v1/reconciliation/periods',
    'reconciliation.periods.reopen': 'DELETE /v1/reconciliation/periods/:id',
    'reconciliation.tolerances.read': 'GET /v1/reconciliation/tolerances',
    'reconciliation.tolerances.update': 'PATCH /v1/reconciliation/tolerances',
  }),
  ...section('Operator', {
    'operator.companies.create': 'POST /operator/v1/companies',
    'operator.companies.list': 'GET /operator/v1/companies',
    'operator.companies.read': 'GET /operator/v1/companies/:id',
    'operator.companies.update': 'PATCH /operator/v1/companies/:id',
    'operator.realCards.create': 'POST /operator/v1/realcards',
    'operator.realCards.list': 'GET /operator/v1/realcards',
    'operator.keys.create': 'POST /operator/v1/keys',
    'operator.keys.list': 'GET /operator/v1/keys',
    'operator.keys.read': 'GET /operator/v1/keys/:id',
    'operator.keys.update': 'PATCH /operator/v1/keys/:id',
    'operator.keys.revoke': 'DELETE /operator/v1/keys/:id',
    'operator.people.create': 'POST /operator/v1/people',
    'operator.people.list': 'GET /operator/v1/people',
    'operator.people.read': 'GET /operator/v1/people/:id',
    'operator.people.update': 'PATCH /operator/v1/people/:id',
    'operator.people.setPassword': 'PUT /operator/v1/people/:id/password',
    'operator.people.resetTotp': 'POST /operator/v1/people/:id/reset-totp',
    'operator.people.endSessions': 'POST /operator/v1/people/:id/end-sessions',
    'operator.templates.complete': 'POST /operator/v1/templates/:id/complete',
    'operator.events.record': 'POST /operator/v1/events',
    'operator.virtualCards.codeFailures.reset': 'POST /operator/v1/virtualcards/:id/code-failures/reset',
    'operator.authorizations.list': 'GET /operator/v1/authorizations',
    'operator.virtualCards.list': 'GET /operator/v1/virtualcards',
    'operator.virtualCards.read': 'GET /operator/v1/virtualcards/:id',
    'operator.virtualCards.authorizations.list': 'GET /operator/v1/virtualcards/:id/authorizations',
    'operator.virtualCards.decisions.read': 'GET /operator/v1/virtualcards/:id/decisions/:authorization_id',
    'operator.virtualCards.versions.list': 'GET /operator/v1/virtualcards/:id/versions',
    'operator.virtualCards.clearings.list': 'GET /operator/v1/virtualcards/:id/clearings',
    'operator.virtualCards.deliveries.list': 'GET /operator/v1/virtualcards/:id/deliveries',
    'operator.activity.read': 'GET /operator/v1/activity',
    'operator.backlog.read': 'GET /operator/v1/backlog',
    'operator.webhooks.list': 'GET /operator/v1/webhooks',
    'operator.deliveries.list': 'GET /operator/v1/deliveries',
    'operator.audit.list': 'GET /operator/v1/audit',
    'operator.audit.export': 'GET /operator/v1/audit/export',
    'operator.audit.verify': 'GET /operator/v1/audit/verification',
    'operator.mails.list': 'GET /operator/v1/mails',
    'operator.mails.read': 'GET /operator/v1/mails/:id',
    'operator.mails.retry': 'POST /operator/v1/mails/:id/retry',
    'operator.quarantine.list': 'GET /operator/v1/quarantine',
    'operator.quarantine.read': 'GET /operator/v1/quarantine/:id',
    'operator.quarantine.replay': 'POST /operator/v1/quarantine/:id/replay',
    'operator.imports.create': {
      at: 'POST /operator/v1/imports',
      uploads: ['application/octet-stream', 'application/xml', 'text/csv'],
    },
    'operator.imports.preview': {
      at: 'POST /operator/v1/import-previews',
      uploads: ['application/octet-stream', 'application/xml', 'text/csv'],
    },
    'operator.imports.list': 'GET /operator/v1/imports',
    'operator.imports.read': 'GET /operator/v1/imports/:id',
    'operator.imports.quarantine': 'GET /operator/v1/imports/:id/quarantine',
    'operator.imports.statements': 'GET /operator/v1/imports/:id/statements',
    'operator.imports.replay': 'POST /operator/v1/imports/:id/replay',
    'operator.imports.release': 'POST /operator/v1/imports/:id/release',
  }),
  ...section('Bank', {
    'bank.accounts.create': 'POST /bank/v1/accounts',
    'bank.accounts.list': 'GET /bank/v1/accounts',
    'bank.accounts.read': 'GET /bank/v1/accounts/:number',
    'bank.accounts.profile.read': 'GET /bank/v1/accounts/:number/profile',
    'bank.accounts.profile.put': 'PUT /bank/v1/accounts/:number/profile',
    'bank.accounts.balance.read': 'GET /bank/v1/accounts/:number/balance',
    'bank.accounts.balance.put': 'PUT /bank/v1/accounts/:number/balance',
    'bank.accounts.transactions.list': 'GET /bank/v1/accounts/:number/transactions',
    'bank.accounts.directDebits.list': 'GET /bank/v1/accounts/:number/direct-debits',
    'bank.accounts.standingOrders.list': 'GET /bank/v1/accounts/:number/standing-orders',
    'bank.accounts.scheduledPayments.list': 'GET /bank/v1/accounts/:number/scheduled-payments',
    'bank.users.list': 'GET /bank/v1/users',
    'bank.users.read': 'GET /bank/v1/users/:user_id',
    'bank.users.put': 'PUT /bank/v1/users/:user_id',
    'bank.companies.openBanking.read': 'GET /bank/v1/companies/:id/open-banking',
    'bank.companies.openBanking.put': 'PUT /bank/v1/companies/:id/open-banking',
    'bank.records.report': {
      at: 'POST /bank/v1/records',
      uploads: ['application/x-ndjson'],
      takes_only_uploads: true,
    },
    'bank.consents.read': 'GET /bank/v1/consents/:consent_id',
    'bank.consents.withdraw': 'POST /bank/v1/consents/:consent_id/withdraw',
    'bank.users.consents.list': 'GET /bank/v1/users/:user_id/consents',
  }),
  ...section('Operator', {
    'operator.thirdParties.create': 'POST /operator/v1/third-parties',
    'operator.thirdParties.list': 'GET /operator/v1/third-parties',
    'operator.thirdParties.read': 'GET /operator/v1/third-parties/:id',
    'operator.thirdParties.update': 'PATCH /operator/v1/third-parties/:id',
    'operator.thirdParties.suspend': 'POST /operator/v1/third-parties/:id/suspend',
    'operator.thirdParties.activate': 'POST /operator/v1/third-parties/:id/activate',
  }),
  ...section('Sandbox', {
    'sandbox.consents.create': 'POST /sandbox/v1/consents',
    'sandbox.consents.decide': 'POST /sandbox/v1/consents/:consent_id/decide',
    'sandbox.clock.move': 'POST /sandbox/v1/clock',
    'sandbox.purchases.create': { at: 'POST /sandbox/v1/purchases', may_be_undecided: true },
    'sandbox.authorizations.clear': 'POST /sandbox/v1/authorizations/:id/clear',
    'sandbox.authorizations.reverse': { at: 'POST /sandbox/v1/authorizations/:id/reverse', may_be_undecided: true },
    'sandbox.authorizations.refund': 'POST /sandbox/v1/authorizations/:id/refund',
    'sandbox.mailbox.list': 'GET /sandbox/v1/mailbox',
    'sandbox.mailbox.read': 'GET /sandbox/v1/mailbox/:id',
  }),
};

/** Whether requests to an operation may have an `Idempotency-Key`. */
export function takesKey(operation_id: string): boolean {
  return endpoints[operation_id]?.at.startsWith('POST ') === true;
}

function minimalTemplate(template: { readonly id: number; readonly transaction_key: string }): MinimalItem {
  return { id: template.id, type: 'virtualcard-template', url: templateStatusPath(template) };
}

function section(
  tag: Tag,
  rows: Readonly<Record<string, Endpoint['at'] | Omit<Endpoint, 'tag'>>>,
): Readonly<Record<string, Endpoint>> {
  return Object.fromEntries(
    Object.entries(rows).map(([id, row]) => [id, { tag, ...(typeof row === 'string' ? { at: row } : row) }]),
  );
}

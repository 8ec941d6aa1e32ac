import type { GroupNames } from './methods.ts';

/** The interfaces of the groups of methods, by the paths of the groups. */
export const method_groups: GroupNames = {
  network: [
    'NetworkOperations',
    "The card network's side of the service. Calls at the same time share a pass, with one commit: a message is " +
      "decided in the service's own transaction, and its answer is durable when the promise resolves",
  ],
  company: ['CompanyOperations', 'What a company does with its own data'],
  'company.cards': ['VirtualCardOperations', 'The virtual cards of a company'],
  'company.authorizations': ['AuthorizationOperations', 'The authorizations of all cards of a company'],
  'company.clearings': ['ClearingOperations', 'The clearings of all cards of a company'],
  'company.realCards': ['RealCardOperations', 'The real cards of a company, to which its virtual cards belong'],
  'company.templates': ['PurchaseTemplateOperations', 'The purchase templates of a company'],
  'company.events': ['EventOperations', 'The events of a company: the log of every change'],
  'company.backtests': ['BacktestOperations', 'What other controls would have decided about recorded messages'],
  'company.webhooks': ['WebhookOperations', 'The webhooks of a company'],
  'company.webhooks.deliveries': ['DeliveryOperations', 'The deliveries of a webhook'],
  'company.portalLinks': ['PortalLinkOperations', 'Links to the webhooks of a company, for people without a key'],
  'company.decisionEndpoint': [
    'DecisionEndpointOperations',
    'Where a company decides itself on requests that its cards would approve',
  ],
  'company.decisionEndpoint.consultations': [
    'ConsultationOperations',
    'Requests about which a company was asked, and their outcomes',
  ],
  'company.reconciliation': [
    'ReconciliationOperations',
    'Items in which authorization, clearing and statement line meet, and what people do to them',
  ],
  'company.reconciliation.items': [
    'ReconciliationItemOperations',
    'The items. An action is refused (`conflict`) when the state of the item does not allow it or when the item has ' +
      'changed: the message says what happened. The id of an item that was merged into another one is refused ' +
      '(`conflict`) unless the `version` of that one is passed',
  ],
  'company.reconciliation.lines': ['ReconciliationLineOperations', 'The statement lines of a company'],
  'company.reconciliation.decisions': ['ReconciliationDecisionOperations', 'Decisions by a table'],
  'company.reconciliation.approvals': ['ReconciliationApprovalOperations', 'Acts that wait for a second person'],
  'company.reconciliation.periods': ['ReconciliationPeriodOperations', 'Periods whose items do not change any more'],
  'company.reconciliation.tolerances': ['ReconciliationToleranceOperations', 'Small differences that are accepted'],
  'company.sandbox': [
    'SandboxPurchaseOperations',
    "Purchases with a company's cards that the sandbox sends instead of a card network. Outside a sandbox they are " +
      'refused (`not_found`)',
  ],
  bank: ['BankOperations', 'What the bank knows of accounts, users and consents, and reports to the service'],
  'bank.accounts': [
    'AccountOperations',
    'The accounts of companies at the bank, and what Open Banking reads of them. An account is named by its number',
  ],
  'bank.accounts.profile': ['AccountProfileOperations', 'How third parties see an account'],
  'bank.accounts.balance': ['AccountBalanceOperations', 'The balance of an account'],
  'bank.users': ['BankUserOperations', 'The users of the bank, who authorise consents'],
  'bank.openBanking': ['CompanyOpenBankingOperations', 'What the bank allows a company in the third-party channel'],
  'bank.records': ['BankRecordOperations', 'Records in bulk'],
  'bank.consents': ['ConsentOperations', 'The consents of users, as the bank sees them. Needs Open Banking'],
  operator: ['OperatorOperations', 'The operation of the service: all companies'],
  'operator.companies': ['CompanyRecordOperations', 'The companies that have cards'],
  'operator.realCards': ['OperatorRealCardOperations', 'The real cards of all companies'],
  'operator.people': ['PersonOperations', 'Who may use the console'],
  'operator.keys': ['ApiKeyOperations', 'The API keys of the HTTP interface. Calls in process need none'],
  'operator.templates': ['OperatorTemplateOperations', 'The completion of templates'],
  'operator.events': ['OperatorEventOperations', 'The events that other systems of the bank record'],
  'operator.authorizations': ['OperatorAuthorizationOperations', 'The authorizations of all companies'],
  'operator.cards': [
    'OperatorCardOperations',
    'The virtual cards of all companies, and what only an operator does to them',
  ],
  'operator.webhooks': ['OperatorWebhookOperations', 'The webhooks of all companies'],
  'operator.deliveries': ['OperatorDeliveryOperations', 'The deliveries of all companies'],
  'operator.audit': ['AuditOperations', 'The audit log'],
  'operator.mails': ['CardMailOperations', 'The mails about cards'],
  'operator.quarantine': ['QuarantineOperations', 'Clearings that were refused and are kept'],
  'operator.imports': [
    'ImportOperations',
    'Imports of clearing files and bank statements. A file is applied in many transactions',
  ],
  'operator.thirdParties': [
    'ThirdPartyOperations',
    'The regulated third parties: clients of the authorisation server. Needs Open Banking',
  ],
  sandbox: ['SandboxOperations', 'What only a sandbox has. Outside a sandbox, it is refused (`not_found`)'],
  'sandbox.clock': ['SandboxClockOperations', 'The clock of the sandbox'],
  'sandbox.consents': ['SandboxConsentOperations', "The decision of a bank's user, without a page. Needs Open Banking"],
  'sandbox.mailbox': ['MailboxOperations', 'The mails that the sandbox stored instead of sending them'],
};

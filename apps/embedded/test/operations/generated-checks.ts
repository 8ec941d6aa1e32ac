// Generated from the operations by `npm run generate`.

import type * as own from '../../src/operations/index.ts';

/** The types of resources, by their names in the document of the HTTP interface. */
export interface OwnTypes {
  readonly Account: own.Account;
  readonly AccountBalance: own.AccountBalance;
  readonly AccountProfile: own.AccountProfile;
  readonly ApiKey: own.ApiKey;
  readonly AuditEntry: own.AuditEntry;
  readonly Authorization: own.Authorization;
  readonly AuthorizationMessage: own.AuthorizationMessage;
  readonly BookedTransaction: own.BookedTransaction;
  readonly Clearing: own.Clearing;
  readonly ClearingMessage: own.ClearingMessage;
  readonly Clock: own.SandboxClock;
  readonly CodeFailures: own.CodeFailures;
  readonly Company: own.Company;
  readonly CompanyOpenBanking: own.CompanyOpenBanking;
  readonly Consent: own.Consent;
  readonly CreateAccount: own.CreateAccount;
  readonly CreateCompany: own.CreateCompany;
  readonly CreateKey: own.CreateApiKey;
  readonly CreateRealCard: own.CreateRealCard;
  readonly CreateThirdParty: own.CreateThirdParty;
  readonly CreateVirtualCard: own.CreateVirtualCard;
  readonly CreateWebhook: own.CreateWebhook;
  readonly DecideConsent: own.DecideConsent;
  readonly Delivery: own.Delivery;
  readonly DirectDebit: own.DirectDebit;
  readonly EmailVirtualCard: own.EmailVirtualCard;
  readonly Event: own.Event;
  readonly EventType: own.EventType;
  readonly ForeignEvent: own.ForeignEvent;
  readonly ForeignEventRecord: own.ForeignEventRecord;
  readonly Import: own.Import;
  readonly ImportRelease: own.ImportRelease;
  readonly Mail: own.CardMail;
  readonly MailboxItem: own.MailboxItem;
  readonly MailboxMessage: own.MailboxMessage;
  readonly MinimalItem: own.MinimalItem;
  readonly MoveClock: own.MoveSandboxClock;
  readonly OperatorDelivery: own.OperatorDelivery;
  readonly OperatorWebhook: own.OperatorWebhook;
  readonly PutAccountBalance: own.PutAccountBalance;
  readonly PutAccountProfile: own.PutAccountProfile;
  readonly PutCompanyOpenBanking: own.PutCompanyOpenBanking;
  readonly PutUser: own.PutBankUser;
  readonly Quarantined: own.Quarantined;
  readonly RealCard: own.RealCard;
  readonly ReconciliationAction: own.ReconciliationAction;
  readonly ReconciliationBridge: own.ReconciliationBridge;
  readonly ReconciliationDecisions: own.ReconciliationDecisions;
  readonly ReconciliationItem: own.ReconciliationItem;
  readonly ReconciliationItemWithHistory: own.ReconciliationItemWithHistory;
  readonly ReconciliationMatchAction: own.ReconciliationMatchAction;
  readonly ReconciliationPeriod: own.ReconciliationPeriod;
  readonly ReconciliationPeriodClosing: own.ReconciliationPeriodClosing;
  readonly ReconciliationRules: own.ReconciliationRules;
  readonly ReconciliationSummary: own.ReconciliationSummary;
  readonly ReconciliationUnmatchAction: own.ReconciliationUnmatchAction;
  readonly RecordReport: own.RecordReport;
  readonly RecoverDeliveries: own.RecoverDeliveries;
  readonly RecoveredDeliveries: own.RecoveredDeliveries;
  readonly ReleaseHold: own.ReleaseHold;
  readonly RequestTemplate: own.RequestPurchaseTemplate;
  readonly SandboxFollowUp: own.SandboxFollowUp;
  readonly SandboxPurchase: own.SandboxPurchase;
  readonly ScheduledPayment: own.ScheduledPayment;
  readonly StandingOrder: own.StandingOrder;
  readonly Template: own.PurchaseTemplate;
  readonly TemplateAcknowledgement: own.PurchaseTemplateAcknowledgement;
  readonly ThirdParty: own.ThirdParty;
  readonly UpdateCompany: own.UpdateCompany;
  readonly UpdateThirdParty: own.UpdateThirdParty;
  readonly UpdateVirtualCard: own.UpdateVirtualCard;
  readonly UpdateWebhook: own.UpdateWebhook;
  readonly User: own.BankUser;
  readonly VirtualCard: own.VirtualCard;
  readonly Webhook: own.Webhook;
  readonly WebhookTest: own.WebhookTest;
}

/** The examples of the document. */
export const examples = [
  {
    card_number: '5454540000000005',
    message_type_indicator: 'Authorization Request',
    billing_amount: 12500,
    billing_currency: 'USD',
    merchant_amount: 12500,
    merchant_currency: 'USD',
    mcc: '5812',
    merchant_name: 'Corner Grocer',
    merchant_id: '526399000183',
    trace_id: 'MCC0112771121',
    system_trace_audit_number: '004711',
    transaction_date_time: '2026-11-21T09:10:00Z',
  } satisfies own.AuthorizationMessage,
  {
    card_number: '5454540000000005',
    network_financial_transaction_id: 'F000000004711',
    clearing_type: 'DEBIT',
    billing_amount: 12500,
    billing_currency: 'USD',
    merchant_id: '526399000183',
    settlement_date: '2026-11-23',
  } satisfies own.ClearingMessage,
  {
    total_card_amount: 50000,
    transactions_max: 10,
    recurring: 'Monthly',
    metadata: { project: 'Apollo' },
  } satisfies own.CreateVirtualCard,
  { total_card_amount: 75000 } satisfies own.UpdateVirtualCard,
  { email: 'ada@example.com' } satisfies own.EmailVirtualCard,
  { note: 'The merchant confirmed that it will not clear' } satisfies own.ReleaseHold,
  { company_id: 1, alias: 'Travel', billing_currency: 'EUR', account_range: '54545400' } satisfies own.CreateRealCard,
  {
    name: 'Restaurants',
    description: 'Meals of field staff',
    mcc_list: ['5812', '5814'],
    mcc_rule: 'ALLOW',
    required_control: 'VELOCITY',
  } satisfies own.RequestPurchaseTemplate,
  {
    name: 'Restaurants and bars',
    description: 'Meals of field staff',
    mcc_list: ['5812', '5814'],
    mcc_rule: 'ALLOW',
    required_control: 'VELOCITY',
  } satisfies own.RequestPurchaseTemplate,
  {
    company_id: 1,
    event_type: 'ach.status',
    payload: { id: 77, return_code: 'R01', status: 'failed' },
    previous: { id: 77, return_code: null, status: 'pending' },
  } satisfies own.ForeignEvent,
  { callback_url: 'https://hooks.example.com/tallystick', event_type_ids: [6, 7] } satisfies own.CreateWebhook,
  { status: 'inactive' } satisfies own.UpdateWebhook,
  { since: '2026-11-21T00:00:00Z' } satisfies own.RecoverDeliveries,
  { with: { line_ids: [12] }, note: 'The bank confirmed the reference' } satisfies own.ReconciliationMatchAction,
  { note: 'Another purchase of that day' } satisfies own.ReconciliationUnmatchAction,
  { note: 'Agreed with the supplier' } satisfies own.ReconciliationAction,
  { closed_through: '2030-03-14' } satisfies own.ReconciliationPeriodClosing,
  { name: 'Example Ltd', customer_number: '4711' } satisfies own.CreateCompany,
  { hold_days: 7 } satisfies own.UpdateCompany,
  { role: 'client', company_id: 1, name: 'Back office' } satisfies own.CreateApiKey,
  { note: 'A corrected file: the sender confirmed it' } satisfies own.ImportRelease,
  { company_id: 1, number: '1000000002', currency: 'USD', kind: 'deposit', name: 'Travel' } satisfies own.CreateAccount,
  {
    company_id: 1,
    name: 'Alex Carter',
    status: 'active',
    eligible_services: ['aisp'],
    configured_services: ['aisp'],
    may_view_direct_debits: true,
    viewable_accounts: ['1000000001'],
  } satisfies own.PutBankUser,
  { eligible_services: ['aisp', 'cbpii'], is_configured: true } satisfies own.PutCompanyOpenBanking,
  {
    scheme_name: 'UK.OBIE.SortCodeAccountNumber',
    identification: '20000010000001',
    holder_name: 'Northwind Traders',
    nickname: 'Operations',
    opened_on: '2019-04-01',
  } satisfies own.PutAccountProfile,
  { booked: 125000, available: 120000, credit_line: 50000 } satisfies own.PutAccountBalance,
  { decision: 'approve' } satisfies own.DecideConsent,
  {
    name: 'Budget App',
    scopes: ['accounts'],
    redirect_uris: ['https://budget.example/callback'],
    jwks_uri: 'https://budget.example/jwks.json',
  } satisfies own.CreateThirdParty,
  { redirect_uris: ['https://budget.example/callback', 'https://budget.example/app'] } satisfies own.UpdateThirdParty,
  { advance: 'PT10M' } satisfies own.MoveSandboxClock,
  { vcn_id: 1, amount: 12500, merchant_name: 'Corner Grocer' } satisfies own.SandboxPurchase,
  { amount: 40 } satisfies own.SandboxFollowUp,
];

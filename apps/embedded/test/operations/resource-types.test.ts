import { it } from 'node:test';
import { answers, message_types } from '@tallystick/cards';
import { subscribable_types } from '@tallystick/events';
import type { ResourceShapes } from '@tallystick/operations';
import type * as own from '../../src/operations/index.ts';

/** The types of this package, by the names of the resources in the document of the HTTP interface. */
interface OwnTypes {
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
  readonly EventType: own.EventType;
  readonly ForeignEvent: own.ForeignEvent;
  readonly ForeignState: own.ForeignState;
  readonly Import: own.Import;
  readonly ImportRelease: own.ImportRelease;
  readonly Mail: own.CardMail;
  readonly MailboxItem: own.MailboxItem;
  readonly MailboxMessage: own.MailboxMessage;
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
  readonly ReconciliationBreakState: own.ReconciliationBreakState;
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
  readonly VirtualCardState: own.VirtualCardState;
  readonly Webhook: own.Webhook;
  readonly WebhookTest: own.WebhookTest;
}

/**
 * The resources as the interface declares them, except that the domain checks one member, and that a
 * caller in process has no key whose company is the default of another.
 */
interface Shapes extends Omit<ResourceShapes, 'ForeignEvent' | 'PutUser'> {
  readonly PutUser: Omit<ResourceShapes['PutUser'], 'company_id'> & Pick<own.PutBankUser, 'company_id'>;
  readonly ForeignEvent: Omit<ResourceShapes['ForeignEvent'], 'event_type'> & Pick<own.ForeignEvent, 'event_type'>;
}

/** Members that are plain texts in the interface. Other tests compare their values. */
type Texts = 'vcn_response' | 'message_type_indicator';

/** The type without what no value shows: `readonly`, and interfaces in place of types. */
type Plain<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends readonly (infer Item)[]
    ? Plain<Item>[]
    : { -readonly [Name in keyof Value]: Name extends Texts ? string : Plain<Value[Name]> };

type Fits<From, To> = [Plain<From>] extends [Plain<To>] ? true : false;

/** The resources whose types differ. In a message of the compiler, their names are the error. */
type Different = {
  [Name in keyof Shapes]: [Fits<Shapes[Name], OwnTypes[Name]>, Fits<OwnTypes[Name], Shapes[Name]>] extends [true, true]
    ? never
    : Name;
}[keyof Shapes];

const different: readonly Different[] = [];
const missing: readonly Exclude<keyof Shapes, keyof OwnTypes>[] = [];

it('declares each resource as the HTTP interface does: the compiler checks it', (t) => {
  // Both lists are empty by their types: `readonly never[]`.
  const all: readonly never[] = [...different, ...missing];
  t.assert.deepEqual(all, []);
});

/** The types that an event can have, and whose payload is not declared, or the other way round. */
type Unpaired =
  | Exclude<own.EventTypeName, keyof own.EventPayloads>
  | Exclude<keyof own.EventPayloads, own.EventTypeName>;

const unpaired: readonly Unpaired[] = [];

it('declares the payload of each type of events', (t) => {
  const all: readonly never[] = unpaired;
  t.assert.deepEqual(all, []);
  const declared: Readonly<Record<own.EventTypeName | 'all', true>> = {
    all: true,
    'virtualcard.created': true,
    'virtualcard.updated': true,
    'virtualcard.deleted': true,
    'virtualcard.realtime.auths': true,
    'virtualcard.realtime.iccp.all': true,
    'virtualcard.clearings': true,
    'virtualcard.purchasetemplate.created': true,
    'reconciliation.break.opened': true,
    'reconciliation.break.aged': true,
    'reconciliation.break.resolved': true,
    'ach.status': true,
    'ach.status.advice': true,
    'ach.$$limit.exceeded': true,
    'onboarding.company.status': true,
  };
  t.assert.deepEqual(Object.keys(declared).sort(), subscribable_types.toSorted());
});

it('declares every word of a response', (t) => {
  const declared: Readonly<Record<own.VcnResponse, true>> = {
    'Bad VCN-RCN mapping': true,
    'Database status bad': true,
    'Expiry date mismatch': true,
    'VCN expired': true,
    'CVC2 mismatch': true,
    'Validity period limit': true,
    'Transaction type restriction': true,
    'MCC limit': true,
    'Transaction amount limit': true,
    'Transaction number usage': true,
    'Cumulative amount limit': true,
    'Unable to process': true,
    Valid: true,
  };
  const words = new Set(Object.values(answers).map(({ vcn_response }) => vcn_response));
  t.assert.deepEqual(Object.keys(declared).sort(), [...words].sort());
});

it('declares every type of a message, by its name and its number', (t) => {
  const declared: Readonly<Record<own.AuthorizationMessage['message_type_indicator'], true>> = {
    'Authorization Request': true,
    'Authorization Advice': true,
    'Reversal Request': true,
    'Reversal Advice': true,
    '0100': true,
    '0120': true,
    '0400': true,
    '0420': true,
  };
  const types = Object.entries(message_types).flat();
  t.assert.deepEqual(Object.keys(declared).sort(), types.sort());
});

import type * as z from 'zod';
import type { account, create_account } from './accounts/shapes.ts';
import type { record_report } from './bank/records.ts';
import type {
  balance,
  company as company_open_banking,
  direct_debit,
  profile,
  put_balance,
  put_company,
  put_profile,
  put_user,
  scheduled_payment,
  standing_order,
  transaction,
  user,
} from './bank/shapes.ts';
import type { consent, decide_consent } from './consents/shapes.ts';
import type { event_type, foreign_event } from './events/shapes.ts';
import type { import_resource, release_body } from './imports/shapes.ts';
import type { mail, mailbox_item, mailbox_message } from './mails/shapes.ts';
import type { authorization_item, authorization_message, clearing_item, clearing_message } from './network/shapes.ts';
import type { api_key, company, create_company, create_key, update_company } from './operator/shapes.ts';
import type { audit_entry, delivery_of_all, webhook_state_of_all } from './oversight/shapes.ts';
import type { quarantined } from './quarantine/shapes.ts';
import type { create_real_card, real_card } from './real-cards/shapes.ts';
import type { bridge, rules_report, summary } from './reconciliation/report-shapes.ts';
import type {
  break_state,
  close_period,
  item,
  item_with_history,
  match_act,
  period,
  plain_act,
  table_answer,
  unmatch_act,
} from './reconciliation/shapes.ts';
import type { clock, follow_up, move_clock, purchase } from './sandbox/shapes.ts';
import type { request_template, template_acknowledgement, template_item } from './templates/shapes.ts';
import type { create_third_party, third_party, update_third_party } from './third-parties/shapes.ts';
import type {
  card_state,
  code_failures,
  create_card,
  email_card,
  release_hold,
  update_card,
  virtual_card,
} from './virtual-cards/shapes.ts';
import type {
  create_webhook,
  delivery,
  recover,
  recovered,
  update_webhook,
  webhook,
  webhook_test,
} from './webhooks/shapes.ts';

/** The resource that a request sends as `data`. */
type Sent<Schema extends z.ZodType> = Extract<z.input<Schema>, { readonly data: unknown }>['data'];

/** The resource that an answer shows. */
type Shown<Schema extends z.ZodType> = z.output<Schema>;

/**
 * The types of the resources by their names in the document. An interface that declares them itself
 * compares its own types with these.
 */
export interface ResourceShapes {
  readonly Account: Shown<typeof account>;
  readonly AccountBalance: Shown<typeof balance>;
  readonly AccountProfile: Shown<typeof profile>;
  readonly ApiKey: Shown<typeof api_key>;
  readonly AuditEntry: Shown<typeof audit_entry>;
  readonly Authorization: Shown<typeof authorization_item>;
  readonly AuthorizationMessage: Sent<typeof authorization_message>;
  readonly BookedTransaction: Shown<typeof transaction>;
  readonly Clearing: Shown<typeof clearing_item>;
  readonly ClearingMessage: Sent<typeof clearing_message>;
  readonly Clock: Shown<typeof clock>;
  readonly CodeFailures: Shown<typeof code_failures>;
  readonly Company: Shown<typeof company>;
  readonly CompanyOpenBanking: Shown<typeof company_open_banking>;
  readonly Consent: Shown<typeof consent>;
  readonly CreateAccount: Sent<typeof create_account>;
  readonly CreateCompany: Sent<typeof create_company>;
  readonly CreateKey: Sent<typeof create_key>;
  readonly CreateRealCard: Sent<typeof create_real_card>;
  readonly CreateThirdParty: Sent<typeof create_third_party>;
  readonly CreateVirtualCard: Sent<typeof create_card>;
  readonly CreateWebhook: Sent<typeof create_webhook>;
  readonly DecideConsent: Sent<typeof decide_consent>;
  readonly Delivery: Shown<typeof delivery>;
  readonly DirectDebit: Shown<typeof direct_debit>;
  readonly EmailVirtualCard: Sent<typeof email_card>;
  readonly EventType: Shown<typeof event_type>;
  readonly ForeignEvent: Sent<typeof foreign_event>;
  readonly Import: Shown<typeof import_resource>;
  readonly ImportRelease: Sent<typeof release_body>;
  readonly Mail: Shown<typeof mail>;
  readonly MailboxItem: Shown<typeof mailbox_item>;
  readonly MailboxMessage: Shown<typeof mailbox_message>;
  readonly MoveClock: Sent<typeof move_clock>;
  readonly OperatorDelivery: Shown<typeof delivery_of_all>;
  readonly OperatorWebhook: Shown<typeof webhook_state_of_all>;
  readonly PutAccountBalance: Sent<typeof put_balance>;
  readonly PutAccountProfile: Sent<typeof put_profile>;
  readonly PutCompanyOpenBanking: Sent<typeof put_company>;
  readonly PutUser: Sent<typeof put_user>;
  readonly Quarantined: Shown<typeof quarantined>;
  readonly RealCard: Shown<typeof real_card>;
  readonly ReconciliationAction: Sent<typeof plain_act>;
  readonly ReconciliationBreakState: Shown<typeof break_state>;
  readonly ReconciliationBridge: Shown<typeof bridge>;
  readonly ReconciliationDecisions: Shown<typeof table_answer>;
  readonly ReconciliationItem: Shown<typeof item>;
  readonly ReconciliationItemWithHistory: Shown<typeof item_with_history>;
  readonly ReconciliationMatchAction: Sent<typeof match_act>;
  readonly ReconciliationPeriod: Shown<typeof period>;
  readonly ReconciliationPeriodClosing: Sent<typeof close_period>;
  readonly ReconciliationRules: Shown<typeof rules_report>;
  readonly ReconciliationSummary: Shown<typeof summary>;
  readonly ReconciliationUnmatchAction: Sent<typeof unmatch_act>;
  readonly RecordReport: Shown<typeof record_report>;
  readonly RecoverDeliveries: Sent<typeof recover>;
  readonly RecoveredDeliveries: Shown<typeof recovered>;
  readonly ReleaseHold: Sent<typeof release_hold>;
  readonly RequestTemplate: Sent<typeof request_template>;
  readonly SandboxFollowUp: Sent<typeof follow_up>;
  readonly SandboxPurchase: Sent<typeof purchase>;
  readonly ScheduledPayment: Shown<typeof scheduled_payment>;
  readonly StandingOrder: Shown<typeof standing_order>;
  readonly Template: Shown<typeof template_item>;
  readonly TemplateAcknowledgement: Shown<typeof template_acknowledgement>;
  readonly ThirdParty: Shown<typeof third_party>;
  readonly UpdateCompany: Sent<typeof update_company>;
  readonly UpdateThirdParty: Sent<typeof update_third_party>;
  readonly UpdateVirtualCard: Sent<typeof update_card>;
  readonly UpdateWebhook: Sent<typeof update_webhook>;
  readonly User: Shown<typeof user>;
  readonly VirtualCard: Shown<typeof virtual_card>;
  readonly VirtualCardState: Shown<typeof card_state>;
  readonly Webhook: Shown<typeof webhook>;
  readonly WebhookTest: Shown<typeof webhook_test>;
}

import {
  assert,
  type Call,
  currency_expected,
  isCurrency,
  type Money,
  maskCardNumbers,
  RequestFields,
  Temporal,
} from '@tallystick/kernel';
import type { PurchaseTemplate } from '@tallystick/templates';
import { day_ms, utcDateAt, utcInstantAt, windowAt } from '@tallystick/velocity';
import { isConsulted } from '../deciding/consult.ts';
import { answers, type Question, type QuestionMessage, type Reason } from '../deciding/decline-reasons.ts';
import { factsOf, inWords, type ShownDecision } from '../deciding/explain-decision.ts';
import { amountLeft } from '../issuing/balance.ts';
import type { VirtualCard } from '../issuing/card.ts';
import type { CardsTx } from '../issuing/ports.ts';
import { findCard, readBalance } from '../issuing/read-cards.ts';
import { limitCurrency } from '../records/authorization.ts';
import { country_code_expected, isCountryCode, toCountry } from '../records/merchant.ts';
import { isMcc, isNetworkText, network_text_expected } from '../records/message.ts';
import type { PassPorts } from '../working/pass.ts';
import { type DecisionRow, decisionTable, firstFailed, type GivenResult, largestAmount } from './decision-table.ts';
import type { Blocker, WindowBalance } from './explain-authorization.ts';

/** How far ahead a decision can be tried, in days: a card lives for two years. */
export const try_days_max = 1_096;

/** What of a company decisions depend on. The store of companies implements it. */
export interface CompanyTerms {
  find(company_id: number): Promise<{ readonly status: 'active' | 'closed'; readonly endpoint_version: number } | null>;
}

/** A purchase to try. Values are checked here, whatever their static type. */
export interface TryDecisionRequest {
  /** In the limit currency of the card. */
  readonly amount: number;
  /** Absent: the currency of the card's limits. */
  readonly merchant_currency?: string | null;
  readonly mcc?: string | null;
  readonly merchant_id?: string | null;
  readonly merchant_name?: string | null;
  /** ISO 3166-1. */
  readonly merchant_country?: string | null;
  readonly card_present?: boolean | null;
  readonly refund?: boolean | null;
  /** ISO 8601, with an offset; absent: now. */
  readonly at?: string | null;
}

/** Whether the company would be asked about the request. */
export const client_parts = ['would_be_asked', 'not_asked'] as const;

/** What would be decided about a purchase. */
export interface TriedDecision {
  readonly card: VirtualCard;
  readonly at_ms: number;
  readonly decision: ShownDecision;
  readonly blocked_by: Blocker | null;
  readonly client: (typeof client_parts)[number];
  readonly table: readonly DecisionRow[];
  readonly would_pass_up_to: number | null;
  readonly before: WindowBalance;
  readonly after: WindowBalance;
  readonly versions: { readonly controls: number; readonly template: number; readonly template_id: number };
}

/**
 * Returns what would be decided about a request of the card network, and changes nothing: the
 * reasons of a decision, applied to the card as it would be at that time if nothing came between.
 * Refuses `not_found`, and `validation_failed` with every invalid field.
 */
export async function tryDecision(
  tx: Pick<CardsTx, 'cards' | 'templates'> & { readonly companies: CompanyTerms },
  call: Call,
  card_id: number,
  request: Readonly<Record<string, unknown>>,
  asking: Pick<PassPorts, 'consults_all'> = {},
): Promise<TriedDecision> {
  const card = await findCard(tx, call, card_id);
  const template = await tx.templates.find(call.company_id, card.template_id);
  const company = await tx.companies.find(call.company_id);
  assert(template !== null && company !== null, `card ${card_id} has no template or no company`);
  const { amount, at_ms, refund, message } = readPurchase(new RequestFields(request), call, card);

  const balance = await readBalance(tx, { ...call, now_ms: at_ms }, card);
  const question: Question = {
    card: { ...card, template, company_status: company.status },
    message,
    amount,
    increment_of: null,
    window_start_ms: Math.max(card.counters.window_start_ms, windowAt(card.recurring, at_ms).start_ms),
    held: balance.held,
    cleared: balance.cleared,
    uses: balance.uses,
    now_ms: at_ms,
    today: utcDateAt(at_ms),
    code_fails: false,
    code_failures: 0,
  };
  const passed = firstFailed(decisionTable(question, givenIn(message, template, { refund, is_asked: false }))) === 'V';
  const is_asked = passed && isConsulted(asking, company, question);
  const table = decisionTable(question, givenIn(message, template, { refund, is_asked }));
  const code = firstFailed(table);
  const adds = code === 'V' && !refund ? amount : 0;
  return {
    card,
    at_ms,
    decision: { code, reason: inWords(answers[code]), facts: factsOf(answers[code], question) },
    blocked_by: code === 'V' ? null : 'card_limits',
    client: is_asked ? 'would_be_asked' : 'not_asked',
    table,
    would_pass_up_to: largestAmount(question),
    before: counted(question, 0),
    after: counted(question, adds),
    versions: { controls: card.controls_version, template: template.version, template_id: template.id },
  };

  function counted({ held, cleared, uses }: Question, adds: number): WindowBalance {
    const available = amountLeft(card.total_card_amount, { held: held + adds, cleared });
    return { held: held + adds, cleared, uses: uses + (adds > 0 ? 1 : 0), available };
  }
}

interface Purchase {
  readonly amount: Money;
  readonly at_ms: number;
  readonly refund: boolean;
  /** `mcc` is empty when it was not sent. */
  readonly message: QuestionMessage;
}

function readPurchase(fields: RequestFields, { now_ms }: Call, card: VirtualCard): Purchase {
  fields.require('amount');
  const amount = fields.readAmount('amount', 0);
  const currency = fields.readText('merchant_currency', isCurrency, currency_expected);
  const mcc = fields.readText('mcc', isMcc, 'four digits');
  const merchant_id = fields.readText('merchant_id', isNetworkText, network_text_expected);
  const merchant_name = fields.readText('merchant_name', isNetworkText, network_text_expected);
  const country = fields.readText('merchant_country', isCountryCode, country_code_expected);
  const card_present = fields.readFlag('card_present');
  const refund = fields.readFlag('refund') ?? false;
  const toAt = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
  const at_ms = fields.readParsed('at', toAt, 'an instant in ISO 8601 with an offset') ?? now_ms;
  if (at_ms < now_ms || at_ms > now_ms + try_days_max * day_ms) {
    const last = utcInstantAt(now_ms + try_days_max * day_ms);
    fields.addProblem('at', `must be from now, ${utcInstantAt(now_ms)}, to ${last}; it is ${utcInstantAt(at_ms)}`);
  }
  fields.refuseInvalid();
  return {
    amount: amount!,
    at_ms,
    refund,
    message: {
      expiry: null,
      mcc: mcc ?? '',
      merchant_currency: currency ?? limitCurrency(card),
      merchant_id,
      card_holder_transaction_type_code: refund ? '20' : null,
      details: {
        ...(merchant_name === null ? {} : { merchant_name: maskCardNumbers(merchant_name) }),
        ...(country === null ? {} : { merchant_country: toCountry(country) }),
        ...(card_present === null ? {} : { card_present }),
      },
    },
  };
}

/** The results that do not follow from what was sent. */
function givenIn(
  { mcc }: QuestionMessage,
  template: PurchaseTemplate,
  { refund, is_asked }: { readonly refund: boolean; readonly is_asked: boolean },
): GivenResult {
  const allows_all = template.mcc_rule === 'DENY' && template.mcc_list.length === 0;
  return ({ code, limit }: Reason) => {
    if (refund && limit) return 'not_applied';
    switch (code) {
      // A purchase is tried without an expiry and a code.
      case 'A':
      case 'C':
        return 'not_applied';
      case 'J':
        return mcc === '' && !allows_all ? 'unknown' : null;
      case 'P':
        return is_asked ? 'unknown' : 'not_applied';
      default:
        return null;
    }
  };
}

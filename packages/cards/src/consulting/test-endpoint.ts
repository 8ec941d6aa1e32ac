import { type Call, type Random, Refusal, type Timers, toHex } from '@tallystick/kernel';
import { tryDecision } from '../explaining/try-decision.ts';
import { findCard } from '../issuing/read-cards.ts';
import { type PurchaseRequest, simulatePurchase } from '../network/simulated-network.ts';
import type { CardVault } from '../numbers/card-vault.ts';
import { limitAmount, limitCurrency } from '../records/authorization.ts';
import { proposedItem } from '../records/authorization-item.ts';
import { askEndpoint, type EndpointExchange, type EndpointPorts } from './ask-endpoint.ts';
import type { DecisionEndpoint, DecisionEndpointTx } from './decision-endpoint.ts';
import { readDecisionEndpoint } from './manage-decision-endpoint.ts';
import type { Consultation } from './ports.ts';

/** A question that is only a test, and its endpoint. */
export interface TestQuestion {
  readonly endpoint: DecisionEndpoint;
  readonly consultation: Consultation;
}

export interface EndpointTest extends EndpointExchange {
  readonly ms: number;
}

/** Asks an endpoint once, and keeps nothing of it. */
export type EndpointTester = (question: TestQuestion) => Promise<EndpointTest>;

/**
 * The question that a purchase with the card would be. Refuses (`not_found`) without an endpoint, and
 * (`conflict`) a purchase that the card declines by itself: nothing would be sent.
 */
export async function testQuestion(
  tx: Parameters<typeof tryDecision>[0] & Parameters<typeof simulatePurchase>[0] & DecisionEndpointTx,
  ports: { readonly vault: CardVault; readonly random: Random },
  call: Call,
  request: PurchaseRequest,
): Promise<TestQuestion> {
  const endpoint = await readDecisionEndpoint(tx, call);
  const message = await simulatePurchase(tx, ports, call, request);
  const card = await findCard(tx, call, Number(request.vcn_id));
  const asked = limitAmount(card, message);
  const { merchant_currency, mcc, merchant_id } = message;
  const { merchant_name, merchant_country, card_present } = message.details;
  const merchant = { merchant_id, merchant_name, merchant_country, card_present };
  const purchase = { amount: asked, merchant_currency, mcc, ...merchant };
  const { decision } = await tryDecision(tx, call, card.id, purchase);
  if (decision.code !== 'V') {
    throw new Refusal('conflict', `nothing would be sent: the card declines the purchase (${decision.code})`);
  }
  const consultation: Consultation = {
    id: `dec_test_${toHex(ports.random.bytes(12))}`,
    company_id: call.company_id,
    item: proposedItem(message, card, decision),
    asked,
    currency: limitCurrency(card),
    partial_approval: message.details.partial_approval === true,
    asked_at_ms: call.now_ms,
    respond_by_ms: call.now_ms + endpoint.timeout_ms,
  };
  return { endpoint, consultation };
}

/** A tester that waits as long as for a decision. */
export function endpointTester(ports: EndpointPorts, timers: Pick<Timers, 'monotonicNow' | 'after'>): EndpointTester {
  return async ({ endpoint, consultation }) => {
    const ending = new AbortController();
    const begun_ms = timers.monotonicNow();
    const cancel = timers.after(endpoint.timeout_ms, () => ending.abort());
    try {
      const exchange = await askEndpoint(ports, endpoint, consultation, ending.signal, { is_test: true });
      return { ...exchange, ms: Math.ceil(timers.monotonicNow() - begun_ms) };
    } finally {
      cancel();
    }
  };
}

import {
  type FollowUpRequest,
  type PurchaseRequest,
  type SimulationPorts,
  simulateClearing,
  simulatePurchase,
  simulateRefund,
  simulateReversal,
} from '@tallystick/cards';
import type { Call, UnitOfWork } from '@tallystick/kernel';
import {
  amount,
  authorization_failure,
  authorization_item,
  clearing_item,
  currency,
  data_of_domain,
  id_either,
  short_text,
} from '@tallystick/operations';
import * as z from 'zod';
import type { HttpTx } from '../../request/http-tx.ts';
import { type ApiRequest, clientCall, type Route, route } from '../../request/route.ts';
import { answerAuthorization, answerClearing, type NetworkRoutePorts } from '../network/routes.ts';

const positive_amount = amount.min(1);

/** `POST /sandbox/v1/purchases`. */
export const purchase = z
  .object({
    data: z.object({
      vcn_id: id_either.describe('A virtual card of the company'),
      amount: positive_amount.describe('Minor units (cents) of the currency'),
      currency: currency
        .nullish()
        .describe("The merchant's. By default that of the card, else the billing currency. Converted at a rate of 1"),
      mcc: z
        .string()
        .regex(/^\d{4}$/, { error: () => 'must be four digits' })
        .nullish()
        .describe('By default 5411, groceries'),
      merchant_name: short_text.min(1).max(60).nullish(),
    }),
  })
  .meta({
    id: 'SandboxPurchase',
    description: 'A purchase with a virtual card',
    examples: [{ data: { vcn_id: 1, amount: 12_500, merchant_name: 'Corner Grocer' } }],
  });

/** What follows a purchase. */
export const follow_up = z
  .object({
    data: z.object({
      amount: positive_amount
        .nullish()
        .describe("Minor units of the currency of the card's limits. Absent: all that is left"),
    }),
  })
  .meta({ id: 'SandboxFollowUp', description: 'How much of an authorization', examples: [{ data: { amount: 40 } }] });

/** The ports that the routes need. */
export interface PurchaseRoutePorts extends NetworkRoutePorts, SimulationPorts {
  readonly unitOfWork: Pick<UnitOfWork<HttpTx>, 'read'>;
}

/** Makes the message that follows an authorization. */
type Simulate<Message> = (
  tx: HttpTx,
  ports: SimulationPorts,
  call: Call,
  authorization_id: number,
  request: FollowUpRequest,
) => Promise<Message>;

/**
 * Purchases with the company's cards, sent by the sandbox instead of a card network. Only in the
 * sandbox.
 */
export function purchaseRoutes(ports: PurchaseRoutePorts): readonly Route[] {
  const { unitOfWork } = ports;
  const common = { area: 'sandbox_purchases', tag: 'Sandbox', method: 'POST', body: data_of_domain } as const;
  const following = { ...common, documented_body: follow_up, refusals: ['conflict'] } as const;
  const follow = <Message>(simulate: Simulate<Message>, request: ApiRequest<z.output<typeof data_of_domain>>) =>
    unitOfWork.read((tx) => simulate(tx, ports, clientCall(request), request.id, request.body.data as FollowUpRequest));
  return [
    route({
      ...common,
      path: '/sandbox/v1/purchases',
      operation_id: 'sandbox.purchases.create',
      summary: 'Buy something with a virtual card',
      description:
        'Sends the authorization that a card network would send, with the number and the code of the card. The answer is that of /network/v1/authorizations: a decline is an answer, too.',
      documented_body: purchase,
      refusals: ['not_found'],
      answer: authorization_item,
      other_answers: { 503: authorization_failure },
      async perform(request) {
        const sent = request.body.data as unknown as PurchaseRequest;
        const call = clientCall(request);
        return await answerAuthorization(ports, await unitOfWork.read((tx) => simulatePurchase(tx, ports, call, sent)));
      },
    }),
    route({
      ...following,
      path: '/sandbox/v1/authorizations/:id/clear',
      operation_id: 'sandbox.authorizations.clear',
      summary: 'Clear an authorization',
      description:
        'Sends its clearing. By default for all that has not cleared; a smaller amount is a part, after which others may follow.',
      answer: clearing_item,
      perform: async (request) => await answerClearing(ports, await follow(simulateClearing, request)),
    }),
    route({
      ...following,
      path: '/sandbox/v1/authorizations/:id/reverse',
      operation_id: 'sandbox.authorizations.reverse',
      summary: 'Reverse an authorization',
      description: 'Sends its reversal, by default in full. An amount is what the reversal takes away.',
      answer: authorization_item,
      other_answers: { 503: authorization_failure },
      perform: async (request) => await answerAuthorization(ports, await follow(simulateReversal, request)),
    }),
    route({
      ...following,
      path: '/sandbox/v1/authorizations/:id/refund',
      operation_id: 'sandbox.authorizations.refund',
      summary: 'Refund a cleared purchase',
      description: 'Sends a clearing of the type CREDIT, by default for all that has cleared.',
      answer: clearing_item,
      perform: async (request) => await answerClearing(ports, await follow(simulateRefund, request)),
    }),
  ];
}

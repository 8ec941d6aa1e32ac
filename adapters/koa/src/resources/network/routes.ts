import {
  type AuthorizationInput,
  type AuthorizationMessage,
  type CardVault,
  type ClearingInput,
  type ClearingMessage,
  type Network,
  normalizeAuthorization,
  normalizeClearing,
  unread_item,
} from '@tallystick/cards';
import {
  authorization_failure,
  authorization_item,
  authorization_message,
  clearing_item,
  clearing_message,
  data_of_domain,
} from '@tallystick/operations';
import { type Answer, resource } from '../../answer/answer.ts';
import { retry_after_s } from '../../answer/error-answer.ts';
import type { Metrics } from '../../operations/metrics.ts';
import { type Route, route } from '../../request/route.ts';

/** The ports that the network's routes need. */
export interface NetworkRoutePorts {
  readonly network: Network;
  readonly vault: CardVault;
  readonly metrics: Pick<Metrics, 'decision'>;
}

/** `/network/v1`: receives authorizations and clearings (decision: network side). */
export function networkRoutes({ network, vault, metrics }: NetworkRoutePorts): readonly Route[] {
  return [
    route({
      area: 'network_messages',
      tag: 'Network',
      method: 'POST',
      path: '/network/v1/authorizations',
      operation_id: 'network.authorizations.decide',
      summary: 'Decide an authorization, or record an advice or a reversal',
      description:
        'An advice with the trace_id of an authorization that the card approved reports that decision: it is no second use, and changes the hold by what it reports differently. An internal fault is answered with 503 and the code U, and nothing is recorded as approved. Send the same message again to get the recorded outcome, if there is one. An advice that would take a sum of the card past its bound is refused with 409. Under overload the message is not read, and `data` contains only what does not depend on it.',
      body: data_of_domain,
      documented_body: authorization_message,
      refusals: ['conflict'],
      answer: authorization_item,
      other_answers: { 503: authorization_failure },
      refuseUnread: () => network.refuseUnread(),
      answerOverload(request_id) {
        metrics.decision(unread_item.decline_reason);
        return unableToProcess(unread_item, request_id);
      },
      async perform({ body, request_id, arrived_ms }) {
        const message = normalizeAuthorization(body.data as AuthorizationInput, vault, request_id);
        return await answerAuthorization({ network, metrics }, message, arrived_ms);
      },
    }),
    route({
      area: 'network_messages',
      tag: 'Network',
      method: 'POST',
      path: '/network/v1/clearings',
      operation_id: 'network.clearings.record',
      summary: 'Record a clearing',
      description:
        'A clearing of an unknown card, in another billing currency, with a transaction id of another card, or past the largest sum of a card is refused, and kept at /operator/v1/quarantine.',
      body: data_of_domain,
      documented_body: clearing_message,
      refusals: ['not_found', 'conflict'],
      answer: clearing_item,
      refuseUnread: () => network.refuseUnread(),
      async perform({ body, request_id, arrived_ms }) {
        const message = normalizeClearing(body.data as ClearingInput, vault, request_id);
        return await answerClearing({ network }, message, arrived_ms);
      },
    }),
  ];
}

/** Decides or records the message, and answers as the network's route does. */
export async function answerAuthorization(
  { network, metrics }: Pick<NetworkRoutePorts, 'network' | 'metrics'>,
  message: AuthorizationMessage,
  arrived_ms?: number,
): Promise<Answer> {
  const answer = await network.authorize(message, arrived_ms);
  if (answer.kind === 'refused') throw answer.refusal;
  metrics.decision(answer.code);
  return answer.fault ? unableToProcess(answer.item, message.request_id) : resource(answer.item);
}

/** Records the clearing, and answers as the network's route does. */
export async function answerClearing(
  { network }: Pick<NetworkRoutePorts, 'network'>,
  message: ClearingMessage,
  arrived_ms?: number,
): Promise<Answer> {
  const answer = await network.clear(message, arrived_ms);
  if (answer.kind === 'refused') throw answer.refusal;
  return resource(answer.item);
}

/**
 * The answer when a fault prevented the decision. The network still receives an item, with the code
 * U (DE39 96).
 */
function unableToProcess(item: unknown, request_id: string | null): Answer {
  return {
    status: 503,
    body: { data: item, error: 'unable to process; nothing was approved', code: 'unable_to_process', request_id },
    headers: { 'Retry-After': String(retry_after_s) },
  };
}

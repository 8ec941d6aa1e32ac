import {
  type AuthorizationInput,
  type AuthorizationMessage,
  type CardVault,
  type ClearingInput,
  type ClearingMessage,
  decisionForSender,
  type Network,
  normalizeAuthorization,
  normalizeClearing,
} from '@tallystick/cards';
import { data_of_domain } from '../fields.ts';
import { Interim, type Operation, type OperationCall, operation, shares_pass } from '../operation.ts';
import { authorization_item, authorization_message, clearing_item, clearing_message } from './shapes.ts';

export interface NetworkOperationPorts {
  readonly network: Network;
  readonly vault: CardVault;
  readonly metrics: {
    decision(code: string): void;
  };
}

/** Receives authorizations and clearings (decision: network side). */
export function networkOperations({ network, vault, metrics }: NetworkOperationPorts): readonly Operation[] {
  return [
    operation('network_messages', {
      id: 'network.authorizations.decide',
      method: 'network.authorize',
      summary: 'Decide an authorization, or record an advice or a reversal',
      description:
        'An advice with the trace_id of an authorization that the card approved reports that decision: it is no second use, and changes the hold by what it reports differently. A decline is an answer: `decline_reason` is not null. The code U means that the service could not decide, because of a fault or of load, and that nothing was approved. Send the same message again to get the recorded outcome, if there is one. An advice that would take a sum of the card past its bound is refused (`conflict`). Under overload the message is not read, and `data` contains only what does not depend on it.',
      body: data_of_domain,
      documented_body: authorization_message,
      refusals: ['conflict'],
      runs_alone: shares_pass,
      answer: authorization_item,
      async perform({ body, request_id, arrived_ms, is_patient }) {
        const message = normalizeAuthorization(body.data as AuthorizationInput, vault, request_id);
        return await decideMessage({ network, metrics }, message, { arrived_ms, is_patient });
      },
    }),
    operation('network_messages', {
      id: 'network.clearings.record',
      method: 'network.clear',
      summary: 'Record a clearing',
      description:
        'It is matched to its authorization by the fields that ClearingMessage names. A copy of a recorded clearing gets that one and changes nothing: it has the same `network_financial_transaction_id` and agrees in card, type, cycle, billing amount and currency and, where both state them, in acquirer reference, approval code and merchant amount. A clearing of an unknown card (`not_found`), in another billing currency, with the transaction id of another card or of a clearing with other content, with one that names nothing (zeros, or `5.55E+17` of a spreadsheet), or past the largest sum of a card (`conflict`) is refused, and kept in quarantine.',
      body: data_of_domain,
      documented_body: clearing_message,
      refusals: ['not_found', 'conflict'],
      runs_alone: shares_pass,
      answer: clearing_item,
      async perform({ body, request_id, arrived_ms }) {
        const message = normalizeClearing(body.data as ClearingInput, vault, request_id);
        return await recordClearing({ network }, message, arrived_ms);
      },
    }),
  ];
}

/** Decides or records a message. A fault that prevented the decision also has an item, with the code U. */
export async function decideMessage(
  { network, metrics }: Pick<NetworkOperationPorts, 'network' | 'metrics'>,
  message: AuthorizationMessage,
  { arrived_ms, is_patient }: Partial<Pick<OperationCall, 'arrived_ms' | 'is_patient'>> = {},
): Promise<unknown> {
  const answer = await network.authorize(message, arrived_ms, { is_patient });
  if (answer.kind === 'refused') throw answer.refusal;
  metrics.decision(answer.code);
  const { decision, ...unexplained } = answer.item;
  const item = message.explain ? { ...unexplained, decision: decisionForSender(decision) } : unexplained;
  return answer.fault ? new Interim('undecided', item) : item;
}

export async function recordClearing(
  { network }: Pick<NetworkOperationPorts, 'network'>,
  message: ClearingMessage,
  arrived_ms?: number,
): Promise<unknown> {
  const answer = await network.clear(message, arrived_ms);
  if (answer.kind === 'refused') throw answer.refusal;
  return answer.item;
}

import { maskCardNumbers } from '@tallystick/kernel';
import type { ClearingItem } from './clearing-item.ts';
import type { Network } from './network.ts';
import type { RematchMessage } from './rematch-message.ts';

/** What a person asks for about the match of a clearing, as `RematchMessage` describes it. */
export type RematchRequest = Omit<
  RematchMessage,
  'kind' | 'number_index' | 'company_id' | 'actor' | 'request_id' | 'act'
> &
  Partial<Pick<RematchMessage, 'act'>>;

/**
 * Matches a clearing by hand, takes it from its authorization, confirms its match, or takes a
 * confirmation back (decision: reconciliation). Returns the clearing as it is afterwards; then all
 * effects are durable. Masks card numbers in note and reason. Refuses what `Network.rematch`
 * refuses.
 */
export async function rematchByHand(
  { network }: { readonly network: Pick<Network, 'rematch'> },
  call: Pick<RematchMessage, 'company_id' | 'actor' | 'request_id'>,
  { act = null, ...request }: RematchRequest,
): Promise<ClearingItem> {
  const { company_id, actor, request_id } = call;
  const note = maskCardNumbers(request.note);
  const reason = request.reason === null ? null : maskCardNumbers(request.reason);
  const who = { company_id, actor, request_id };
  const answer = await network.rematch({
    kind: 'rematch',
    number_index: null,
    ...request,
    ...who,
    note,
    reason,
    act: act === null ? null : { ...act, note, reason },
  });
  if (answer.kind === 'refused') throw answer.refusal;
  return answer.item;
}

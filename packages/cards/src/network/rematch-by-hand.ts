import { maskCardNumbers } from '@tallystick/kernel';
import type { ClearingItem } from '../records/clearing-item.ts';
import type { MatchByHand, RematchMessage } from '../records/match-by-hand.ts';
import type { Network } from './network.ts';

/** What a person asks for about the match of a clearing. */
export type RematchRequest = MatchByHand &
  Pick<RematchMessage, 'note' | 'reason' | 'seen_acts'> &
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
  { act = null, seen_acts, note, reason, ...match }: RematchRequest,
): Promise<ClearingItem> {
  const { company_id, actor, request_id } = call;
  const masked = { note: maskCardNumbers(note), reason: reason === null ? null : maskCardNumbers(reason) };
  const answer = await network.rematch({
    kind: 'rematch',
    number_index: null,
    matches: [match],
    company_id,
    actor,
    request_id,
    ...masked,
    act: act === null ? null : { ...act, ...masked },
    seen_acts,
  });
  if (answer.kind === 'refused') throw answer.refusal;
  return answer.items[0]!;
}

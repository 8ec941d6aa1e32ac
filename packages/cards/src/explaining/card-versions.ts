import { type Call, type Page, type PageRequest, pageOfVersions, type Version } from '@tallystick/kernel';
import type { VirtualCard } from '../issuing/card.ts';
import { type CardState, cardStateOf } from '../issuing/card-version.ts';
import type { CardsTx } from '../issuing/ports.ts';
import { findCard } from '../issuing/read-cards.ts';

type VersionsTx = Pick<CardsTx, 'cards'>;

/** Lists the versions of a card, the newest first. Refuses (`not_found`) an unknown card. */
export async function listCardVersions(
  tx: VersionsTx,
  call: Pick<Call, 'company_id'>,
  id: number,
  page: PageRequest,
): Promise<Page<Version<CardState>>> {
  return await versionsOf(tx, await findCard(tx, call, id), page);
}

/** The versions of a card, the newest first. */
export function versionsOf(tx: VersionsTx, card: VirtualCard, page: PageRequest): Promise<Page<Version<CardState>>> {
  const { id, controls_version: version, created_at_ms } = card;
  const present = { version, state: cardStateOf(card), created_at_ms };
  return pageOfVersions('card_versions', present, page, (below, limit) => tx.cards.versionsBelow(id, below, limit));
}

/** The state of a card at a version; null: it is no longer known. */
export async function cardStateAt(tx: VersionsTx, card: VirtualCard, version: number): Promise<CardState | null> {
  if (version === card.controls_version) return cardStateOf(card);
  const [ended] = await tx.cards.versionsBelow(card.id, version + 1, 1);
  return ended?.version === version ? ended.state : null;
}

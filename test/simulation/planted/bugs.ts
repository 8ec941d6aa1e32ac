import * as consents from './consents.ts';
import * as delivery from './delivery.ts';
import * as files from './files.ts';
import * as ledger from './ledger.ts';
import type { PlantedBug } from './planted-bug.ts';
import * as subscriptions from './subscriptions.ts';
import * as upkeep from './upkeep.ts';

/** Every bug that can be planted. */
export const planted_bugs: readonly PlantedBug[] = [ledger, delivery, consents, subscriptions, upkeep, files].flatMap(
  (bugs) => Object.values(bugs),
);

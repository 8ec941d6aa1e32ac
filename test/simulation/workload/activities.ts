import type { Activity } from './activity.ts';
import { cards } from './cards.ts';
import { clearing_files } from './clearing-files.ts';
import { companies } from './companies.ts';
import { purchases } from './purchases.ts';
import { reconciliation } from './reconciliation.ts';
import { statements } from './statements.ts';
import { webhooks } from './webhooks.ts';

/** Everything that happens to the service, by theme. */
export const activities: readonly Activity[] = [
  ...companies,
  ...cards,
  ...purchases,
  ...clearing_files,
  ...statements,
  ...reconciliation,
  ...webhooks,
];

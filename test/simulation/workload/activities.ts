import type { Activity } from './activity.ts';
import { api_keys } from './api-keys.ts';
import { cards } from './cards.ts';
import { clearing_files } from './clearing-files.ts';
import { companies } from './companies.ts';
import { consents } from './consents.ts';
import { mails } from './mails.ts';
import { purchases } from './purchases.ts';
import { reconciliation } from './reconciliation.ts';
import { statements } from './statements.ts';
import { templates } from './templates.ts';
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
  ...mails,
  ...templates,
  ...api_keys,
  ...consents,
];

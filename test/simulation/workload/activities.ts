import type { Activity } from './activity.ts';
import { cards } from './cards.ts';
import { companies } from './companies.ts';
import { purchases } from './purchases.ts';
import { webhooks } from './webhooks.ts';

/** Everything that happens to the service, by theme. */
export const activities: readonly Activity[] = [...companies, ...cards, ...purchases, ...webhooks];

import { authorization_keys_step } from './authorization-keys-step.ts';
import type { BackfillStep } from './backfill-step.ts';
import { event_index_step } from './event-index-step.ts';
import { reconciliation_inbox_step } from './reconciliation-inbox-step.ts';

/** Every backfill, in the order in which their batches run. */
export const backfill_steps: readonly BackfillStep[] = [
  authorization_keys_step,
  event_index_step,
  reconciliation_inbox_step,
];

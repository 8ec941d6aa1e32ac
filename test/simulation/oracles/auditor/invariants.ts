import { acts_are_audited, the_audit_chain_verifies } from './audit.ts';
import { consents_move_forward, no_token_outlives_its_consent, reads_are_permitted } from './consents.ts';
import {
  attempts_were_made,
  receivers_get_what_was_committed,
  retries_follow_the_schedule,
  sequences_have_no_gap,
} from './deliveries.ts';
import { events_are_in_order, every_change_has_its_event, every_event_is_delivered } from './events.ts';
import type { Invariant } from './invariant.ts';
import { a_key_keeps_its_answer, a_lease_excludes_others } from './leases.ts';
import { limits_hold_online } from './limits.ts';
import { mails_are_sent_once, templates_become_active_once } from './mails.ts';
import { answers_are_stored, one_effect_per_message } from './messages.ts';
import { counters_are_sums, holds_are_of_open_authorizations, money_is_conserved } from './money.ts';
import { each_record_is_in_one_item, summaries_count_items, the_bridge_closes } from './reconciliation.ts';
import { only_old_rows_are_removed } from './retention.ts';
import {
  each_line_is_booked_once,
  files_are_applied_whole,
  statements_tie_out,
  truncated_files_apply_nothing,
} from './statements.ts';
import { subscriptions_have_one_effect } from './subscriptions.ts';
import { ended_holds_hold_nothing, holds_end_on_their_day, windows_tile_time } from './time.ts';

/** Every invariant that the auditor checks, by theme. */
export const invariants: readonly Invariant[] = [
  counters_are_sums,
  holds_are_of_open_authorizations,
  money_is_conserved,
  limits_hold_online,
  one_effect_per_message,
  answers_are_stored,
  windows_tile_time,
  holds_end_on_their_day,
  ended_holds_hold_nothing,
  every_change_has_its_event,
  events_are_in_order,
  every_event_is_delivered,
  sequences_have_no_gap,
  retries_follow_the_schedule,
  receivers_get_what_was_committed,
  attempts_were_made,
  subscriptions_have_one_effect,
  mails_are_sent_once,
  templates_become_active_once,
  statements_tie_out,
  each_line_is_booked_once,
  truncated_files_apply_nothing,
  files_are_applied_whole,
  each_record_is_in_one_item,
  the_bridge_closes,
  summaries_count_items,
  consents_move_forward,
  no_token_outlives_its_consent,
  reads_are_permitted,
  a_lease_excludes_others,
  a_key_keeps_its_answer,
  the_audit_chain_verifies,
  acts_are_audited,
  only_old_rows_are_removed,
];

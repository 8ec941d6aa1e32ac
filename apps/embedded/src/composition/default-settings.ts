import {
  decision_ms_max_default,
  mails_kept_days_default,
  network_wait_ms_max_default,
  unknown_numbers_kept_days_default,
} from '@tallystick/cards';
import { deliveries_kept_days_default } from '@tallystick/events';
import { bodies_bytes_max_default, requests_max_default } from '@tallystick/koa';
import { database_connections_max_default } from '@tallystick/mikro-orm';
import { statement_key_default } from '@tallystick/reconciliation';
import type { Settings } from './settings.ts';

/** The settings that have a default. Times in milliseconds. */
export const default_settings = {
  bank_name: 'Your bank',
  console: false,
  console_provider: null,
  v1_deprecation: null,
  template_completion_delay_ms: 5_000,
  database_connections_max: database_connections_max_default,
  network_wait_ms_max: network_wait_ms_max_default,
  decision_ms_max: decision_ms_max_default,
  requests_max: requests_max_default,
  bodies_bytes_max: bodies_bytes_max_default,
  unknown_numbers_kept_days: unknown_numbers_kept_days_default,
  statement_key: statement_key_default,
  kept_days: {
    delivery_attempts: deliveries_kept_days_default,
    deliveries: deliveries_kept_days_default,
    events: null,
    clearings: null,
    authorizations: null,
    mails: mails_kept_days_default,
    /** The longest time that a third party waits for its user. */
    consents: 90,
    audit_entries: null,
  },
} as const satisfies Partial<Settings>;

/** The name of the bank on the pages of a sandbox. */
export const sandbox_bank_name = 'Tallystick sandbox bank';

/** The sender of a sandbox's mails, which no mail server gets. */
export const sandbox_sender: Settings['mail_from'] = {
  name: 'Tallystick sandbox',
  address: 'no-reply@sandbox.invalid',
};

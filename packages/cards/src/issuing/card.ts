import { type Money, money } from '@tallystick/kernel';
import type { MerchantControls } from '@tallystick/templates';
import type { Recurring } from '@tallystick/velocity';
import type { Details } from './details.ts';

/** The client's real card, to which virtual cards belong (decision: virtual cards, `rcn_id`). */
export interface RealCard {
  /** The `rcn_id` of its virtual cards. */
  readonly id: number;
  readonly company_id: number;
  readonly alias: string;
  /** ISO 4217 alphabetic code. */
  readonly billing_currency: string;
  /** The leading digits of every virtual card number in its account range: 6 to 12 digits. */
  readonly account_range: string;
  /** Whether its program has velocity control; without it only Continuous is allowed. */
  readonly velocity_enabled: boolean;
  /** The network_data names that it accepts. Null: any. */
  readonly network_data_names: readonly string[] | null;
  /** Whether it is the company's default. A company has one default. */
  readonly is_default: boolean;
  readonly created_at_ms: number;
}

export const card_statuses = ['Approved', 'Canceled'] as const;

export type CardStatus = (typeof card_statuses)[number];

/**
 * The controls of a card: the purchases that it allows (service specification 2.1, 2.2). Amounts
 * are in the card's limit currency.
 */
export interface Controls {
  readonly per_transaction_min: Money;
  readonly per_transaction_max: Money;
  /** True when the client named no maximum. The maximum then follows `total_card_amount`. */
  readonly per_transaction_max_defaulted: boolean;
  readonly total_card_amount: Money;
  /** Uses per window; null: unlimited. */
  readonly transactions_max: number | null;
  /** Null with aging velocity. */
  readonly recurring: Recurring | null;
  /** Both set with aging velocity, else both null. */
  readonly authorization_hold_days: number | null;
  readonly aging_velocity_time_zone: string | null;
  /**
   * If set, purchases must be in this merchant currency, and limits compare with merchant amounts.
   */
  readonly currency: string | null;
  /** GMT dates, YYYY-MM-DD, both included. */
  readonly valid_starting_on: string;
  readonly valid_ending_on: string;
  readonly template_id: number;
  /** Beside those of the template: both must allow. Null: any merchant. */
  readonly merchant_controls: MerchantControls | null;
}

/**
 * The usage of a card in one window. Each counter equals the sum of the rows that count in the
 * window.
 */
export interface WindowCounters {
  /** 0 for Continuous and for aging velocity. */
  readonly window_start_ms: number;
  readonly held: Money;
  /**
   * Debits less credits that cleared in the window. Below 0 when credits exceed debits; a balance
   * then counts it as 0 (decision: clearing). So the order of arrival does not matter.
   */
  readonly cleared: Money;
  /**
   * Uses of the window: approved requests and approved advices that are not fully reversed, and
   * forced debit clearings.
   */
  readonly uses: number;
}

/**
 * The usage of a card in its newest window, which never goes back. The counters are exact, with one
 * exception: ended holds still count until a pass or a sweep marks them expired.
 */
export interface Counters extends WindowCounters {
  /**
   * The earliest end of an open aging hold of the card. Null when there is none. It may be early,
   * and is never late.
   */
  readonly next_hold_end_ms: number | null;
  /** The wrong codes of the messages of `code_failures_on`, at most `code_failures_max`. */
  readonly code_failures: number;
  /** The UTC date, YYYY-MM-DD, of the last wrong code. Null when there was none. */
  readonly code_failures_on: string | null;
}

export function newCounters(window_start_ms: number): Counters {
  const none = money(0);
  return {
    window_start_ms,
    held: none,
    cleared: none,
    uses: 0,
    next_hold_end_ms: null,
    code_failures: 0,
    code_failures_on: null,
  };
}

/** A virtual card as stored, without its number. */
export interface VirtualCard extends Controls, Details {
  readonly id: number;
  readonly company_id: number;
  readonly rcn_id: number;
  /** The real card's alias and billing currency, joined. */
  readonly rcn_alias: string;
  readonly billing_currency: string;
  readonly status: CardStatus;
  readonly last4: string;
  /** YYYY-MM. The last instant of use is the last day of that month, 23:59:59 UTC. */
  readonly expiry: string;
  readonly notified: boolean;
  readonly supplier_id: number | null;
  readonly created_at_ms: number;
  readonly canceled_at_ms: number | null;
  /** The number of its state (`CardState`): 1 at first, one more with each change of it. */
  readonly controls_version: number;
  /** Since when the card is frozen: it declines requests. Null: it is not frozen. */
  readonly frozen_at_ms: number | null;
  readonly counters: Counters;
}

export interface SealedNumber {
  /** AES-256-GCM: key id, nonce, ciphertext and tag in one value. The vault defines its format. */
  readonly number_sealed: Uint8Array;
  /** The id of the key that sealed it. A rotation finds old values by it. */
  readonly number_key_id: string;
  /** Keyed hash of the number, for look-up; unique. */
  readonly number_index: Uint8Array;
}

/** What an item of an authorization or a clearing shows of its card. */
export type CardOfItem = Pick<
  VirtualCard,
  'id' | 'company_id' | 'rcn_id' | 'rcn_alias' | 'billing_currency' | 'last4' | 'recurring'
>;

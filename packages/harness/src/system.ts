/**
 * The system that the harness drives: any implementation of the service, embedded, behind HTTP, or
 * our use cases over a host's adapters. The values are those of the wire (service specification 2),
 * so that no code of ours is between a message and the system that answers it.
 *
 * The optional members are capabilities. Commands and cases that need an absent one are left out.
 */
export interface System {
  /** The surroundings of the run; read once, before the first command. */
  readonly world: World;
  /**
   * `request` is the content of `data`. The answer contains the number and the code in plain text.
   */
  createCard(request: CardRequest): Promise<Answer<CreatedCard>>;
  /**
   * `request` is the content of `data`: only the changes. A value is kept for good, also when it is
   * the one that the card has by default.
   */
  updateCard?(id: number, request: CardRequest): Promise<Answer<CardView>>;
  /** Cancels the card. A repeated cancellation is no error and writes no second event. */
  cancelCard?(id: number): Promise<Answer<null>>;
  readCard(id: number): Promise<Answer<CardView>>;
  authorize(message: AuthorizationWire): Promise<Answer<AuthorizationView>>;
  clear?(message: ClearingWire): Promise<Answer<ClearingView>>;
  /**
   * Ends the hold of an authorization by hand. Refuses `conflict` when it holds nothing.
   */
  releaseHold?(card_id: number, authorization_id: number, note: string): Promise<Answer<null>>;
  /** Freezes or unfreezes a card; a repeat changes nothing. Refuses `conflict` for a canceled card. */
  setFrozen?(card_id: number, frozen: boolean): Promise<Answer<null>>;
  /**
   * Matches a clearing by hand, or takes that back. Refuses `conflict` what cannot be done, and
   * `validation_failed` an authorization that is not one of the card.
   */
  rematch?(request: RematchWire): Promise<Answer<null>>;
  /**
   * Changes the days after which later holds of the company end, for cards without aging velocity.
   */
  setHoldDays?(hold_days: HoldDays): Promise<Answer<null>>;
  /**
   * From now on the company is asked about each request that would be approved, and says what `say` of
   * the message is, or approves. What stands in for it counts when it gives no answer that fits. Null:
   * it is not asked any more.
   */
  askCompany?(stand_in: StandIn | null): Promise<Answer<null>>;
  resetCodeFailures?(card_id: number): Promise<Answer<null>>;
  /** Every clearing of the run that was refused and kept, oldest first. */
  quarantine?(): Promise<readonly QuarantineView[]>;
  /**
   * Sends a clearing of the quarantine again, and resolves with the id of the recorded clearing.
   * Refuses `conflict` when it is refused again or was applied before.
   */
  replay?(quarantine_id: number): Promise<Answer<{ readonly clearing_id: number }>>;
  /** Moves the clock forward to this instant, epoch milliseconds. Otherwise the clock is frozen. */
  advanceClock?(to_ms: number): Promise<void>;
  /** Every event of the run's company so far, oldest first. */
  events?(): Promise<readonly EventView[]>;
  /**
   * Kills the service without warning, and resolves when it answers again. Work in flight is lost,
   * and what is committed stays. A call in flight rejects, unless it was answered before.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most systems have nothing to report
  crash?(): Promise<CrashReport | void>;
  /** Called once when the sequence has ended, even after a failure. */
  close(): Promise<void>;
}

/** What became of the transactions that were open when a service crashed, as far as it knows. */
export interface CrashReport {
  readonly committed?: number;
  readonly rolled_back?: number;
}

/** What a new system is created with. */
export interface SystemStart {
  /**
   * A proposal, epoch milliseconds. `world.now_ms` says where the system really begins, and the
   * harness only moves the clock forward from there.
   */
  readonly start_ms: number;
  /** For what the system draws at random. Replaying a sequence repeats it. */
  readonly seed: number;
}

/** What a system may or may not be able to do: the names of the optional members of `System`. */
export type CapabilityName = {
  [Name in keyof System]-?: object extends Pick<System, Name> ? Name : never;
}[keyof System];

/** A system that has these capabilities. */
export type SystemWith<Name extends CapabilityName> = System & Required<Pick<System, Name>>;

const capabilities: Readonly<Record<CapabilityName, true>> = {
  updateCard: true,
  cancelCard: true,
  clear: true,
  releaseHold: true,
  setFrozen: true,
  rematch: true,
  setHoldDays: true,
  askCompany: true,
  resetCodeFailures: true,
  quarantine: true,
  replay: true,
  advanceClock: true,
  events: true,
  crash: true,
};

const required: Readonly<Record<Exclude<keyof System, CapabilityName>, true>> = {
  world: true,
  createCard: true,
  readCard: true,
  authorize: true,
  close: true,
};

const required_of_world = ['tag', 'now_ms', 'billing_currency', 'templates'] as const;

/** Throws a TypeError that names the required members that are absent. */
export function requireMembers(system: System | undefined): asserts system is System {
  const names = Object.keys(required) as (keyof typeof required)[];
  const world: Partial<World> = system?.world ?? {};
  const absent = [
    ...names.filter((name) => system?.[name] === undefined),
    ...required_of_world.filter((name) => world[name] === undefined).map((name) => `world.${name}`),
  ];
  if (absent.length > 0) throw new TypeError(`the system lacks ${absent.join(', ')}`);
}

export function can<Name extends CapabilityName>(system: System, name: Name): system is SystemWith<Name> {
  return system[name] !== undefined;
}

export function capabilitiesOf(system: System): ReadonlySet<CapabilityName> {
  const names = Object.keys(capabilities) as CapabilityName[];
  return new Set(names.filter((name) => can(system, name)));
}

/**
 * The surroundings of a run: one new company per sequence, with one real card and some templates.
 */
export interface World {
  /** Unique among all runs on one database; part of every id that the network generates. */
  readonly tag: string;
  /** The clock at the start, epoch milliseconds. */
  readonly now_ms: number;
  /**
   * The currency of the company's default real card. Velocity control is enabled for its program.
   */
  readonly billing_currency: string;
  /** ACTIVE templates that the company may use, including the shared defaults. */
  readonly templates: readonly WorldTemplate[];
  /**
   * Whether clearings also come from files whose format has no transaction ids. Absent: none has a
   * `synthetic_id`, as over HTTP.
   */
  readonly files_without_ids?: boolean;
  /**
   * Whether cards have merchant controls, an extension of ours. Absent: none is sent, and no message
   * names its merchant.
   */
  readonly merchant_controls?: boolean;
  /**
   * False: authorizations that are submitted together are decided in any order, as over several
   * connections. Otherwise those about one card are decided in the order of their submission.
   */
  readonly keeps_order?: boolean;
}

/**
 * With which merchants a card may be used, as a client sends and reads it. Entries are trimmed, each
 * once; countries are ISO 3166-1 alpha-3.
 */
export interface MerchantControlsWire {
  readonly merchant_ids: AllowAndDenyWire | null;
  readonly merchant_names: AllowAndDenyWire | null;
  readonly countries: AllowAndDenyWire | null;
  readonly card_present: 'required' | 'forbidden' | null;
}

export interface AllowAndDenyWire {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
}

export interface WorldTemplate {
  readonly id: number;
  readonly mcc_rule: 'ALLOW' | 'DENY';
  readonly mcc_list: readonly string[];
  /** Absent: any merchant of these categories. */
  readonly merchant_controls?: MerchantControlsWire | null;
  readonly required_control: 'VELOCITY' | 'AGING_VELOCITY';
  /** Whether a card without a template of its own gets this one, for its kind of control. */
  readonly is_default: boolean;
}

/**
 * Success, or an expected error with its code and the paths of the invalid fields. A decline is an
 * answer, not an error.
 */
export type Answer<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'refused'; readonly code: string; readonly fields: readonly string[] };

/** Create and update parameters of a card, as a client sends them: any JSON. */
export type CardRequest = Readonly<Record<string, unknown>>;

/** A card as a client reads it. Amounts in minor units. */
export interface CardView {
  readonly id: number;
  readonly status: string;
  readonly available_balance: number;
  /**
   * Uses that count in the current window, or null if the system under test does not report them.
   */
  readonly uses: number | null;
  readonly total_card_amount: number;
  readonly per_transaction_min: number;
  readonly per_transaction_max: number;
  readonly transactions_max: number | null;
  readonly recurring: string | null;
  readonly authorization_hold_days: number | null;
  readonly aging_velocity_time_zone: string | null;
  readonly currency: string | null;
  readonly valid_starting_on: string;
  readonly valid_ending_on: string;
  readonly expiry: string;
  readonly template_id: number;
  readonly notified: boolean;
  /** Compared if the system shows it, like the next five. */
  readonly frozen?: boolean;
  readonly balance?: BalanceView;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly emails?: readonly string[] | null;
  readonly supplier_id?: number | null;
  readonly merchant_controls?: MerchantControlsWire | null;
  /**
   * The newest 100, newest first, without expired ones. Null if the system does not list all: it
   * removes old records, which must make no other difference.
   */
  readonly authorizations: readonly { readonly id: number; readonly status: string }[] | null;
  /** The newest 100, newest first, or null for the same reason. */
  readonly clearings: readonly ClearingView[] | null;
}

/** What the available balance of a card is made of. Instants are epoch milliseconds. */
export interface BalanceView {
  readonly limit: number;
  readonly cleared: number;
  readonly held: number;
  readonly available: number;
  /** The creation of a card whose window never ends. */
  readonly window_start_ms: number;
  /** Null: never. */
  readonly window_end_ms: number | null;
  readonly uses: number;
  /** Null: unlimited. */
  readonly uses_left: number | null;
  /** The earliest end of the holds of the window; null: none of them ends. */
  readonly next_hold_end_ms: number | null;
}

export interface CreatedCard {
  readonly card: CardView;
  readonly card_number: string;
  readonly cvc: string;
}

/** What a company answers about a request; a part in the limit currency. `none`: it gives no answer. */
export type SayWire =
  | { readonly answer: 'approve' | 'decline' }
  | { readonly answer: 'none' }
  | { readonly answer: 'approve_part'; readonly amount: number };

/** What decides about a request when its company gives no answer that fits. */
export type StandIn = 'approve' | 'decline';

/** An authorization message of the network, with the unmasked number. Amounts in minor units. */
export interface AuthorizationWire {
  readonly card_number: string;
  /** YYYY-MM. */
  readonly expiry?: string;
  readonly cvc?: string;
  readonly message_type_indicator: string;
  readonly incremental?: boolean;
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  /** ISO 8601 instant. */
  readonly transaction_date_time: string;
  readonly billing_amount: number;
  readonly billing_currency: string;
  readonly merchant_amount: number;
  readonly merchant_currency: string;
  readonly mcc: string;
  readonly merchant_id?: string;
  readonly merchant_name?: string;
  /** ISO 3166-1 alpha-3. */
  readonly merchant_country?: string;
  readonly card_present?: boolean;
  /** Whether a part of the amount may be approved. */
  readonly partial_approval?: boolean;
  /** What the company says when it is asked: no part of the message. Only with `askCompany`. */
  readonly say?: SayWire;
  readonly net_reference_number?: string;
  /** DE39 of the decision made elsewhere, for an advice. */
  readonly response_code?: string;
  readonly card_holder_transaction_type_code?: string;
  readonly replacement_amounts?: {
    readonly billing_amount: number | null;
    readonly settlement_amount: number | null;
    readonly transaction_amount: number | null;
  };
  /** The same under the names of service specification 2.9. */
  readonly 'replacement_amounts.billing_amount'?: number | null;
  readonly 'replacement_amounts.settlement_amount'?: number | null;
  readonly 'replacement_amounts.transaction_amount'?: number | null;
}

export interface AuthorizationView {
  readonly id: number | null;
  /** DE39. */
  readonly response_code: string;
  /** The text of the reason table. */
  readonly vcn_response: string;
  readonly issuer_response: string;
  readonly approval_code: string | null;
  readonly status: string;
  /**
   * What the window of a request had left, in the limit currency: after an approval, and before a
   * decline because it was too little. Absent: the system does not report it.
   */
  readonly left?: number | undefined;
}

/** A clearing as the network sends it. Amounts in minor units. */
export interface ClearingWire {
  readonly card_number?: string;
  readonly vcn_id?: number;
  readonly network_financial_transaction_id: string;
  readonly clearing_type: 'DEBIT' | 'CREDIT';
  readonly partial?: boolean;
  readonly cycle?: 'second_presentment' | 'chargeback' | 'reversal';
  readonly billing_amount: number;
  readonly billing_currency: string;
  readonly merchant_amount: number;
  readonly merchant_currency: string;
  /** YYYY-MM-DD. */
  readonly settlement_date: string;
  /** YYYY-MM-DD. */
  readonly authorization_date?: string;
  readonly acquirer_reference_data?: string;
  readonly approval_code?: string;
  readonly net_reference_number?: string;
  readonly merchant_id?: string;
  readonly mcc?: string;
  /** The transaction id was made from a file, because its format has none. */
  readonly synthetic_id?: true;
}

/** What a person asks for about the match of a clearing. */
export interface RematchWire {
  readonly vcn_id: number;
  readonly clearing_id: number;
  /** Null: the clearing is taken from its authorization, or a confirmation is taken back. */
  readonly authorization_id: number | null;
  readonly is_confirmation: boolean;
  readonly expected_authorization_id: number | null;
  readonly expected_matched_by: 'rule' | 'person';
}

/** A clearing as it is matched at present. Null if the system does not report it, except the ids. */
export interface ClearingView {
  readonly id: number;
  readonly class: string | null;
  /** The rule that matched it, 1..8, or 9: a person did. */
  readonly match_rule: number | null;
  readonly review: boolean | null;
  readonly authorization_id: number | null;
  readonly clearing_id: number | null;
}

/** A number of days, no end at all, or null: the default of 30 days. */
export type HoldDays = number | 'never' | null;

/** A clearing that was refused and kept. */
export interface QuarantineView {
  readonly id: number;
  readonly status: 'quarantined' | 'applied';
  readonly reason:
    | 'unknown_card'
    | 'transaction_of_another_card'
    | 'transaction_of_another_clearing'
    | 'other_billing_currency'
    | 'sum_limit';
  readonly count: number;
  readonly network_financial_transaction_id: string;
  /** The recorded clearing, once a replay applied it. */
  readonly clearing_id: number | null;
}

export interface EventView {
  readonly event_type: string;
  readonly vcn_id: number | null;
  readonly created_at_ms: number;
}

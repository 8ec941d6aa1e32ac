import {
  amount_max,
  cardNumbersIn,
  isStorable,
  isWithin,
  type Money,
  maskCardNumbers,
  money,
  RequestFields,
  Temporal,
} from '@tallystick/kernel';
import type { CardVault } from '../numbers/card-vault.ts';
import { card_number_form, Pan } from '../numbers/pan.ts';
import type { SuspectNumber } from '../numbers/suspect-number.ts';
import { type AuthorizationMessage, type MessageType, message_types } from './authorization.ts';
import { authorization_detail_names } from './authorization-item.ts';
import {
  type ClearingMessage,
  type ClearingOrigin,
  clearing_cycles,
  clearing_types,
  network_origin,
} from './clearing.ts';
import { clearing_detail_names } from './clearing-item.ts';
import { country_code_expected, isCountryCode, toCountry } from './merchant.ts';

type Sent<Value> = Value | null | undefined;

type ReplacementAmount = keyof NonNullable<AuthorizationMessage['replacement_amounts']>;

/**
 * An authorization message as the network sends it (service specification 2.9; decision: network
 * side). A null counts as absent.
 */
export type AuthorizationInput = {
  readonly [Name in (typeof authorization_detail_names)[number] | 'transaction_type']?: Sent<string>;
} & {
  /**
   * The names of service specification 2.9, beside or instead of the object `replacement_amounts`.
   */
  readonly [Name in `replacement_amounts.${ReplacementAmount}`]?: Sent<number>;
} & {
  /** In plain text. */
  readonly card_number: string;
  /** YYYY-MM. */
  readonly expiry?: Sent<string>;
  readonly cvc?: Sent<string>;
  /** "Authorization Request" or 0100, and so on. */
  readonly message_type_indicator: string;
  readonly incremental?: Sent<boolean>;
  /** A request: whether a part of its amount may be approved. */
  readonly partial_approval?: Sent<boolean>;
  readonly explain?: Sent<boolean>;
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  /** ISO 8601 with an offset. */
  readonly transaction_date_time: string;
  /** Minor units, as all amounts. */
  readonly billing_amount: number;
  readonly billing_currency: string;
  readonly merchant_amount: number;
  readonly merchant_currency: string;
  readonly mcc: string;
  readonly response_code?: Sent<string>;
  readonly approval_code?: Sent<string>;
  readonly net_reference_number?: Sent<string>;
  readonly merchant_id?: Sent<string>;
  /** ISO 3166-1; absent: by `merchant_state_or_country_code`, where it is a country. */
  readonly merchant_country?: Sent<string>;
  /** Absent: not known. */
  readonly card_present?: Sent<boolean>;
  readonly replacement_amounts?: Sent<{ readonly [Name in ReplacementAmount]?: Sent<number> }>;
};

/**
 * A clearing as the network or a file sends it (service specification 2.10). A null counts as
 * absent.
 */
export type ClearingInput = {
  readonly [Name in (typeof clearing_detail_names)[number]]?: Sent<string>;
} & {
  /** In plain text; or `vcn_id`, beside which a masked number is ignored. */
  readonly card_number?: Sent<string>;
  readonly vcn_id?: Sent<number | string>;
  readonly network_financial_transaction_id: string;
  readonly billing_amount: number;
  readonly billing_currency: string;
  readonly clearing_type: string;
  /** YYYY-MM-DD, or an ISO 8601 date and time whose date counts. */
  readonly settlement_date: string;
  readonly partial?: Sent<boolean>;
  /** First presentment when absent. */
  readonly cycle?: Sent<string>;
  readonly merchant_amount?: Sent<number>;
  readonly merchant_currency?: Sent<string>;
  readonly acquirer_reference_data?: Sent<string>;
  readonly approval_code?: Sent<string>;
  readonly net_reference_number?: Sent<string>;
  readonly merchant_id?: Sent<string>;
  readonly mcc?: Sent<string>;
  readonly authorization_date?: Sent<string>;
};

/**
 * Reads an authorization message. Refuses it (`validation_failed`) with every invalid field.
 * Messages contain no number and no cvc.
 */
export function normalizeAuthorization(
  input: AuthorizationInput,
  vault: Pick<CardVault, 'index'>,
  request_id: string | null,
): AuthorizationMessage {
  const fields = new RequestFields(input);
  const read = new MessageFields(fields, vault);
  fields.require('card_number');
  const pan = read.number('card_number');
  const cvc = fields.readSecret('cvc', (text) => /^\d{3,4}$/.test(text), 'three or four digits');
  const message_type = read.messageType();
  const amounts = {
    billing_amount: read.requiredAmount('billing_amount'),
    billing_currency: read.currency('billing_currency', { required: true }) ?? '',
    merchant_amount: read.requiredAmount('merchant_amount'),
    merchant_currency: read.currency('merchant_currency', { required: true }) ?? '',
  };
  const reversal = message_type === '0400' || message_type === '0420';
  const advice = message_type === '0120';
  const response_code = fields.readText(
    'response_code',
    (code) => /^[0-9A-Za-z]{2}$/.test(code),
    'two characters of DE39',
  );
  const replacement_amounts = read.replacementAmounts();
  const declined_code = advice && response_code !== null && response_code !== '00' ? { response_code } : {};
  const in_part = fields.readFlag('partial_approval') && message_type === '0100' ? { partial_approval: true } : {};
  const replaced = reversal && replacement_amounts !== null ? { replacement_amounts } : {};
  const message = {
    kind: 'authorization' as const,
    expiry: fields.readText('expiry', (text) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text), 'a month, as YYYY-MM'),
    cvc,
    message_type: message_type ?? '0100',
    // Only a message that requests an amount can increase one.
    incremental: (fields.readFlag('incremental') ?? false) && !reversal,
    explain: fields.readFlag('explain') ?? false,
    trace_id: read.requiredText('trace_id'),
    system_trace_audit_number: read.requiredText('system_trace_audit_number'),
    transaction_date_time_ms: read.instant('transaction_date_time'),
    ...amounts,
    mcc: read.mcc({ required: true }) ?? '',
    response_code,
    approval_code: read.approvalCode(),
    card_holder_transaction_type_code: read.text('card_holder_transaction_type_code'),
    replacement_amounts: reversal ? replacement_amounts : null,
    net_reference_number: read.text('net_reference_number'),
    merchant_id: read.text('merchant_id'),
    details: { ...read.details(sent_detail_names), ...declined_code, ...replaced, ...in_part, ...read.merchant() },
    suspects: read.suspects(),
    request_id,
  };
  fields.refuseInvalid();
  return { ...message, pan: pan!, number_index: vault.index(pan!) };
}

/**
 * Reads a clearing. Refuses it (`validation_failed`) with every invalid field. Messages contain no
 * number. `origin` is what a file says of it; absent for a message of the network.
 */
export function normalizeClearing(
  input: ClearingInput,
  vault: Pick<CardVault, 'index'>,
  request_id: string | null,
  origin: ClearingOrigin = network_origin,
): ClearingMessage {
  const fields = new RequestFields(input);
  const read = new MessageFields(fields, vault);
  const vcn_id = fields.readId('vcn_id');
  const sent_number: unknown = input.card_number;
  const masked = vcn_id !== null && typeof sent_number === 'string' && /^[*xX]/.test(sent_number);
  const pan = masked ? null : read.number('card_number');
  if (!fields.has('card_number') && !fields.has('vcn_id')) {
    fields.addProblem('card_number', 'is required, or vcn_id in its place');
  } else if (vcn_id !== null && pan !== null) {
    fields.addProblem('vcn_id', 'must not be sent with an unmasked card_number: one of them names the card');
  }
  const merchant_amount = fields.readAmount('merchant_amount', 0);
  const merchant_currency = read.currency('merchant_currency', { required: false });
  if (
    fields.areSound('merchant_amount', 'merchant_currency') &&
    (merchant_amount === null) !== (merchant_currency === null)
  ) {
    fields.addProblem(
      merchant_amount === null ? 'merchant_amount' : 'merchant_currency',
      'is required beside the other',
    );
  }
  fields.require('clearing_type');
  const message = {
    kind: 'clearing' as const,
    vcn_id,
    network_financial_transaction_id: read.requiredText('network_financial_transaction_id'),
    cycle: fields.readChoice('cycle', clearing_cycles) ?? 'first_presentment',
    clearing_type: fields.readChoice('clearing_type', clearing_types) ?? 'DEBIT',
    partial: fields.readFlag('partial') ?? false,
    billing_amount: read.requiredAmount('billing_amount'),
    billing_currency: read.currency('billing_currency', { required: true }) ?? '',
    merchant_amount,
    merchant_currency,
    acquirer_reference_data: read.text('acquirer_reference_data'),
    approval_code: read.approvalCode(),
    net_reference_number: read.text('net_reference_number'),
    merchant_id: read.text('merchant_id'),
    mcc: read.mcc({ required: false }),
    settlement_date: read.day('settlement_date', { required: true }) ?? '',
    authorization_date: read.day('authorization_date', { required: false }),
    details: read.details(clearing_detail_names),
    suspects: read.suspects(),
    synthetic_id: origin.synthetic_id,
    last4: origin.last4,
    place: origin.place,
    request_id,
  };
  fields.refuseInvalid();
  return { ...message, pan, number_index: pan === null ? null : vault.index(pan) };
}

/**
 * The longest text in a network message, in characters (code points). Such a text may have any
 * character that every database can store (decision: network side): it is stored, searched and
 * shown as received.
 */
export const network_text_length_max = 255;
export const network_text_expected = `text of at most ${network_text_length_max} characters, without U+0000 and halves of surrogate pairs`;

const message_type_of: ReadonlyMap<string, MessageType> = new Map(
  (Object.keys(message_types) as MessageType[]).flatMap((type) => [
    [type, type],
    [message_types[type], type],
  ]),
);
const message_type_indicators = [...message_type_of.keys()];

const sent_detail_names = [...authorization_detail_names, 'transaction_type'];

/** The year 10000: from then on instants and dates are written differently. */
const instant_end_ms = 253_402_300_800_000;

/**
 * Reads the kinds of value that network messages have. Each reader reports its problem to `fields`
 * and then returns a placeholder.
 */
class MessageFields {
  readonly #fields: RequestFields;
  readonly #vault: Pick<CardVault, 'index'>;
  readonly #suspects: SuspectNumber[] = [];
  #pan: Pan | null = null;

  constructor(fields: RequestFields, vault: Pick<CardVault, 'index'>) {
    this.#fields = fields;
    this.#vault = vault;
  }

  /** A card number. The problem never repeats it. */
  number(name: string): Pan | null {
    const digits = this.#fields.readSecret(name, (text) => card_number_form.test(text), '12 to 19 digits');
    this.#pan = digits === null ? null : new Pan(digits);
    return this.#pan;
  }

  messageType(): MessageType | null {
    this.#fields.require('message_type_indicator');
    const indicator = this.#fields.readChoice('message_type_indicator', message_type_indicators);
    return indicator === null ? null : (message_type_of.get(indicator) ?? null);
  }

  requiredAmount(name: string): Money {
    this.#fields.require(name);
    return this.#fields.readAmount(name, 0) ?? money(0);
  }

  currency(name: string, { required }: { readonly required: boolean }): string | null {
    if (required) this.#fields.require(name);
    return this.#fields.readText(
      name,
      (text) => /^[A-Z]{3}$/.test(text),
      'a currency code of three capital letters, such as USD',
    );
  }

  text(name: string): string | null {
    const text = this.#fields.readText(name, isNetworkText, network_text_expected);
    if (text === null || text === '') return null;
    this.#keepNumbers(name, text);
    return text;
  }

  requiredText(name: string): string {
    this.#fields.require(name);
    const text = this.#fields.readText(
      name,
      (text) => text !== '' && isNetworkText(text),
      `${network_text_expected}, not empty`,
    );
    if (text !== null) this.#keepNumbers(name, text);
    return text ?? '';
  }

  /**
   * A text that names or matches is stored as received. The numbers that it could contain are
   * looked up by the pass, which refuses the message when one is the number of a card.
   */
  #keepNumbers(field: string, text: string): void {
    for (const number of new Set(cardNumbersIn(text))) {
      this.#suspects.push({ field, number_index: this.#vault.index(new Pan(number)) });
    }
  }

  /** Every number that a text with a name or a reference could contain. */
  suspects(): readonly SuspectNumber[] {
    return this.#suspects;
  }

  #masked(text: string): string {
    return this.#pan === null ? text : text.replaceAll(this.#pan.reveal(), this.#pan.masked);
  }

  mcc({ required }: { readonly required: boolean }): string | null {
    if (required) this.#fields.require('mcc');
    return this.#fields.readText('mcc', isMcc, 'four digits');
  }

  /** The six characters. */
  approvalCode(): string | null {
    const code = this.#fields.readText('approval_code', isApprovalCode, 'at most six letters and digits');
    return code === null || isNoApprovalCode(code) ? null : code;
  }

  instant(name: string): number {
    this.#fields.require(name);
    return this.#fields.readParsed(name, instantOf, 'an instant in ISO 8601 with an offset') ?? 0;
  }

  /** A calendar date; the date part of a date and time. */
  day(name: string, { required }: { readonly required: boolean }): string | null {
    if (required) this.#fields.require(name);
    return this.#fields.readParsed(name, dayOf, 'a date, as YYYY-MM-DD');
  }

  /**
   * The corrected amounts of a reversal, sent in an object or each by its own name. Null when all
   * are absent or zero.
   */
  replacementAmounts(): AuthorizationMessage['replacement_amounts'] {
    const sent = this.#fields.get('replacement_amounts') ?? {};
    if (typeof sent !== 'object' || Array.isArray(sent)) {
      this.#fields.addProblem('replacement_amounts', 'must be an object of amounts');
      return null;
    }
    const object = sent as Readonly<Record<string, unknown>>;
    const amounts = {
      billing_amount: this.#replacementAmount('billing_amount', object),
      settlement_amount: this.#replacementAmount('settlement_amount', object),
      transaction_amount: this.#replacementAmount('transaction_amount', object),
    };
    return Object.values(amounts).every((value) => value === null || value === 0) ? null : amounts;
  }

  #replacementAmount(name: ReplacementAmount, object: Readonly<Record<string, unknown>>): Money | null {
    const path = `replacement_amounts.${name}`;
    const own = this.#fields.readAmount(path, 0);
    const inner = object[name] ?? null;
    if (inner === null) return own;
    if (typeof inner !== 'number' || !Number.isInteger(inner) || inner < 0 || inner > amount_max) {
      this.#fields.addProblem(path, `must be a whole number from 0 to ${amount_max}`);
      return null;
    }
    if (own !== null && own !== inner) {
      this.#fields.addProblem(
        path,
        `must be the same by this name and in replacement_amounts, not ${own} and ${inner}`,
      );
    }
    return money(inner);
  }

  /** Where the merchant is and whether the card was present, as far as it was sent. */
  merchant(): { readonly merchant_country?: string; readonly card_present?: boolean } {
    const country = this.#fields.readText('merchant_country', isCountryCode, country_code_expected);
    const card_present = this.#fields.readFlag('card_present');
    return {
      ...(country === null ? {} : { merchant_country: toCountry(country) }),
      ...(card_present === null ? {} : { card_present }),
    };
  }

  /** The named fields that were sent. They are free text: any card number in them is masked. */
  details(names: readonly string[]): Readonly<Record<string, string>> {
    const details: Record<string, string> = {};
    for (const name of names) {
      const text = this.#fields.readText(name, isNetworkText, network_text_expected);
      if (text !== null && text !== '') details[name] = maskCardNumbers(this.#masked(text));
    }
    return details;
  }
}

export function isMcc(text: string): boolean {
  return /^\d{4}$/.test(text);
}

/** The network fills a shorter code with blanks. */
export const approval_code_form = /^[0-9A-Za-z ]{0,6}$/;

export function isApprovalCode(text: string): boolean {
  return approval_code_form.test(text);
}

/**
 * The network sends zeros or blanks for no approval code. A shorter text than the six characters was
 * cut on its way: it names no authorization, and no answer may bear it.
 */
export function isNoApprovalCode(text: string): boolean {
  return text.length < 6 || /^[0 ]*$/.test(text);
}

export function isNetworkText(text: string): boolean {
  return isWithin(text, network_text_length_max) && isStorable(text);
}

function instantOf(text: string): number | null {
  const at_ms = Temporal.Instant.from(text).epochMilliseconds;
  return at_ms >= 0 && at_ms < instant_end_ms ? at_ms : null;
}

/** The calendar has no year 0. */
function dayOf(text: string): string | null {
  const day = /^((?!0000)\d{4}-\d{2}-\d{2})(?:T[0-9:.,+Z-]+)?$/.exec(text)?.[1];
  return day === undefined ? null : Temporal.PlainDate.from(day).toString();
}

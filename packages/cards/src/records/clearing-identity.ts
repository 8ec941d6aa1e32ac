/**
 * Which clearing a message reports (decision: clearing; matching, rule 0). A transaction id alone
 * does not say it: senders repeat ids, leave them out, and a spreadsheet rounds them. So a clearing
 * is identified by its id and its content. A message with the id of a clearing is a copy of it when
 * the two agree in content, and else a person has to look at it.
 */
import { type FieldError, toHex } from '@tallystick/kernel';
import type { CardVault } from '../numbers/card-vault.ts';
import { card_number_form, Pan } from '../numbers/pan.ts';
import type { Clearing, ClearingMessage } from './clearing.ts';
import { type ClearingInput, isNoApprovalCode } from './message.ts';

/**
 * The fields in which every copy of a clearing agrees, beside its card. The cycle is one of them: a
 * reversal may have the type and the amount of what it takes back.
 */
const agreeing_fields = ['clearing_type', 'cycle', 'billing_amount', 'billing_currency'] as const;

/** The fields in which a copy agrees where both state them. */
const stated_fields = [
  'acquirer_reference_data',
  'approval_code',
  'merchant_amount',
  'merchant_currency',
] as const satisfies readonly (keyof ClearingMessage)[];

/**
 * Whether a transaction id names no transaction: without zeros it has no letter and no digit, or a
 * spreadsheet has rounded it.
 */
export function namesNothing(transaction_id: string): boolean {
  return !/[\p{L}\p{N}]/u.test(transaction_id.replaceAll('0', '')) || isRounded(transaction_id);
}

/**
 * Whether a text is a long number as a spreadsheet shows it, such as `5.55E+17`: its other digits
 * are lost. It has a sign, or a decimal point or comma: a real id may look like `12E45`.
 */
export function isRounded(text: string): boolean {
  return /^(?:\d{1,3}(?:[.,]\d+)?E\+|\d{1,3}[.,]\d+E)\d{1,3}$/i.test(text.trim());
}

/**
 * How a message with the id of a recorded clearing of its card differs from it, each by the name of
 * a field. Empty: it is a copy. A clearing with two ids is compared as it was when it got the
 * second one.
 */
export function differencesOf(clearing: Clearing, message: ClearingMessage): readonly FieldError[] {
  const is_pair = clearing.paired_transaction_id !== null;
  const differing = [
    ...agreeing_fields.filter((name) => clearing[name] !== message[name]),
    ...stated_fields.filter(
      (name) => (!is_pair || name === 'acquirer_reference_data') && isStatedOtherwise(clearing, message, name),
    ),
  ];
  return differing.map((path) => ({
    path,
    message: `is ${message[path]}, and the clearing with this network_financial_transaction_id has ${clearing[path]}`,
  }));
}

function isStatedOtherwise(
  clearing: Clearing,
  message: ClearingMessage,
  name: (typeof stated_fields)[number],
): boolean {
  return clearing[name] !== null && message[name] !== null && clearing[name] !== message[name];
}

/** Whether a clearing and a message with different ids agree in what a copy cannot differ in. */
export function isSameInContent(clearing: Clearing, message: ClearingMessage): boolean {
  return (
    agreeing_fields.every((name) => clearing[name] === message[name]) &&
    clearing.acquirer_reference_data === message.acquirer_reference_data
  );
}

/**
 * The content by which a clearing without an id is recognised: the fields in which its copies
 * agree, and the settlement date. Equal for equal content. The card number is in it as its keyed
 * index, so that a hash of the content does not reveal it.
 */
export function contentOf(
  input: Omit<ClearingInput, 'network_financial_transaction_id'>,
  vault: Pick<CardVault, 'index'>,
): string {
  const { card_number, vcn_id, cycle, approval_code, settlement_date } = input;
  const is_number = typeof card_number === 'string' && card_number_form.test(card_number);
  const of_file = {
    ...input,
    cycle: cycle ?? 'first_presentment',
    approval_code: approval_code == null || isNoApprovalCode(approval_code) ? null : approval_code,
  };
  return JSON.stringify([
    is_number ? toHex(vault.index(new Pan(card_number))) : Number(vcn_id),
    settlement_date,
    ...[...agreeing_fields, ...stated_fields].map((name) => of_file[name] || null),
  ]);
}

import { acquirerReferenceIn, isAcquirerReference, type ReportedLine } from '@tallystick/accounts';
import { money } from '@tallystick/kernel';
import { oneLine, referenceOf } from '../stated-text.ts';
import { amountOf, dayOf, entryDayOf } from './balance.ts';
import { joinLines, readInformation, readNonSwift, type StatedInformation } from './information.ts';
import { baiCodeOf } from './transaction-code.ts';

/** `:61:` with the fields that describe it. */
export interface CollectedEntry {
  readonly lines: readonly string[];
  /** `:86:` and `:NS:`, in the order of the file. */
  readonly information: readonly { readonly tag: string; readonly lines: readonly string[] }[];
}

export interface StatedLine {
  readonly kind: 'line';
  readonly line: ReportedLine;
  readonly unread?: readonly string[];
}

/** An entry that is expected and not booked (EC, ED). */
export interface ExpectedEntry {
  readonly kind: 'expected';
}

export interface EntryProblem {
  readonly kind: 'problem';
  readonly code: string;
  /** Continues the sentence that begins with the place of the field. */
  readonly message: string;
}

/** Value date, entry date, mark, letter of the currency, amount, what follows. */
const form = /^(\d{6})(\d{4}| {4})?\s*(R?[CD]|E[CD])([A-Z])?\s*(\d[\d.,]*|,\d+)\s*(.*)$/s;

/** Type and references. Some banks state no type and begin with the reference. */
const type_form = /^(?!NONREF)([NSF].{3})(.*)$/s;

/** How many lines a bank may have cut the line into, before its supplementary details. */
const parts_max = 3;

/** Instead of a reference: none, or where in `:86:` it is. */
const no_reference = /^(?:NO(?:NE)?REF|[A-Z]REF\+?|MARF)$/;

/** What the opening balance states for the entries of its statement. */
export interface EntryContext {
  /** Null: it is not known yet. */
  readonly currency: string | null;
  /** YYYY-MM-DD; null: none is stated. */
  readonly day: string | null;
}

/** Reads an entry. Without an entry date it is booked on its value date. */
export function readEntry(
  { lines, information }: CollectedEntry,
  { currency, day }: EntryContext,
): StatedLine | ExpectedEntry | EntryProblem {
  const { stated, details } = separateDetails(lines);
  if (stated === null) {
    return problem('line_malformed', 'must be a value date as YYMMDD, a mark C, D, RC or RD, an amount, and a type');
  }
  const [, value_text = '', entry_text = '', mark = '', , amount_text = '', rest = ''] = stated;
  const amount = amountOf(amount_text, currency);
  if (amount === null) {
    return problem('amount_malformed', `must have an amount with a decimal comma, not ${amount_text}`);
  }
  if (mark.startsWith('E')) return { kind: 'expected' };
  const value_date = dayOf(value_text);
  const booking_date = entry_text.trim() === '' ? value_date : entryDayOf(entry_text, value_date ?? day);
  if (booking_date === null) {
    return problem('date_malformed', `must have a value date as YYMMDD, and an entry date as MMDD or none`);
  }
  const sign = mark === 'C' || mark === 'RD' ? 'credit' : 'debit';
  const [, type = '', references = rest] = type_form.exec(rest) ?? [];
  const [, customer = '', bank = ''] = /^(.*?)(?:\/\/(.*))?$/s.exec(references) ?? [];
  const stated_information = information.map(readField);
  const texts = [
    oneLine(stated_information.map(({ text }) => text)),
    joinLines(details.filter((detail) => customerReferenceOf(detail) !== null)),
  ];
  const reference = customerReferenceOf(customer);
  const is_acquirer_reference = reference !== null && isAcquirerReference(reference);
  const kind = {
    type,
    is_reversal: mark.startsWith('R'),
    bai_code: first(stated_information, 'bai_code'),
    gvc: first(stated_information, 'gvc'),
  };
  return {
    kind: 'line',
    line: {
      bank_reference: referenceOf(bank),
      booking_date,
      value_date: value_date ?? booking_date,
      amount: money(sign === 'debit' ? -amount : amount),
      bai_code: baiCodeOf(kind, sign),
      text: textOf(reference === null || is_acquirer_reference ? texts : [...texts, reference]),
      acquirer_reference: is_acquirer_reference ? reference : acquirerReferenceIn(texts.join(' ')),
    },
    ...(value_date === null ? { unread: ['value_date'] } : {}),
  };
}

/**
 * The content of the line, which a bank may have cut anywhere, and the supplementary details after
 * it: as few lines as make a line with a type, else as few as make one without.
 */
function separateDetails(lines: readonly string[]): {
  readonly stated: RegExpExecArray | null;
  readonly details: readonly string[];
} {
  let without_type: { stated: RegExpExecArray; details: readonly string[] } | null = null;
  for (let parts = 1; parts <= Math.min(parts_max, lines.length); parts += 1) {
    const stated = form.exec(lines.slice(0, parts).join('').trimEnd());
    if (stated === null) continue;
    const found = { stated, details: lines.slice(parts) };
    if (type_form.test(stated[6]!)) return found;
    without_type ??= found;
  }
  return without_type ?? { stated: null, details: [] };
}

function customerReferenceOf(text: string): string | null {
  return no_reference.test(text.trim()) ? null : referenceOf(text);
}

function readField({ tag, lines }: CollectedEntry['information'][number]): StatedInformation {
  return tag === 'NS' ? readNonSwift(lines) : readInformation(lines);
}

function first(all: readonly StatedInformation[], name: 'bai_code' | 'gvc'): string | null {
  return all.find((one) => one[name] !== null)?.[name] ?? null;
}

/** The texts without those that are a part of an earlier one. */
function textOf(texts: readonly string[]): string {
  return texts.reduce((text, next) => {
    const added = oneLine([next]);
    return text.includes(added) ? text : oneLine([`${text} ${added}`]);
  }, '');
}

function problem(code: string, message: string): EntryProblem {
  return { kind: 'problem', code, message };
}

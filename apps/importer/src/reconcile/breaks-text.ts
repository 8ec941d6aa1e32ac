import {
  ageOfItem,
  amountOf,
  type Item,
  type ItemNames,
  recordNamesOf,
  type Suggestion,
} from '@tallystick/reconciliation';
import { shortenText, wrapText } from '@tallystick/server';
import { showDecimal } from '../words.ts';

/** A break with what names its records to a person, and what it may be matched with. */
export interface ShownBreak {
  readonly item: Item;
  readonly names: ItemNames;
  readonly suggestions: readonly Suggestion[];
}

const width = 80;

/** The longest name, reference or text of others that is shown whole. */
const shown_max = 60;

/** How many of the other ways to match a break are shown. */
const alternatives_shown_max = 3;

/** A block for each break, at most 80 columns wide. `shows_company` names their companies. */
export function describeBreaks(breaks: readonly ShownBreak[], today: string, shows_company: boolean): string {
  return breaks.map((one) => describeBreak(one, today, shows_company)).join('\n\n');
}

function describeBreak({ item, names, suggestions }: ShownBreak, today: string, shows_company: boolean): string {
  const { id, kind, due_date, frozen_item_id, vcn_id, merchant_name, alternatives } = item;
  const head = [
    `item ${id}  ${kind}`,
    `age ${ageOfItem(item, today) ?? '-'}, due ${due_date ?? '-'}`,
    ...(frozen_item_id === null ? [] : [`for item ${frozen_item_id}`]),
    ...(vcn_id === null ? [] : [`card ${vcn_id}`]),
    ...(shows_company ? [`company ${item.company_id}`] : []),
    ...named('', merchant_name),
  ];
  const purchase = [
    ...named('acquirer reference ', names.acquirer_reference),
    ...named('approval code ', names.approval_code),
  ];
  const line = [
    ...named('account ', names.account_number),
    ...named('booked ', item.booking_date),
    ...named('bank reference ', names.bank_reference),
    ...named('"', names.bank_text, '"'),
  ];
  const statement = kind === 'bank_line_differs' ? [describeStatementLine(item, names)] : [];
  return [
    wrapText(head.join('  '), '', '    ', width),
    ...[amountsOf(item), purchase, line, statement].flatMap((parts) =>
      parts.length === 0 ? [] : wrapText(parts.join(', '), '  ', '    ', width),
    ),
    ...suggestions.map((one) => wrapText(describeSuggested(one, item), '  ', '     ', width)),
    ...alternatives
      .slice(0, alternatives_shown_max)
      .map(({ reason }) => wrapText(`none was chosen: ${plain(reason)}`, '  ', '    ', width)),
  ].join('\n');
}

function amountsOf({ authorized, cleared, stated, fees, difference, currency }: Item): readonly string[] {
  const show = (name: string, amount: number | null) =>
    amount === null ? [] : [`${name} ${showDecimal(amount, currency)}`];
  return [
    ...show('authorized', authorized),
    ...show('cleared', cleared),
    ...show('stated', stated),
    ...show('fees', fees === 0 ? null : fees),
    `difference ${showDecimal(difference, currency)} ${currency}`,
  ];
}

/** What the statement has in place of a line that the bank reported by itself. */
export function describeStatementLine({ currency }: Item, { statement_line }: ItemNames): string {
  if (statement_line === null) return 'the statement has no line with its reference';
  const { id, amount, booking_date, text } = statement_line;
  const shown = named(', "', text, '"').join('');
  return `the statement has line:${id}, ${showDecimal(-amount, currency)} on ${booking_date}${shown}`;
}

/** `1. clearing:45  3.35 on 2030-03-18: 0.02 more, same merchant, settled 1 day earlier`. */
export function describeSuggested(suggestion: Suggestion, { currency }: Pick<Item, 'currency'>): string {
  const { number, amount, date, reason } = suggestion;
  return `${number}. ${recordNamesOf(suggestion)}  ${showDecimal(amount, currency)} on ${date}: ${reason}`;
}

function named(name: string, text: string | null, end = ''): readonly string[] {
  const shown = text === null ? '' : shortenText(plain(text), shown_max);
  return shown === '' ? [] : [`${name}${shown}${end}`];
}

/** The text without characters that a terminal would obey. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/**
 * How to match the first of these breaks whose first suggestion has the same amount, else how to
 * see and take out one. A match that does not add up is refused.
 */
export function describeNextStep(breaks: readonly ShownBreak[]): string {
  const found = breaks.find(({ suggestions }) => suggestions[0]?.differs.amount === 0);
  if (found === undefined) {
    return `npm run reconcile -- show ${breaks[0]!.item.id} shows one; accept, ignore and match decide it.`;
  }
  const { item, suggestions } = found;
  const names = recordNamesOf(suggestions[0]!);
  return [
    'To match the first suggestion, for example:',
    `  npm run reconcile -- match ${item.id} --with "${names}" --note "..."`,
    'Many at once, by a table that decide takes back:',
    '  npm run --silent reconcile -- breaks --csv > breaks.csv',
  ].join('\n');
}

/** The sums of these items by currency: `12.50 USD, 3.00 EUR`. */
export function describeSums(items: readonly Item[]): string {
  return [...Map.groupBy(items, ({ currency }) => currency)]
    .map(([currency, of_currency]) => {
      const sum = of_currency.reduce((total, item) => total + amountOf(item), 0);
      return `${showDecimal(sum, currency)} ${currency}`;
    })
    .join(', ');
}

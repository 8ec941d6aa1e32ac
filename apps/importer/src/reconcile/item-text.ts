import { toInstantText } from '@tallystick/kernel';
import {
  type Alternative,
  ageOfItem,
  type Comment,
  describeAct,
  type ExplainedItem,
  type Item,
  type ItemNames,
  recordNamesOf,
  stateOf,
} from '@tallystick/reconciliation';
import { formatTerms, wrapText } from '@tallystick/server';
import { counted, nameRule, showAmount } from '../words.ts';
import { describeStatementLine, describeSuggested, plain } from './breaks-text.ts';

/** An item for a person: its amounts, its records, what they may be matched with, and its history. */
export function describeItem(
  {
    item,
    names,
    history = [],
    comments = [],
    suggestions = [],
  }: Partial<ExplainedItem> & { readonly item: Item; readonly names: ItemNames },
  today: string,
): string {
  const { id, version, currency, due_date, merchant_name, vcn_id } = item;
  const amounts = (['authorized', 'cleared', 'stated', 'fees', 'difference'] as const).flatMap((name) => {
    const amount = item[name];
    return amount === null || (name === 'fees' && amount === 0) ? [] : [[name, showAmount(amount, currency)] as const];
  });
  const age = ageOfItem(item, today);
  const terms = [
    ...amounts,
    ...named('merchant', merchant_name),
    ...named('assigned to', item.assignee),
    ...named('waits for', names.open_approval_id === null ? null : `approval ${names.open_approval_id}`),
    ...named('bank', names.bank_text),
    ...named('booked', item.booking_date),
    ...named('account', names.account_number),
    ...named('bank reference', names.bank_reference),
    ...named('reference', names.acquirer_reference),
    ...(item.kind === 'bank_line_differs' ? [['statement', describeStatementLine(item, names)] as const] : []),
    ...(vcn_id === null ? [] : [['card', String(vcn_id)] as const]),
    ...(due_date === null
      ? []
      : [['due', age === null ? due_date : `${due_date}, ${counted(age, 'day')} ago`] as const]),
    ...(item.frozen_item_id === null ? [] : [['for item', String(item.frozen_item_id)] as const]),
    ['records', recordNamesOf(item)] as const,
    ...item.matches.map(({ side, rule }) => ['match', `${side}: ${nameRule(rule)}`] as const),
  ];
  return [
    `Item ${id}, version ${version}: ${stateOf(item)}`,
    ...formatTerms(terms),
    ...section(
      'It may be matched with',
      suggestions.map((one) => describeSuggested(one, item)),
    ),
    ...section('It may also belong to', item.alternatives.map(describeAlternative)),
    ...section('What was done', history.map(describeAct)),
    ...section('What was said', comments.map(describeComment)),
  ].join('\n');
}

function named(name: string, text: string | null): readonly (readonly [string, string])[] {
  const shown = text === null ? '' : plain(text);
  return shown === '' ? [] : [[name, shown]];
}

function section(head: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `${head}:`, ...lines.map((line) => wrapText(line, '  ', '    ', 80))];
}

function describeComment({ at_ms, actor, text }: Comment): string {
  return `${actor} at ${toInstantText(at_ms)}: ${JSON.stringify(text)}`;
}

function describeAlternative(alternative: Alternative): string {
  return `${recordNamesOf(alternative)}: ${alternative.reason}`;
}

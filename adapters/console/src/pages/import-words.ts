import type { Results } from '@tallystick/operations';
import { countText } from '../look/charts.ts';
import type { Content } from '../look/html.ts';
import { badge, foreign } from '../look/values.ts';

export type Import = Results['operator.imports.read'];
export type Quarantined = Results['operator.quarantine.read'];
export type HeldStatement = Results['operator.imports.statements']['items'][number];

/** What people call each status of an import, and what it means. */
const statuses = {
  running: [
    'in progress',
    'info',
    'It is being read, or its records are being applied. This page shows how far it is.',
  ],
  completed: ['applied', 'ok', 'Every record is applied, now or before.'],
  completed_with_quarantine: [
    'applied in part',
    'warn',
    'Some records are in quarantine, or some statements are held. All others are applied.',
  ],
  held: ['held', 'bad', 'It is read and checked, and nothing of it is applied.'],
  refused: ['refused', 'bad', 'The file is not what it claims to be. Nothing was applied.'],
  truncated: [
    'cut off',
    'bad',
    'The file ends too early. Nothing was applied. Ask for the whole file, and import that.',
  ],
} as const satisfies Record<Import['status'], readonly [string, 'ok' | 'info' | 'warn' | 'bad', string]>;

const phases: Readonly<Record<NonNullable<Import['phase']>, string>> = {
  staging: 'The file is being read.',
  applying: 'Its clearings are being applied.',
  queued: 'It waits for another file of statements.',
  checking: 'Its statements are compared with those that are known.',
  recording: 'The lines of its statements are being recorded.',
};

/** Every status with its name, for a filter. */
export const status_choices = Object.entries(statuses).map(([status, [name]]) => [status, name] as const);

export function importBadge({ status }: Pick<Import, 'status'>): Content {
  const [name, tone] = statuses[status];
  return badge(name, tone);
}

export function importMeaning({ status, phase }: Pick<Import, 'status' | 'phase'>): string {
  return phase === null ? statuses[status][2] : phases[phase];
}

/** What was wrong, as a sentence. */
export function sentence(text: string | null | undefined): Content {
  return foreign(text && `${text[0]!.toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`);
}

/** What became of the records of a file, in a few words. */
export function importOutcome({ applied, duplicates, quarantined, held }: Import): string {
  const counts = [
    [applied, 'applied'],
    [duplicates, 'known before'],
    [quarantined, 'in quarantine'],
    [held, 'held'],
  ] as const;
  const shown = counts.filter(([count]) => count > 0).map(([count, what]) => `${countText(count)} ${what}`);
  return shown.join(', ') || 'nothing';
}

/** Why a clearing is in quarantine, in a few words, and what mends the cause. */
export const quarantine_words: Readonly<Record<Quarantined['reason'], readonly [why: string, remedy: string]>> = {
  unknown_card: ['There is no such card', 'Issue or import the card, then try again.'],
  transaction_of_another_card: [
    'Another card has the transaction',
    'Ask the processor which card the transaction belongs to.',
  ],
  transaction_of_another_clearing: [
    'The transaction is known with other content',
    'Compare it with the clearing that is recorded. Only one of them can be right.',
  ],
  other_billing_currency: [
    'The currency is not that of the card',
    'Ask the processor for the amount in the currency of the card.',
  ],
  sum_limit: ['The sum of the card would be too large', 'Ask the processor about the amounts of the card.'],
  card_mismatch: ['The digits are not those of the card', 'Ask the processor which card it is.'],
  invalid_clearing: ['The record makes no clearing', 'Ask the sender for a corrected record.'],
  malformed_record: ['The record cannot be read', 'Ask the sender for a corrected file.'],
};

/** The names of the formats of files. */
export const format_choices = [
  ['', 'Recognised from the file'],
  ['cdf3', 'CDF3, clearings'],
  ['ipm', 'IPM, clearings'],
  ['vcf4', 'VCF4, clearings'],
  ['csv', 'CSV, clearings'],
  ['camt053', 'CAMT.053, statements'],
  ['bai2', 'BAI2, statements'],
  ['mt940', 'MT940, statements'],
] as const;

import { decimalsOf, Temporal } from '@tallystick/kernel';
import type { VirtualCard } from '../issuing/card.ts';
import type { RevealedNumber } from '../numbers/reveal.ts';
import { limitCurrency } from '../records/authorization.ts';
import type { MailMessage } from './ports.ts';

interface CardMessageContent {
  readonly to: string;
  readonly link: string;
  readonly link_expires_at_ms: number;
  /** Number and code in plain text for companies that enable this, else null. */
  readonly number: RevealedNumber | null;
}

/**
 * The mail about a card: alias, last four digits, limits, validity and the one-time link, as text
 * and as HTML.
 */
export function composeCardMessage(
  card: VirtualCard,
  { to, link, link_expires_at_ms, number }: CardMessageContent,
): MailMessage {
  const alias = toOneLine(card.rcn_alias);
  const facts: (readonly [string, string])[] = [
    ['Card', `${alias}, ending in ${card.last4}`],
    ...(number === null
      ? []
      : [
          ['Number', number.card_number.replace(/(\d{4})(?=\d)/g, '$1 ')] as const,
          ['Code', number.cvc] as const,
          ['Expiry', card.expiry] as const,
        ]),
    ...limitsOf(card),
  ];
  const until = Temporal.Instant.fromEpochMilliseconds(link_expires_at_ms)
    .toString({ smallestUnit: 'minute' })
    .replace(/T(.*)Z/, ' $1 UTC');
  const once = `The link shows number and code once, until ${until}. Whoever has it can see them: do not pass this mail on.`;
  return {
    to,
    subject: `Your virtual card ending in ${card.last4} (${alias})`,
    text: [
      'A virtual card was issued to you.',
      '',
      ...facts.map(([name, value]) => `${name}: ${value}`),
      '',
      'Show its number and code:',
      link,
      '',
      once,
      '',
    ].join('\n'),
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Your virtual card</title></head>
<body style="font-family:sans-serif">
<p>A virtual card was issued to you.</p>
<table>
${facts.map(([name, value]) => `<tr><th align="left">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`).join('\n')}
</table>
<p><a href="${escapeHtml(link)}">Show its number and code</a></p>
<p>${escapeHtml(once)}</p>
</body></html>
`,
  };
}

function limitsOf(card: VirtualCard): (readonly [string, string])[] {
  const currency = limitCurrency(card);
  const window = windows[card.recurring ?? 'Continuous'];
  const limits: (readonly [string, string])[] = [
    ['Valid', `${card.valid_starting_on} to ${card.valid_ending_on} (GMT dates)`],
    ['Limit', formatAmount(card.total_card_amount, currency) + window],
    [
      'Per purchase',
      `${formatAmount(card.per_transaction_min, currency)} to ${formatAmount(card.per_transaction_max, currency)}`,
    ],
  ];
  if (card.transactions_max !== null) limits.push(['Purchases', `at most ${card.transactions_max}${window}`]);
  if (card.currency !== null) limits.push(['Currency', `purchases in ${card.currency} only`]);
  return limits;
}

const windows = {
  Continuous: '',
  Daily: ' a day',
  Weekly: ' a week',
  Monthly: ' a month',
  Quarterly: ' a quarter',
  Yearly: ' a year',
} as const;

/** Formats minor units for people: `USD 1,234.50`. */
function formatAmount(minor_units: number, currency: string): string {
  const digits = decimalsOf(currency);
  const form = new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${currency} ${form.format(`${minor_units}e-${digits}` as Intl.StringNumericLiteral)}`;
}

/** Removes line breaks, so that the text cannot end its header line. */
function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

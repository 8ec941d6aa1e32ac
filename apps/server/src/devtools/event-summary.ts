import { decimalsOf } from '@tallystick/kernel';
import type { Json } from './sandbox-client.ts';

/**
 * A summary of an event in a few words on one line, without control characters from the payload.
 */
export function summarizeEvent(type: string, payload: Json): string {
  return formatPlain(wordsOf(type, payload));
}

function wordsOf(type: string, payload: Json): string {
  if (type.startsWith('virtualcard.realtime.')) {
    const { message_type_indicator, vcn_response, vcn_id } = payload;
    return `${message_type_indicator}: ${vcn_response}, ${formatBilled(payload)}${merchant(payload)}, card ${vcn_id}`;
  }
  switch (type) {
    case 'virtualcard.clearings':
      return `${payload.clearing_type} ${formatBilled(payload)}${merchant(payload)}, card ${payload.vcn_id}`;
    case 'virtualcard.purchasetemplate.created':
      return `template ${payload.id} "${payload.name}": ${payload.status}`;
    case 'virtualcard.created':
    case 'virtualcard.updated':
    case 'virtualcard.deleted':
      return `card ${payload.id}: ${payload.status}, ${formatMoney(payload.total_card_amount, payload.currency)} in total`;
    case 'webhooks.test':
      return `a test of webhook ${payload.id}`;
    default: {
      const shown_fields = Object.entries(payload).filter(([, value]) => value !== null && typeof value !== 'object');
      return shown_fields.map(([name, value]) => `${name} ${value}`).join(', ');
    }
  }
}

function formatBilled({ billing_amount, billing_currency }: Json): string {
  return formatMoney(billing_amount, billing_currency);
}

function merchant({ merchant_name }: Json): string {
  return merchant_name == null ? '' : ` at ${merchant_name}`;
}

/** Formats minor units with the decimals of the currency; two decimals without a currency. */
export function formatMoney(amount: unknown, currency: unknown): string {
  if (typeof amount !== 'number') return '';
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return (amount / 100).toFixed(2);
  const decimals = decimalsOf(currency);
  return `${(amount / 10 ** decimals).toFixed(decimals)} ${currency}`;
}

/** Names of merchants come from outside and must not control the terminal. */
export function formatPlain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}

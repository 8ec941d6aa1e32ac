import { createHash, randomInt } from 'node:crypto';
import { type AuthorizationMessage, type CardVault, Pan, type QuarantinePorts } from '@tallystick/cards';
import { money, type Random } from '@tallystick/kernel';
import { numberIndex } from './filled-database.ts';

let made = 0;

/**
 * Requests of the network, each a different purchase, over the first `cards` cards in no order. All
 * are approved.
 */
export function purchases(count: number, cards: number): AuthorizationMessage[] {
  return Array.from({ length: count }, () => {
    made += 1;
    // A fixed stride through the cards, so that consecutive messages use distant cards.
    const card_id = 1 + ((made * 611_953) % cards);
    return {
      kind: 'authorization',
      pan: new Pan(`555555${String(card_id).padStart(10, '0')}`),
      number_index: numberIndex(card_id),
      expiry: null,
      cvc: null,
      message_type: '0100',
      incremental: false,
      explain: false,
      trace_id: `B${made}`,
      system_trace_audit_number: String(100_000 + (made % 900_000)),
      transaction_date_time_ms: 1_780_000_000_000 + made,
      billing_amount: money(1 + (made % 10_000)),
      billing_currency: 'USD',
      merchant_amount: money(1 + (made % 10_000)),
      merchant_currency: 'USD',
      mcc: String(5000 + (made % 800)),
      response_code: null,
      approval_code: null,
      card_holder_transaction_type_code: null,
      replacement_amounts: null,
      net_reference_number: `MCC${100_000 + (made % 900_000)}0520`,
      merchant_id: `M${made % 5_000}`,
      details: {
        merchant_name: `Merchant ${made % 5_000}`,
        merchant_city: 'Portland',
        merchant_state_or_country_code: 'OR',
        mcc_description: 'Eating places',
        acquirer_ica: '1234',
        financial_network_code: 'MCC',
        settlement_date: '0520',
      },
      suspects: [],
      request_id: `request-${made}`,
    };
  });
}

/**
 * Passes the messages to `decide`, `callers` at a time, like that number of connections, until
 * `time_ms` has passed or there are no more. Returns the number of answers per second.
 */
export async function byCallers(
  callers: number,
  messages: readonly AuthorizationMessage[],
  decide: (message: AuthorizationMessage) => Promise<unknown>,
  time_ms = Number.POSITIVE_INFINITY,
): Promise<number> {
  const started_ms = performance.now();
  let next = 0;
  let answered = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - started_ms < time_ms) {
        const message = messages[next++];
        if (message === undefined) return;
        await decide(message);
        answered += 1;
      }
    }),
  );
  return (answered * 1000) / (performance.now() - started_ms);
}

/** The bench's messages contain no code, so none is checked. */
export const no_codes: Pick<CardVault, 'cvcMatches'> = { cvcMatches: () => false };

/** The randomness of the service's approval codes. */
export const random: Random = {
  below: (bound) => randomInt(bound),
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

/** Seals nothing: no message of a bench is refused. */
export const plain_quarantine: QuarantinePorts = {
  sealer: { seal: (_purpose, clear) => clear, open: (_purpose, sealed) => sealed, isCurrent: () => true },
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};

import type { AuthorizationAnswer, AuthorizationMessage, NetworkMessage } from '@tallystick/cards';
import { money, type Random } from '@tallystick/kernel';
import { authorizationMessage, clearingMessage } from './ledger-fixture.ts';

const minute_ms = 60_000;

/** What an approved request left for later messages about it. */
interface Approved {
  readonly id: number;
  readonly card_id: number;
  readonly trace_id: string;
  readonly approval_code: string;
  readonly amount: number;
  readonly merchant_id: string;
}

/** How many different values the messages have. */
interface Variety {
  readonly merchants: number;
  readonly amount_max: number;
  readonly cards: number;
  /** What messages say beyond what decisions compare. */
  readonly describe?: (
    random: Random,
  ) => Partial<Pick<AuthorizationMessage, 'mcc' | 'net_reference_number' | 'details'>>;
}

/** Messages as they come: requests, and then what belongs to earlier ones, in time, late or never. */
export class Traffic {
  readonly #random: Random;
  readonly #variety: Variety;
  readonly #approved: Approved[] = [];
  #sent = 0;

  constructor(random: Random, variety: Variety) {
    this.#random = random;
    this.#variety = variety;
  }

  next(now_ms: number): NetworkMessage {
    const { merchants, amount_max, cards, describe = () => ({}) } = this.#variety;
    this.#sent += 1;
    const kind = this.#random.below(100);
    const card_id = this.#random.below(3) === 0 ? 1 + this.#random.below(cards) : 1;
    const known = this.#approved[this.#approved.length - 1 - this.#random.below(200)];
    const names = {
      trace_id: `T${this.#sent}`,
      system_trace_audit_number: String(this.#sent),
      transaction_date_time_ms: now_ms,
      net_reference_number: null,
      merchant_id: `M${this.#random.below(merchants)}`,
      request_id: null,
      details: {},
      ...describe(this.#random),
    };
    const billing_amount = money(1 + this.#random.below(amount_max));
    const amounts = { billing_amount, merchant_amount: billing_amount };
    if (known === undefined || kind < 50) return authorizationMessage(card_id, { ...names, ...amounts });
    const { card_id: its_card, trace_id, merchant_id, amount, approval_code } = known;
    const about = { ...names, trace_id, merchant_id };
    if (kind < 56) return authorizationMessage(its_card, { ...about, ...amounts, incremental: true });
    if (kind < 62) return authorizationMessage(its_card, { ...about, message_type: '0400' });
    if (kind < 66) {
      const part = { billing_amount: money(1), settlement_amount: null, transaction_amount: null };
      return authorizationMessage(its_card, {
        ...about,
        message_type: '0420',
        replacement_amounts: part,
        details: { ...names.details, replacement_amounts: part },
      });
    }
    if (kind < 72) return authorizationMessage(its_card, { ...about, ...amounts, message_type: '0120' });
    if (kind < 74) return authorizationMessage(card_id, { ...names, ...amounts, message_type: '0120' });
    if (kind < 76) {
      const by = { company_id: null, note: 'by hand', actor: 'key:1', request_id: null } as const;
      return { kind: 'release', number_index: null, vcn_id: its_card, authorization_id: known.id, ...by };
    }
    const is_linked = kind < 96;
    return clearingMessage(is_linked ? its_card : card_id, {
      network_financial_transaction_id: `F${this.#sent}`,
      billing_amount: is_linked ? money(amount) : billing_amount,
      merchant_amount: is_linked ? money(amount) : billing_amount,
      approval_code: is_linked ? approval_code : null,
      net_reference_number: null,
      acquirer_reference_data: `R${this.#sent}`,
      merchant_id,
      clearing_type: kind % 9 === 0 ? 'CREDIT' : 'DEBIT',
      partial: kind % 4 === 0,
      settlement_date: new Date(now_ms).toISOString().slice(0, 10),
      request_id: null,
      details: {},
    });
  }

  noteAnswer({ item, approval_code }: AuthorizationAnswer & { readonly kind: 'answered' }): void {
    if (approval_code === null) return;
    const { id, vcn_id, trace_id, billing_amount: amount, merchant_id } = item;
    this.#approved.push({ id: id!, card_id: vcn_id!, trace_id, approval_code, amount, merchant_id: merchant_id! });
  }

  moved(): number {
    return this.#random.below(200) === 0 ? 3 * 24 * 60 * minute_ms : (1 + this.#random.below(20)) * minute_ms;
  }
}

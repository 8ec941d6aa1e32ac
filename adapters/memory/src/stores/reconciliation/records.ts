import { isFeeLine, type StatementLine } from '@tallystick/accounts';
import { type Authorization, asSent, type Clearing, referenceKeys } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import {
  authorizedPurchaseOf,
  type CardCurrencies,
  clearedAmountOf,
  compareTexts,
  type ReconciliationStore,
  type StatementKeySetting,
  statementKeyOf,
} from '@tallystick/reconciliation';
import type { State } from '../../storage/state.ts';
import { found } from '../../storage/table.ts';

/** What items are made of. */
export function recordReads(state: State, setting: StatementKeySetting) {
  const { authorizations, clearings, statement_lines } = state;
  const currenciesOf = (card_id: number): CardCurrencies => {
    const card = state.cards.get(card_id)!;
    const { billing_currency } = state.real_cards.get(card.rcn_id)!;
    return { billing_currency, limit_currency: card.currency };
  };
  const clearedOf = (clearing: Clearing) =>
    clearedAmountOf({ ...clearing, merchant_name: merchantOf(clearing) }, currenciesOf(clearing.card_id), setting);
  return {
    async authorizations(company_id, ids) {
      return found(authorizations, company_id, ids)
        .filter(({ id, root_id, decline_code }) => root_id === id && decline_code === null)
        .map((row) => {
          const { card_holder_transaction_type_code } = row.details;
          const fields = { ...row, merchant_name: merchantOf(row), card_holder_transaction_type_code };
          return authorizedPurchaseOf(fields, currenciesOf(row.card_id));
        });
    },

    clearings: async (company_id, ids) => found(clearings, company_id, ids).map(clearedOf),

    async clearingIdsOf(authorization_ids) {
      const wanted = new Set<number | null>(authorization_ids);
      const its = clearings.values().filter((row) => row.authorization_id !== null && wanted.has(row.authorization_id));
      return its.map(({ id }) => id);
    },

    async clearingsReferring(company_id, ids) {
      const cards = new Map(found(clearings, company_id, ids).map(({ id, card_id }) => [id, card_id]));
      const its = clearings
        .values()
        .filter((row) => row.clearing_id !== null && cards.get(row.clearing_id) === row.card_id);
      return its.map(clearedOf);
    },

    async candidateRecords(company_id, clearing_ids) {
      return found(clearings, company_id, clearing_ids).map((clearing) => candidateRecordsOf(state, clearing));
    },

    async lines(company_id, ids) {
      return found(statement_lines, company_id, ids).map((line) => ({
        ...line,
        amount: money(-line.amount),
        is_fee: isFeeLine(line),
        statement_key: statementKeyOf(line.acquirer_reference, setting),
        statement_line_id: line.standing === 'differs' ? statedLineOf(state, line) : null,
      }));
    },
  } satisfies Partial<ReconciliationStore>;
}

/**
 * The line of a statement with the reference of a line: the first of its date or later, else the
 * last.
 */
function statedLineOf(
  { statement_lines }: State,
  { account_id, bank_reference, ...line }: StatementLine,
): number | null {
  const named = statement_lines
    .values()
    .filter(
      (one) => one.account_id === account_id && one.bank_reference === bank_reference && one.statement_id !== null,
    );
  const farness = (one: StatementLine) => Math.abs(one.amount - line.amount);
  const isLater = (one: StatementLine) => one.booking_date >= line.booking_date;
  const compare = (a: StatementLine, b: StatementLine) =>
    farness(a) - farness(b) || compareTexts(a.bai_code, b.bai_code) || a.occurrence - b.occurrence;
  const later = named.filter(isLater);
  const [nearest] =
    later.length > 0
      ? later.sort((a, b) => compareTexts(a.booking_date, b.booking_date) || compare(a, b))
      : named.sort((a, b) => compareTexts(b.booking_date, a.booking_date) || compare(a, b));
  return nearest?.id ?? null;
}

function candidateRecordsOf({ authorizations, cards, clearings, real_cards }: State, clearing: Clearing) {
  const card = cards.get(clearing.card_id)!;
  const message = asSent(clearing);
  const keys = new Set(referenceKeys(message));
  const amounts = [message.merchant_amount, message.billing_amount];
  const ofMerchant = ({ merchant_id, ...root }: Authorization) =>
    merchant_id !== null &&
    merchant_id === message.merchant_id &&
    [root.merchant_amount, root.billing_amount, root.authorized].some((amount) => amounts.includes(amount));
  const roots = authorizations
    .values()
    .filter(({ id, root_id, card_id }) => root_id === id && card_id === card.id)
    .filter((root) => referenceKeys(root).some((key) => keys.has(key)) || ofMerchant(root));
  const ids = new Set<number | null>(roots.map(({ id }) => id));
  return {
    clearing,
    card: { ...card, billing_currency: real_cards.get(card.rcn_id)!.billing_currency },
    roots,
    clearings: clearings.values().filter((one) => one.authorization_id !== null && ids.has(one.authorization_id)),
  };
}

function merchantOf({ details }: Pick<Authorization | Clearing, 'details'>): string | null {
  return typeof details.merchant_name === 'string' ? details.merchant_name : null;
}

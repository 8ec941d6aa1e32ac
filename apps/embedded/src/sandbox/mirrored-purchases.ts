import {
  type Account,
  type AccountStore,
  type BankStore,
  bank_rows_max,
  isShowableBalance,
  type ShownTransaction,
} from '@tallystick/accounts';
import { type CardStore, type Clearing, isDispute } from '@tallystick/cards';
import { type Money, maskCardNumbers, money, type UnitOfWork } from '@tallystick/kernel';
import type { ReconciliationStore, RecordKey } from '@tallystick/reconciliation';

interface MirrorTx {
  readonly accounts: Pick<AccountStore, 'findFirst'>;
  readonly bank: Pick<BankStore, 'recordShown' | 'shownReferences' | 'moveBalance'>;
  readonly cards: Pick<CardStore, 'findClearings'>;
  readonly reconciliation: ReconciliationStore;
}

/**
 * The unit of work of a sandbox, in which cleared purchases appear as booked transactions of the
 * card account of their company (decision: sandbox). Open Banking reads them; they are no statement
 * lines and no side of an item.
 *
 * They are recorded where reconciliation takes arrivals from its inbox, in the same transaction: a
 * clearing is in the inbox from the commit that wrote it, and one transaction at a time takes the
 * arrivals of a company. So each clearing appears once, also after a crash.
 */
export function mirrorPurchases<Tx extends MirrorTx>(unitOfWork: UnitOfWork<Tx>, nowMs: () => number): UnitOfWork<Tx> {
  return {
    run: (work) =>
      unitOfWork.run((tx) => {
        const reconciliation: ReconciliationStore = {
          ...tx.reconciliation,
          async takeArrivals(company_id, limit) {
            const arrivals = await tx.reconciliation.takeArrivals(company_id, limit);
            await showPurchases(tx, company_id, arrivals.records, nowMs());
            return arrivals;
          },
        };
        return work({ ...tx, reconciliation });
      }),
    read: (work) => unitOfWork.read(work),
  };
}

async function showPurchases(
  tx: MirrorTx,
  company_id: number,
  records: readonly RecordKey[],
  now_ms: number,
): Promise<void> {
  const ids = records.filter(({ kind }) => kind === 'clearing').map(({ id }) => id);
  if (ids.length === 0) return;
  const clearings = (await tx.cards.findClearings(ids)).filter((clearing) => !isDispute(clearing));
  for (const [currency, its] of Map.groupBy(clearings, ({ billing_currency }) => billing_currency)) {
    // The oldest card account of a currency has the purchases.
    const account = await tx.accounts.findFirst({ company_id, kind: 'card', currency });
    if (account !== null) await showOn(tx, account, its, now_ms);
  }
}

async function showOn(
  { bank }: MirrorTx,
  account: Account,
  clearings: readonly Clearing[],
  now_ms: number,
): Promise<void> {
  const known = new Set(await bank.shownReferences(account.id, clearings.map(referenceOf)));
  const arrived = clearings.filter((clearing) => !known.has(referenceOf(clearing)));
  if (arrived.length === 0) return;
  const moved = arrived.reduce((sum, clearing) => sum + signedAmount(clearing), 0);
  let balance = (await bank.moveBalance(account.id, moved, now_ms)).booked - moved;
  const rows = arrived.map((clearing) => {
    balance += signedAmount(clearing);
    return transactionOf(
      account,
      clearing,
      isShowableBalance(balance, account.currency) ? money(balance) : null,
      now_ms,
    );
  });
  for (let at = 0; at < rows.length; at += bank_rows_max) await bank.recordShown(rows.slice(at, at + bank_rows_max));
}

function referenceOf({ id }: Clearing): string {
  return `clearing-${id}`;
}

/** As the account sees it: purchases negative. */
function signedAmount({ clearing_type, billing_amount }: Clearing): Money {
  return money(clearing_type === 'DEBIT' ? -billing_amount : billing_amount);
}

function transactionOf(
  account: Account,
  clearing: Clearing,
  balance_after: Money | null,
  now_ms: number,
): Omit<ShownTransaction, 'id'> {
  const { clearing_type, settlement_date, acquirer_reference_data, mcc, details } = clearing;
  const merchant_name = typeof details.merchant_name === 'string' ? maskCardNumbers(details.merchant_name) : null;
  const what = clearing_type === 'DEBIT' ? 'Card purchase' : 'Card refund';
  return {
    account_id: account.id,
    bank_reference: referenceOf(clearing),
    booking_date: settlement_date,
    value_date: settlement_date,
    amount: signedAmount(clearing),
    bai_code: clearing_type === 'DEBIT' ? '821' : '824',
    text: merchant_name === null ? what : `${what} ${merchant_name}`,
    acquirer_reference: acquirer_reference_data,
    balance_after,
    merchant_name,
    merchant_category_code: mcc,
    recorded_at_ms: now_ms,
  };
}

import { type BankAccount, type BookedTransaction, bookingSignOf } from '@tallystick/accounts';
import {
  type CreditDebitIndicator,
  indicatorOfBalance,
  maskedText,
  present,
  shortened,
  showAmount,
  showDay,
} from './amount.ts';

/**
 * OBTransaction6. `TransactionInformation`, `Balance` and `MerchantDetails` are detail-only.
 *
 * The acquirer reference maps a clearing to a transaction (service specification 1.5), so it is
 * always in `SupplementaryData.AcquirerReference` when the transaction has one, and also the
 * `TransactionReference` when the bank has none of its own.
 */
export function showTransaction(
  { number, currency }: Pick<BankAccount, 'number' | 'currency'>,
  transaction: BookedTransaction,
  { detail }: { readonly detail: boolean },
): object {
  const { bai_code, acquirer_reference } = transaction;
  return present({
    AccountId: number,
    TransactionId: transaction.transaction_id,
    TransactionReference: referenceOf(transaction),
    CreditDebitIndicator: indicatorOf(transaction),
    Status: 'Booked',
    BookingDateTime: showDay(transaction.booking_date),
    ValueDateTime: showDay(transaction.value_date),
    Amount: showAmount(transaction.amount, currency),
    ProprietaryBankTransactionCode: { Code: bai_code, Issuer: 'BAI' },
    ...(detail ? showDetail(transaction, currency) : {}),
    SupplementaryData: {
      // The spelling of service specification 4.6.
      ProprietartyBankTransactionCode: { Code: bai_code },
      ...(acquirer_reference === null ? {} : { AcquirerReference: acquirer_reference }),
    },
  });
}

function referenceOf({ bank_reference, acquirer_reference }: BookedTransaction): string | undefined {
  // The digits of an acquirer reference are no card number, even when they look like one.
  if (bank_reference === null || bank_reference === acquirer_reference) return shortened(acquirer_reference, 210);
  return maskedText(bank_reference, 210);
}

/** A transaction of zero has the side of its BAI code; a credit when that has none. */
function indicatorOf({ amount, bai_code }: BookedTransaction): CreditDebitIndicator {
  if (amount === 0) return bookingSignOf(bai_code) === 'debit' ? 'Debit' : 'Credit';
  return amount < 0 ? 'Debit' : 'Credit';
}

function showDetail(
  { text, balance_after, merchant_name, merchant_category_code }: BookedTransaction,
  currency: string,
): object {
  return {
    TransactionInformation: maskedText(text, 500),
    Balance:
      balance_after === null
        ? undefined
        : {
            CreditDebitIndicator: indicatorOfBalance(balance_after),
            Type: 'InterimBooked',
            Amount: showAmount(balance_after, currency),
          },
    MerchantDetails:
      merchant_name === null && merchant_category_code === null
        ? undefined
        : present({
            MerchantName: maskedText(merchant_name, 350),
            MerchantCategoryCode: merchant_category_code ?? undefined,
          }),
  };
}

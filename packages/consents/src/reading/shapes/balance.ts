import { type AccountBalance, availableOf, type BankAccount } from '@tallystick/accounts';
import { type Money, toInstantText } from '@tallystick/kernel';
import { indicatorOfBalance, showAmount } from './amount.ts';

/**
 * The balances of an account: InterimBooked, and InterimAvailable, which includes the credit line.
 * Only InterimAvailable has `CreditLine` (service specification 2.12).
 */
export function showBalances(account: BankAccount, balance: AccountBalance): readonly object[] {
  const show = (Type: string, amount: Money) => ({
    AccountId: account.number,
    CreditDebitIndicator: indicatorOfBalance(amount),
    Type,
    DateTime: toInstantText(balance.as_of_ms),
    Amount: showAmount(amount, account.currency),
  });
  return [
    show('InterimBooked', balance.booked),
    { ...show('InterimAvailable', availableOf(balance, account.currency)), ...showCreditLine(account, balance) },
  ];
}

function showCreditLine({ kind, currency }: BankAccount, { credit_line }: AccountBalance): object {
  if (credit_line === null) return {};
  const Type = kind === 'card' ? 'Credit' : 'Pre-Agreed';
  return { CreditLine: [{ Included: true, Type, Amount: showAmount(credit_line, currency) }] };
}

import type { StatementHead } from '@tallystick/accounts';
import { isCurrency, isDay, type Money } from '@tallystick/kernel';
import { accountNumberOf, oneLine } from '../stated-text.ts';
import { type Collected, dayOfChoice, EntryProblem, minorUnitsOf, signedAmount, signOf } from './entry.ts';

interface StatedBalance {
  readonly type: string;
  readonly sub_type: string;
  readonly amount: Money;
  /** YYYY-MM-DD; null when it states none. */
  readonly day: string | null;
}

const balances_max = 1_000;

/** A statement as far as it was read, before its first entry. */
export class CollectedStatement {
  readonly own: Collected;
  readonly #balances: StatedBalance[] = [];
  #currency: string | null = null;

  constructor(own: Collected) {
    this.own = own;
  }

  /** Adds a balance. Returns what is wrong with it, or null. */
  addBalance(balance: Collected): EntryProblem | null {
    const currency = balance.get('Amt@Ccy');
    if (!isCurrency(currency))
      return new EntryProblem('currency_unknown', 'a balance must have a currency of ISO 4217');
    const type = balance.get('Tp/CdOrPrtry/Cd') || balance.get('Tp/Cd');
    // Only booked balances are read: others may be in another currency.
    if (!booked_types.includes(type)) return null;
    this.#currency ??= currency;
    if (currency !== this.#currency) {
      return new EntryProblem('currency_differs', 'the booked balances of a statement must be in one currency');
    }
    const amount = minorUnitsOf(balance.get('Amt'), currency);
    const sign = signOf(balance.get('CdtDbtInd'));
    if (amount === null || sign === null) {
      return new EntryProblem(
        'balance_malformed',
        `a balance ${type} must be a decimal number in ${currency}, CRDT or DBIT`,
      );
    }
    const day = dayOfChoice(balance.get('Dt/Dt'), balance.get('Dt/DtTm'));
    if (day !== null && !isDay(day)) return new EntryProblem('date_malformed', `a balance ${type} must have a date`);
    if (this.#balances.length === balances_max) {
      return new EntryProblem('balances_exceeded', `a statement must have at most ${balances_max} booked balances`);
    }
    const sub_type = balance.get('Tp/SubTp/Cd');
    this.#balances.push({ type, sub_type, amount: signedAmount(amount, sign), day });
    return null;
  }

  /**
   * Reads the head of the statement. Opening balance: OPBD, else PRCD, else the first ITBD; closing
   * balance: CLBD, else the last ITBD that is not the opening one. Pages of a statement open and
   * close with ITBD.
   */
  head(): (StatementHead & { readonly currency: string }) | EntryProblem {
    const account = this.own.get('Acct/Id/IBAN') || this.own.get('Acct/Id/Othr/Id');
    const account_number = accountNumberOf(account);
    if (account_number === null) {
      return new EntryProblem(
        'account_malformed',
        'Acct/Id must be an IBAN or another id of up to 34 letters and digits',
      );
    }
    const opening = this.#opening();
    const closing = this.#closing(opening);
    if (opening === undefined)
      return new EntryProblem('balance_missing', 'the statement must have a balance OPBD or PRCD');
    if (closing === undefined) return new EntryProblem('balance_missing', 'the statement must have a balance CLBD');
    const stated_currency = this.own.get('Acct/Ccy');
    const currency = this.#currency!;
    if (stated_currency !== '' && stated_currency !== currency) {
      return new EntryProblem('currency_differs', `Acct/Ccy must be ${currency}, the currency of the balances`);
    }
    const as_of = closing.day ?? dayOfChoice('', this.own.get('CreDtTm')) ?? '';
    if (!isDay(as_of)) return new EntryProblem('date_malformed', 'the closing balance must have a date');
    return {
      account_number,
      currency,
      reference: oneLine([this.own.get('Id')]) || null,
      as_of,
      opening_balance: opening.amount,
      closing_balance: closing.amount,
    };
  }

  #opening(): StatedBalance | undefined {
    return (
      this.#balances.find(({ type }) => type === 'OPBD') ??
      this.#balances.find(({ type }) => type === 'PRCD') ??
      this.#balances.find(({ type, sub_type }) => type === 'ITBD' && sub_type !== closing_interim)
    );
  }

  #closing(opening: StatedBalance | undefined): StatedBalance | undefined {
    return (
      this.#balances.findLast(({ type }) => type === 'CLBD') ??
      this.#balances.findLast((one) => one.type === 'ITBD' && one.sub_type !== opening_interim && one !== opening)
    );
  }
}

const booked_types: readonly string[] = ['OPBD', 'PRCD', 'ITBD', 'CLBD'];
const opening_interim = 'OIBD';
const closing_interim = 'CIBD';

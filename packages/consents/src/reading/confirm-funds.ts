import { availableOf } from '@tallystick/accounts';
import { currency_expected, decimalsOf, isCurrency, showValue, toInstantText } from '@tallystick/kernel';
import { isActive, unguessableId } from '../consent/consent.ts';
import { type Members, RequestBody } from '../consent/request-body.ts';
import { type OpenBankingErrorCode, OpenBankingRefusal } from '../open-banking-refusal.ts';
import type { ConsentsTx, CreatePorts, GrantedCall, ReadPorts } from '../ports.ts';
import { balanceOf, grantedAccount, notGranted, readEligibleUser, readGrantedConsent } from './open-grant.ts';

/** The most decimals of an amount (OBFundsConfirmation1). */
const decimals_max = 5;

interface FundsQuestion {
  readonly consent_id: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
}

/**
 * Confirms whether funds are available, from the body of a request (OBFundsConfirmation1). Returns
 * `Data` of OBFundsConfirmationResponse1. Available are own funds and the credit line; just enough
 * is enough.
 *
 * Refuses like a read; `invalid`: a wrong body with every problem, another consent than the token's
 * (`ConsentMismatch`), a consent that is not in force (`InvalidConsentStatus`), and another currency
 * than the account's (`Unsupported.Currency`).
 */
export async function confirmFunds(
  tx: Pick<ConsentsTx, 'consents'>,
  { bank, random }: ReadPorts & CreatePorts,
  call: GrantedCall,
  body: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const consent = await readGrantedConsent(tx, call);
  if (consent.kind !== 'funds_confirmation') throw notGranted();
  const question = readQuestion(body);
  if (question.consent_id !== consent.consent_id) {
    throw refuse('UK.OBIE.Resource.ConsentMismatch', 'Data.ConsentId', 'the token belongs to another consent');
  }
  if (consent.user_id !== null && consent.user_id !== call.user_id) throw notGranted();
  if (!isActive(consent, call.now_ms)) {
    throw refuse('UK.OBIE.Resource.InvalidConsentStatus', 'Data.Status', `the consent is ${consent.status}`);
  }
  const user = await readEligibleUser(bank, call, consent);
  const [account_number] = consent.account_numbers;
  if (account_number === undefined) throw notGranted();
  const account = await grantedAccount(bank, { consent, user }, account_number);
  if (question.currency !== account.currency) {
    const message = `the account is not in ${question.currency}`;
    throw refuse('UK.OBIE.Unsupported.Currency', 'Data.InstructedAmount.Currency', message);
  }
  const available = availableOf(await balanceOf(bank, account), account.currency);
  return {
    FundsConfirmationId: unguessableId(random, 'fc-'),
    ConsentId: consent.consent_id,
    CreationDateTime: toInstantText(call.now_ms),
    FundsAvailable: toFinestUnits(question.amount) <= minorToFinestUnits(available, account.currency),
    Reference: question.reference,
    InstructedAmount: { Amount: question.amount, Currency: question.currency },
  };
}

function readQuestion(body: unknown): FundsQuestion {
  const request = new RequestBody();
  const members = request.readBody(body);
  request.refuseUnexpected(members, '', ['Data']);
  const data = request.readObject(members, '', 'Data', ['ConsentId', 'Reference', 'InstructedAmount']);
  const consent_id = data === null ? null : request.readText(data, 'Data', 'ConsentId', 128);
  const reference = data === null ? null : request.readText(data, 'Data', 'Reference', 35);
  const amount = data === null ? null : readAmount(request, data);
  request.refuseInvalid();
  return { consent_id: consent_id!, reference: reference!, ...amount! };
}

function readAmount(request: RequestBody, data: Members): Pick<FundsQuestion, 'amount' | 'currency'> | null {
  const path = 'Data.InstructedAmount';
  const members = request.readObject(data, 'Data', 'InstructedAmount', ['Amount', 'Currency']);
  if (members === null) return null;
  const amount = request.readText(members, path, 'Amount', 19);
  const currency = request.readText(members, path, 'Currency', 3);
  const is_currency = currency !== null && isCurrency(currency);
  if (currency !== null && !is_currency) {
    const message = `${path}.Currency must be ${currency_expected}, not ${showValue(currency)}`;
    request.add('UK.OBIE.Field.Invalid', `${path}.Currency`, message);
  }
  if (amount !== null && !/^\d{1,13}(\.\d{1,5})?$/.test(amount)) {
    const message = `${path}.Amount must be up to 13 digits, and up to 5 decimals, such as 12.50, not ${showValue(amount)}`;
    request.add('UK.OBIE.Field.Invalid', `${path}.Amount`, message);
  } else if (amount !== null && is_currency && significantDecimals(amount) > decimalsOf(currency)) {
    const message = `${path}.Amount must have no more than ${decimalsOf(currency)} decimals in ${currency}`;
    request.add('UK.OBIE.Field.Invalid', `${path}.Amount`, message);
  }
  return amount === null || currency === null ? null : { amount, currency };
}

/** The decimals of an amount without zeros at its end. */
function significantDecimals(amount: string): number {
  return (amount.split('.')[1] ?? '').replace(/0+$/, '').length;
}

/** Exact for all amounts: whole numbers of the finest unit that an amount can have. */
function toFinestUnits(amount: string): bigint {
  const [whole = '', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(decimals_max, '0'));
}

function minorToFinestUnits(minor_units: number, currency: string): bigint {
  return BigInt(minor_units) * 10n ** BigInt(decimals_max - decimalsOf(currency));
}

function refuse(code: OpenBankingErrorCode, path: string, message: string): OpenBankingRefusal {
  return new OpenBankingRefusal('invalid', [{ code, path, message }]);
}

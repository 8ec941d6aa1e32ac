import { currency_expected, decimalsOf, isCurrency } from '@tallystick/kernel';
import { presentTolerances } from '@tallystick/operations';
import { catchUp, changeTolerances, readTolerances, type Tolerances } from '@tallystick/reconciliation';
import { type Command, formatList, type ParsedWords, UsageError } from '@tallystick/server';
import { showAmount, showDecimal } from '../words.ts';
import { companyOf, portsOf, writingCall } from './companies.ts';
import { namedByOption } from './filter-options.ts';

/**
 * The small differences that are accepted without a person (docs/reconciliation.md, "Tolerance").
 */
export const toleranceCommand: Command = {
  name: 'tolerance',
  summary: 'Shows the tolerances of a company, or changes that of a currency',
  options: {
    currency: 'the currency whose tolerance changes',
    amount: 'the largest difference that is accepted, such as 0.05',
    company: 'the company; needed when there are several',
  },
  flags: { remove: 'removes the tolerance of the currency' },
  async run(services, given) {
    const asked = readChange(given);
    const company_id = await companyOf(services, given);
    const ports = await portsOf(services);
    const call = writingCall(services, company_id);
    if (asked !== null) {
      await ports.unitOfWork
        .run((tx) => changeTolerances(tx, call, asked))
        .catch(namedByOption(() => '--amount, in minor units,'));
      await catchUp(ports, company_id);
    }
    const tolerances = await ports.unitOfWork.read((tx) => readTolerances(tx, call));
    return { data: presentTolerances(tolerances), text: describeTolerances(tolerances) };
  },
};

/** The change as the interface takes it; null when the command only shows. */
function readChange({ values, flags }: ParsedWords): object | null {
  const [currency, amount, removes] = [values.get('currency'), values.get('amount'), flags.has('remove')];
  if (currency === undefined && amount === undefined && !removes) return null;
  if (currency === undefined) throw new UsageError('--currency is missing: a tolerance is of one currency');
  if (!isCurrency(currency)) throw new UsageError(`--currency must be ${currency_expected}, not "${currency}"`);
  if ((amount === undefined) !== removes) throw new UsageError('give --amount to set the tolerance, or --remove');
  return { [currency]: amount === undefined ? null : minorUnitsOf(amount, currency) };
}

function minorUnitsOf(amount: string, currency: string): number {
  const decimals = decimalsOf(currency);
  const [, whole = '', part = ''] = /^(\d{1,12})(?:\.(\d{1,3}))?$/.exec(amount) ?? [];
  if (whole === '' || part.length > decimals) {
    throw new UsageError(
      `--amount must be an amount of ${currency} such as ${showDecimal(5, currency)}, not "${amount}"`,
    );
  }
  return Number(whole + part.padEnd(decimals, '0'));
}

function describeTolerances(tolerances: Tolerances): string {
  return formatList(
    'The company has no tolerance: no difference is accepted without a person.',
    ['currency', { head: 'accepted up to', is_number: true }],
    Object.entries(presentTolerances(tolerances)).map(([currency, amount]) => [currency, showAmount(amount, currency)]),
  );
}

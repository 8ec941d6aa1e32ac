import { presentLine } from '@tallystick/operations';
import { type LineOfItem, listLines, parseLineFilter, recordNameOf } from '@tallystick/reconciliation';
import { type Command, formatList, readItems, readOptionalId } from '@tallystick/server';
import { showDecimal } from '../words.ts';
import { callFor, companyOf, portsOf } from './companies.ts';
import { filtersFrom, readByOptions } from './filter-options.ts';

const lines_default = 100;

/** `npm run reconcile -- lines`: what the bank booked. */
export const linesCommand: Command = {
  name: 'lines',
  summary: 'Lists the lines of bank statements with their items, newest first',
  options: {
    account: 'only of the account with this number',
    from: 'only those that were booked on this date or later',
    to: 'only those that were booked on this date or before',
    amount:
      'only with this amount in minor units (cents), or a range such as [-5000,-4000]; debits are negative: --amount=-5000',
    reference: 'only with this reference of the bank, or this acquirer reference',
    code: 'only with this BAI code',
    company: 'the company; needed when there are several',
    limit: `how many; default ${lines_default}`,
  },
  async run(services, given) {
    const company_id = await companyOf(services, given);
    const { unitOfWork } = await portsOf(services);
    const call = callFor(services, company_id);
    const names = { account: 'account_id', amount: 'amount', reference: 'reference', code: 'bai_code' };
    const filters = filtersFrom(given, { ...names, dates: 'booking_date' });
    const filter = readByOptions(() => parseLineFilter(filters, call.now_ms));
    const limit = readOptionalId(given, 'limit') ?? lines_default;
    const found = await readItems((page) => unitOfWork.read((tx) => listLines(tx, call, filter, page)), limit);
    return { data: found.map(presentLine), text: describeLines(found) };
  },
};

function describeLines(found: readonly LineOfItem[]): string {
  return formatList(
    'There are no such lines.',
    ['line', 'booked', { head: 'amount', is_number: true }, '', 'code', { head: 'item', is_number: true }, 'text'],
    found.map(({ line: { id, booking_date, amount, currency, bai_code, text }, item_id }) => [
      recordNameOf({ kind: 'line', id }),
      ...[booking_date, showDecimal(amount, currency), currency, bai_code],
      item_id,
      text,
    ]),
  );
}

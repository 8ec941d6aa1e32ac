import { presentApproval, presentPeriod } from '@tallystick/operations';
import { closePeriod, isApproval, listPeriods, type Period, reopenPeriod } from '@tallystick/reconciliation';
import { type Command, formatList, readItems, requireOption } from '@tallystick/server';
import { count, counted } from '../words.ts';
import { callFor, companyOf, portsOf, writingCall } from './companies.ts';
import { namedByOption } from './filter-options.ts';
import { describePending } from './pending-text.ts';

const company_option = { company: 'the company; needed when there are several' };

/** Closing days, and undoing it (docs/reconciliation.md, "Periods"). */
export const periodCommands: readonly Command[] = [
  {
    name: 'close',
    summary: 'Closes the days up to a date: matched, accepted and ignored items do not change any more',
    options: { through: 'the last day, YYYY-MM-DD', ...company_option },
    async run(services, given) {
      const closed_through = requireOption(given, 'through');
      const company_id = await companyOf(services, given);
      const ports = await portsOf(services);
      const period = await closePeriod(ports, writingCall(services, company_id), { closed_through }).catch(
        namedByOption(() => '--through'),
      );
      if (isApproval(period)) return { data: presentApproval(period), text: describePending(period) };
      const { frozen, open_breaks } = period;
      const text = `Closed through ${period.closed_through}: ${counted(frozen, 'item')} frozen, ${counted(open_breaks, 'open break')}`;
      return { data: presentPeriod(period), text };
    },
  },
  {
    name: 'reopen-period',
    summary: 'Reopens the newest closed period, on the record',
    options: {
      note: 'why, for the period and the audit log',
      reason: 'a reason in words of your own',
      ...company_option,
    },
    async run(services, given) {
      const { values } = given;
      const why = { note: values.get('note') ?? null, reason: values.get('reason') ?? null };
      const company_id = await companyOf(services, given);
      const ports = await portsOf(services);
      const newest = await ports.unitOfWork.read((tx) => tx.reconciliation.newestPeriod(company_id));
      if (newest === null) throw new Error('no period is closed');
      const period = await reopenPeriod(ports, writingCall(services, company_id), newest.id, why);
      if (isApproval(period)) return { data: presentApproval(period), text: describePending(period) };
      return { data: presentPeriod(period), text: `Reopened: the days through ${period.closed_through} are open` };
    },
  },
  {
    name: 'periods',
    summary: 'Lists the periods, newest first',
    options: company_option,
    async run(services, given) {
      const company_id = await companyOf(services, given);
      const { unitOfWork } = await portsOf(services);
      const call = callFor(services, company_id);
      const periods = await readItems((page) => unitOfWork.read((tx) => listPeriods(tx, call, page)));
      return { data: periods.map(presentPeriod), text: describePeriods(periods) };
    },
  },
];

function describePeriods(periods: readonly Period[]): string {
  return formatList(
    'No period was closed.',
    ['through', 'status', { head: 'frozen', is_number: true }, { head: 'open breaks', is_number: true }, 'closed'],
    periods.map((period) => [
      period.closed_through,
      period.status,
      count(period.frozen),
      count(period.open_breaks),
      presentPeriod(period).closed_at,
    ]),
  );
}

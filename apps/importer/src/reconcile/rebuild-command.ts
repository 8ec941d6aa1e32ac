import { type RebuildProgress, type Rebuilt, type RecordCounts, rebuild } from '@tallystick/reconciliation';
import { type Command, readOptionalId } from '@tallystick/server';
import { chooseDisplay, createStopSignal, type ProgressTerminal } from '../progress-display.ts';
import { count, counted } from '../words.ts';
import { portsOf } from './companies.ts';

const differences_found = 3;

/** `npm run reconcile -- rebuild`: recomputes all items, and mends what differs. */
export function rebuildCommand(terminal: ProgressTerminal): Command {
  const { stderr } = terminal;
  return {
    name: 'rebuild',
    summary: 'Recomputes all items from their records, and mends what differs',
    options: { company: 'only of this company; all companies when absent' },
    flags: {
      check: `reports what differs and writes nothing; exit status ${differences_found} when something does`,
      quiet: 'no progress on standard error',
    },
    async run(services, given) {
      const company_id = readOptionalId(given, 'company') ?? null;
      const check_only = given.flags.has('check');
      const { unitOfWork, clock } = await portsOf(services);
      if (company_id !== null && (await unitOfWork.read((tx) => tx.companies.find(company_id))) === null) {
        throw new Error(`there is no company ${company_id}`);
      }
      const display = chooseDisplay(stderr, 'rebuild', {
        quiet: given.flags.has('quiet'),
        json: given.flags.has('json'),
      });
      const totals = new Map<number, RecordCounts>();
      const companies = await unitOfWork.read(async (tx) =>
        company_id === null ? await tx.reconciliation.companiesAfter(0, companies_counted_max) : [company_id],
      );
      for (const id of companies) {
        totals.set(id, await unitOfWork.read((tx) => tx.reconciliation_reports.countRecords(id)));
      }
      const onProgress = ({ company_id: of, phase, done }: RebuildProgress): void => {
        const counts: Readonly<Partial<Record<typeof phase, number>>> = totals.get(of) ?? {};
        const records_total = counts[phase] ?? null;
        display.show({ phase, bytes: 0, bytes_total: null, records: done, records_total });
      };
      const signal = createStopSignal(terminal);
      let rebuilt: Rebuilt;
      try {
        const options = { company_id, check_only, onProgress, signal };
        rebuilt = await rebuild({ unitOfWork, clock }, options);
      } catch (error) {
        throw signal.aborted ? new Error('stopped; what was mended stays, and the same command begins again') : error;
      } finally {
        display.end();
      }
      const differences = rebuilt.items_different + rebuilt.entries_different + rebuilt.cells_different;
      return {
        data: { ...rebuilt, check: check_only },
        text: describe(rebuilt, check_only),
        status: check_only && differences > 0 ? differences_found : 0,
      };
    },
  };
}

/** The progress of a phase is shown only for so many companies. */
const companies_counted_max = 1_000;

function describe(rebuilt: Rebuilt, check_only: boolean): string {
  const { companies, records, items, items_different, entries_different, cells_different } = rebuilt;
  const walked = `${counted(records, 'record')} and ${counted(items, 'item')} of ${count(companies)} ${companies === 1 ? 'company' : 'companies'}`;
  if (items_different + entries_different + cells_different === 0) return `${walked}: nothing differs`;
  const found = [
    counted(items_different, 'item'),
    `${count(entries_different)} ${entries_different === 1 ? 'entry' : 'entries'}`,
    counted(cells_different, 'total'),
  ].join(', ');
  return `${walked}: ${found} ${check_only ? 'differ; run it without --check to mend them' : 'differed and were mended'}`;
}

import type { PageRequest } from '@tallystick/kernel';
import { presentBridge, presentItem, presentSummary } from '@tallystick/operations';
import {
  type BreakAges,
  type BridgeDifference,
  break_kinds,
  catchUp,
  dateOf,
  exportItems,
  type Item,
  type ItemFilter,
  listItems,
  nameItems,
  parseItemFilter,
  type RulesReport,
  readBreakAges,
  readBridge,
  readDateRange,
  readRules,
  readSummary,
  type Summary,
  suggestFor,
  type UnexplainedLine,
} from '@tallystick/reconciliation';
import {
  type AdminServices,
  type Command,
  type ParsedWords,
  type Program,
  readItems,
  readOptionalId,
  requireOption,
  UsageError,
} from '@tallystick/server';
import type { ProgressTerminal } from '../progress-display.ts';
import { counted } from '../words.ts';
import { actCommands } from './act-commands.ts';
import { describeBreaks, describeNextStep, describeSums, type ShownBreak } from './breaks-text.ts';
import { BridgeTable, describeBridge } from './bridge-text.ts';
import { callFor, companiesOf, portsOf, type ReconcilePorts } from './companies.ts';
import { decideCommand } from './decide-command.ts';
import { filtersFrom, readByOptions } from './filter-options.ts';
import { linesCommand } from './lines-command.ts';
import { periodCommands } from './period-commands.ts';
import { rebuildCommand } from './rebuild-command.ts';
import { describeAges, describeRules, describeSummary, reportTable, reportTableHead } from './summary-text.ts';
import { toleranceCommand } from './tolerance-command.ts';

export interface ReconcileTerminal extends ProgressTerminal {
  readonly stdout: { write(text: string): unknown };
}

const breaks_default = 100;

const company_option = { company: 'only of this company; all companies when absent' };

const csv_flag = { csv: 'a table in CSV on standard output, of any length' };

/** `npm run reconcile`: what reconciliation found, for people (docs/reconciliation.md). */
export function createReconcileProgram(terminal: ReconcileTerminal): Program {
  return {
    invocation: 'npm run reconcile --',
    commands: [
      reportCommand(terminal),
      breaksCommand(terminal),
      linesCommand,
      ...actCommands,
      decideCommand(terminal),
      bridgeCommand(terminal),
      ...periodCommands,
      toleranceCommand,
      rebuildCommand(terminal),
    ],
    migrates: false,
    takes_database_url: true,
  };
}

function reportCommand({ stdout }: ReconcileTerminal): Command {
  return {
    name: 'report',
    summary: 'Counts items by status, kind, age and class, and matches by rule; the ages of breaks over 30 days',
    options: {
      ...company_option,
      from: 'matches, and items by person, only of those that settled on this date or later',
      to: 'matches, and items by person, only of those that settled on this date or before',
    },
    flags: csv_flag,
    async run(services, given) {
      const ports = await portsOf(services);
      const dates = datesOf(given, 'settlement_date');
      const is_table = given.flags.has('csv');
      const reports: CompanyReport[] = [];
      if (is_table) stdout.write(reportTableHead());
      for (const company_id of await companiesOf(ports, given)) {
        const call = callFor(services, company_id);
        const [summary, rules, ages] = await ports.unitOfWork.read(async (tx) => [
          await readSummary(tx, call),
          await readRules(tx, call, dates),
          await readBreakAges(tx, call),
        ]);
        if (is_table) for (const row of reportTable(company_id, summary, rules, ages)) stdout.write(row);
        else reports.push({ company_id, summary, rules, ages });
      }
      if (is_table) return { data: null, text: '' };
      return {
        data: reports.map(({ company_id, summary, rules, ages }) => ({
          company_id,
          summary: presentSummary(summary),
          rules,
          ages_of_breaks: Object.fromEntries(ages),
        })),
        text: reports.length === 0 ? 'There are no items.' : reports.flatMap(describeReport).join('\n'),
      };
    },
  };
}

interface CompanyReport {
  readonly company_id: number;
  readonly summary: ReadonlyMap<string, Summary>;
  readonly rules: RulesReport;
  /** By currency. */
  readonly ages: ReadonlyMap<string, readonly BreakAges[]>;
}

function describeReport({ company_id, summary, rules, ages }: CompanyReport): readonly string[] {
  if (summary.size === 0) return [`Company ${company_id}: no items`, ''];
  return [
    ...[...summary].flatMap(([currency, of_currency]) => [
      `Company ${company_id}, ${currency}`,
      '',
      ...describeSummary(of_currency, currency),
      ...describeAges(ages.get(currency) ?? []),
    ]),
    ...describeRules(rules),
    '',
  ];
}

function breaksCommand({ stdout }: ReconcileTerminal): Command {
  return {
    name: 'breaks',
    summary: 'Lists the breaks, newest first',
    options: {
      ...company_option,
      kind: `only this kind: ${break_kinds.join(', ')}`,
      class: 'only this class, such as force_post or over',
      card: 'only of the virtual card with this id',
      currency: 'only in this currency',
      from: 'only those that settled on this date or later',
      to: 'only those that settled on this date or before',
      amount: 'only with this amount in minor units (cents), or a range such as [100,250]',
      reference: 'only with this acquirer reference, or this reference of the bank',
      merchant: 'only of the merchant with exactly this name',
      account: 'only whose line is of the account with this number',
      booked: 'only whose line was booked on this date, or a range such as [2030-03-01,2030-03-31]',
      age: 'only of this age in days: a number or a range such as [4,7] or [31,]',
      limit: `how many; default ${breaks_default}. A table in CSV has all`,
    },
    flags: csv_flag,
    async run(services, given) {
      const ports = await portsOf(services);
      const filter = filterOf(services, given);
      const companies = await companiesOf(ports, given);
      if (given.flags.has('csv')) {
        const [company_id, ...others] = companies;
        if (others.length > 0) throw new UsageError('--csv needs --company: a table is of one company');
        if (company_id === undefined) return { data: null, text: '' };
        for await (const rows of exportItems(ports, callFor(services, company_id), filter)) stdout.write(rows);
        return { data: null, text: '' };
      }
      const limit = readOptionalId(given, 'limit') ?? breaks_default;
      const today = dateOf(services.clock().nowMs());
      const found: Item[] = [];
      let is_cut = false;
      for (const company_id of companies) {
        const call = callFor(services, company_id);
        const read = (page: PageRequest) => ports.unitOfWork.read((tx) => listItems(tx, call, filter, page));
        found.push(...(await readItems(read, limit - found.length + 1)));
        is_cut = found.length > limit;
        if (is_cut) break;
      }
      const shown = found.slice(0, limit);
      const breaks = await explainBreaks(ports, shown);
      const more = is_cut ? `, and more: --limit ${limit * 10}, or --csv for all` : '';
      const total = `${counted(shown.length, 'break')}, ${describeSums(shown)}${more}`;
      return {
        data: breaks.map(({ item, names, suggestions }) => presentItem(item, names, today, suggestions)),
        text:
          breaks.length === 0
            ? 'There are no such breaks.'
            : [describeBreaks(breaks, today, companies.length > 1), '', total, describeNextStep(breaks)].join('\n'),
      };
    },
  };
}

/** How many breaks are explained in one transaction. */
const explained_at_once = 50;

/** The breaks with what names their records, and what each may be matched with. */
async function explainBreaks({ unitOfWork }: ReconcilePorts, items: readonly Item[]): Promise<readonly ShownBreak[]> {
  const breaks: ShownBreak[] = [];
  for (const [company_id, its_items] of Map.groupBy(items, (item) => item.company_id)) {
    for (let from = 0; from < its_items.length; from += explained_at_once) {
      const some = its_items.slice(from, from + explained_at_once);
      const [names, suggestions] = await unitOfWork.read(async (tx) => [
        await nameItems(tx, company_id, some),
        await suggestFor(tx.reconciliation, company_id, some),
      ]);
      for (const item of some) {
        breaks.push({ item, names: names.get(item.id)!, suggestions: suggestions.get(item.id) ?? [] });
      }
    }
  }
  return breaks;
}

function bridgeCommand({ stdout }: ReconcileTerminal): Command {
  return {
    name: 'bridge',
    summary: 'Leads from the opening to the closing balance of an account, with each difference named',
    options: {
      account: 'the number of the account',
      from: 'from this booking date; from the first line when absent',
      to: 'to this booking date; to the last line when absent',
    },
    flags: { csv: 'the differences and unexplained lines as a table in CSV' },
    async run(services, given) {
      const ports = await portsOf(services);
      const number = requireOption(given, 'account');
      const dates = datesOf(given, 'booking_date');
      const account = await ports.unitOfWork.read((tx) => tx.accounts.findByNumber(number));
      if (account === null) throw new Error(`there is no account ${number}`);
      await catchUp(ports, account.company_id);
      if (given.flags.has('csv')) {
        const table = new BridgeTable(account.currency, (row) => stdout.write(row));
        const every = {
          listed_max: 0,
          onDifference: (difference: BridgeDifference) => table.addDifference(difference),
          onUnexplained: (line: UnexplainedLine) => table.addUnexplained(line),
        };
        await ports.unitOfWork.read((tx) => readBridge(tx, account, number, dates, every));
        return { data: null, text: '' };
      }
      const bridge = await ports.unitOfWork.read((tx) => readBridge(tx, account, number, dates));
      return { data: presentBridge(bridge), text: describeBridge(bridge) };
    },
  };
}

/** The filter of breaks, in the form of the filters of the interface. */
function filterOf(services: AdminServices, given: ParsedWords): ItemFilter {
  const filters = [
    ['status', 'break'] as const,
    ...filtersFrom(given, {
      ...{ kind: 'kind', class: 'class', currency: 'currency', card: 'vcn_id', age: 'age_days' },
      ...{ amount: 'amount', reference: 'reference', merchant: 'merchant_name', account: 'account_id' },
      ...{ booked: 'booking_date', dates: 'settlement_date' },
    }),
  ];
  return readByOptions(() => parseItemFilter(filters, services.clock().nowMs()), { booking_date: '--booked' });
}

function datesOf(given: ParsedWords, name: string) {
  const filters = new Map(filtersFrom(given, { dates: name }));
  return readByOptions(() => readDateRange(name, filters));
}

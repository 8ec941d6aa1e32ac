import { companyOf } from '@tallystick/access';
import { createFairShare, invalidQuery, type UnitOfWork } from '@tallystick/kernel';
import {
  type ActKind,
  type ActPorts,
  actOnItem,
  catchUp,
  dateOf,
  decideByTable,
  explainItem,
  exportItems,
  type ItemFilter,
  isApproval,
  listItems,
  nameItems,
  parseItemFilter,
  type ReconciliationPorts,
  readBridge,
  readDateRange,
  readRules,
  readSummary,
  steps_of_reads_max,
  suggestFor,
  type TableSource,
} from '@tallystick/reconciliation';
import * as z from 'zod';
import { readFilters } from '../call/query.ts';
import { data_of_domain, showAs } from '../fields.ts';
import {
  Busy,
  catches_up,
  companyCall,
  type Operation,
  type OperationCall,
  type OperationTx,
  operation,
  own_transactions,
  present,
  type ResultFile,
  type Spool,
  shares_pass,
} from '../operation.ts';
import { match_act, plain_act, table_answer, unmatch_act } from './act-shapes.ts';
import { approval } from './approval-shapes.ts';
import { lineOperations } from './lines.ts';
import { pending, presentExplainedItem, presentItem } from './presenter.ts';
import { presentBridge, presentSummary } from './report-presenter.ts';
import { bridge, bridge_filter, rules_filter, rules_report, summary } from './report-shapes.ts';
import { item, item_filter, item_with_history } from './shapes.ts';

/** The most tables that are written at the same time; each company has a fair share of them. */
const tables_max = 8;

/** The most bytes of a table of decisions (decision: reconciliation). */
export const table_bytes_max = 256 * 1024 * 1024;

/** Reads the rows of a table in CSV whose bytes can be opened several times. */
export type ReadTable = (open: () => AsyncIterable<Uint8Array>) => TableSource;

export interface ReconciliationOperationPorts extends ReconciliationPorts, Omit<ActPorts, 'unitOfWork'> {
  readonly unitOfWork: UnitOfWork<OperationTx>;
  readonly readTable: ReadTable;
  readonly spool: Spool;
}

/** An action on an item, as the document shows it. */
interface DocumentedAct {
  readonly action: ActKind;
  readonly runs_alone: string;
  readonly summary: string;
  readonly description: string;
  readonly body: z.ZodObject;
}

const acts: readonly DocumentedAct[] = [
  {
    action: 'match',
    runs_alone: shares_pass,
    summary: 'Match an item by hand with records of another side',
    description:
      'The effects on the card move as a rule would move them. No rule undoes the match. With `accept_difference` it also accepts what is left. Undone by `unmatch`, both at once.',
    body: match_act,
  },
  {
    action: 'unmatch',
    runs_alone: shares_pass,
    summary: 'Undo a match of an item',
    description:
      'The effects on the card move back, and no rule makes the match again. Undone by `match` with the same records.',
    body: unmatch_act,
  },
  {
    action: 'ignore',
    runs_alone: own_transactions,
    summary: 'Take an item out of every total',
    description: 'As long as its records and amounts are those that you saw. Undone by `reopen`.',
    body: plain_act,
  },
  {
    action: 'accept',
    runs_alone: own_transactions,
    summary: 'Accept the difference of a break',
    description: 'As long as its records and amounts are those that you saw. Undone by `reopen`.',
    body: plain_act,
  },
  {
    action: 'confirm',
    runs_alone: own_transactions,
    summary: 'Confirm a proposal',
    description:
      'Its matches are then made by a person, and no rule undoes them. A refund, reversal or dispute under review that belongs to nothing stands alone. Undone by `reopen`.',
    body: plain_act,
  },
  {
    action: 'reopen',
    runs_alone: own_transactions,
    summary: 'Undo an ignore, accept or confirm',
    description: 'The item is again what its records say.',
    body: plain_act,
  },
];

/**
 * Items, what people do to them, and reports (decision: reconciliation). Every read first records
 * what has arrived since.
 */
export function reconciliationOperations(ports: ReconciliationOperationPorts): readonly Operation[] {
  const tables = createFairShare(tables_max);

  async function before({ caller }: Pick<OperationCall, 'caller'>): Promise<void> {
    await catchUp(ports, companyOf(caller), { steps_max: steps_of_reads_max });
  }

  /** The table of items. Its place among those at the same time is free again when it has ended. */
  async function* writeTable(call: OperationCall, filter: ItemFilter): AsyncGenerator<string, void, undefined> {
    const owner = ownerOf(call);
    tables.take(owner);
    try {
      yield* exportItems(ports, companyCall(call), filter);
    } finally {
      tables.release(owner);
    }
  }

  return [
    operation('reconciliation', {
      id: 'reconciliation.items.list',
      summary: 'List the items, newest or oldest first',
      description: 'One for each purchase, lone clearing and lone card line.',
      query: {
        paged: true,
        filter: item_filter,
        flags: {
          suggestions: 'True: each break has what it may be matched with',
          oldest_first: 'True: the item whose first record arrived first comes first',
        },
      },
      runs_alone: catches_up,
      answer: z.array(item),
      before,
      async read(tx, call) {
        const { query, now_ms } = call;
        const today = dateOf(now_ms);
        const company_id = companyOf(call.caller);
        const page = await listItems(tx, companyCall(call), readItemFilter(call), {
          ...query.page,
          oldest_first: query.flag('oldest_first'),
        });
        const names = await nameItems(tx, company_id, page.items);
        const suggestions = query.flag('suggestions')
          ? await suggestFor(tx.reconciliation, company_id, page.items)
          : null;
        return present(page, (found) => presentItem(found, names.get(found.id)!, today, suggestions?.get(found.id)));
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.items.export',
      summary: 'Write the items as a table for spreadsheets, newest first',
      description:
        'In CSV, of any length. A text that a spreadsheet would run as a formula has an apostrophe before it. ' +
        'The table can be sent back with decisions.',
      query: { filter: item_filter },
      runs_alone: own_transactions,
      answer: null,
      answers_file: 'text/csv',
      only_reads: true,
      async perform(call) {
        const filter = readItemFilter(call);
        if (!tables.mayTake(ownerOf(call))) throw new Busy('the service is overloaded; try again', 'all', 1);
        await before(call);
        const media_type = 'text/csv; charset=utf-8; header=present';
        return { media_type, name: 'items.csv', pieces: writeTable(call, filter) } satisfies ResultFile;
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.items.read',
      summary: 'Read an item with its matches, alternatives and history',
      parameters: ['id'],
      description:
        'The id of an item that was merged into another one reads that one. The alternatives of a proposal name the authorizations that its clearings may belong to; lists leave them out. A break has its `suggestions`.',
      runs_alone: catches_up,
      answer: item_with_history,
      before,
      async read(tx, call) {
        const found = await explainItem(tx, companyCall(call), call.id);
        return presentExplainedItem(found, dateOf(call.now_ms));
      },
    }),
    ...lineOperations(before),
    operation('reconciliation', {
      id: 'reconciliation.summary',
      summary: 'Count the items by status, kind, class and age',
      runs_alone: catches_up,
      answer: summary,
      before,
      async read(tx, call) {
        return presentSummary(await readSummary(tx, companyCall(call)));
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.rules',
      summary: 'Count the matches of each rule, and what people confirmed and undid',
      description:
        'The cost depends on the number of settlement dates and of acts that confirmed or undid a match, not on the number of items.',
      query: { filter: rules_filter },
      runs_alone: catches_up,
      answer: rules_report,
      before,
      async read(tx, call) {
        const dates = readFilters(call.query, (filters) => readDateRange('settlement_date', filters));
        return await readRules(tx, companyCall(call), dates);
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.bridge',
      summary: 'Lead from the opening to the closing balance of an account, with each difference named',
      description: 'In the sign of the account: debits are negative.',
      query: { filter: bridge_filter },
      refusals: ['not_found'],
      runs_alone: catches_up,
      answer: bridge,
      before,
      async read(tx, call) {
        const account_id = call.query.filters.get('account_id');
        if (account_id === undefined) {
          throw invalidQuery({
            path: call.query.names.filter('account_id'),
            message: 'is required: the id of an account',
          });
        }
        const dates = readFilters(call.query, (filters) => readDateRange('booking_date', filters));
        return presentBridge(await readBridge(tx, companyCall(call), account_id, dates));
      },
    }),
    ...acts.map(({ action, runs_alone, summary, description, body }) =>
      operation('reconciliation', {
        id: `reconciliation.items.${action}`,
        summary,
        description: `${description} Answers 202 with an approval when a second person has to approve it first. Refused (\`conflict\`) when the state of the item does not allow it, while another act on it waits for a second person, or when it has changed: the error says what happened. The id of an item that was merged into another one is refused (\`conflict\`) unless the version of that one is sent.`,
        parameters: ['id'],
        body: data_of_domain,
        documented_body: body,
        refusals: ['conflict'],
        runs_alone,
        answer: item,
        answers_pending: approval,
        async perform(call) {
          const found = await actOnItem(ports, companyCall(call), call.id, action, call.body.data);
          if (isApproval(found)) return pending(found);
          const names = await ports.unitOfWork.read((tx) => nameItems(tx, found.company_id, [found]));
          return presentItem(found, names.get(found.id)!, dateOf(call.now_ms));
        },
      }),
    ),
    operation('reconciliation', {
      id: 'reconciliation.decisions.create',
      method: 'company.reconciliation.decisions.submit',
      summary: 'Decide items by a table',
      description:
        'The table of items, with its columns `decision` (`accept`, `ignore`, `confirm`, `reopen`, `match`) and `note` filled in, and of a match the column `with`: words such as `authorization:9`, `clearing:45`, `line:408` and `suggestion:1`, which is the one with this number in the column `suggestions` of the row; `accept_difference` among them also accepts what is left, and the note is the reason. A record is in one row of the table. Rows without a decision are skipped. All or nothing: with an error in a row nothing is decided, and the error names row and column. When an item changes while the table is written, the decisions before it are undone again, and the call is refused (`conflict`). Acts that need a second person are asked for, and the other rows are decided. The same table again changes nothing. With `dry_run` nothing is decided, and the result shows what would be.',
      query: { flags: { dry_run: 'True: only reports the errors of the rows, and decides nothing' } },
      file_bytes_max: table_bytes_max,
      runs_alone: own_transactions,
      answer: table_answer,
      async receive(call, bytes) {
        const dry_run = call.query.flag('dry_run');
        return await ports.spool(bytes, async (read) => {
          const answer = await decideByTable(ports, companyCall(call), ports.readTable(read), { dry_run });
          return showAs(table_answer, answer);
        });
      },
    }),
  ];
}

function ownerOf({ caller }: OperationCall): string {
  return `company:${companyOf(caller)}`;
}

function readItemFilter({ query, now_ms }: OperationCall): ItemFilter {
  return readFilters(query, (filters) => parseItemFilter(filters, now_ms));
}

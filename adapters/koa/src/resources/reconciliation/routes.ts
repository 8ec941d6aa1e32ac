import { companyOf } from '@tallystick/access';
import { invalidQuery } from '@tallystick/kernel';
import {
  catchUp,
  dateOf,
  explainItem,
  exportItems,
  type ItemFilter,
  listItems,
  parseItemFilter,
  type ReconciliationPorts,
  readBridge,
  readDateRange,
  readRules,
  readSummary,
  steps_of_reads_max,
} from '@tallystick/reconciliation';
import * as z from 'zod';
import { fileAnswer, list, resource } from '../../answer/answer.ts';
import { createFairShare } from '../../request/fair-share.ts';
import { Overloaded } from '../../request/overloaded.ts';
import { namedIn, readFilters } from '../../request/query.ts';
import { type ApiRequest, clientCall, type Route, route } from '../../request/route.ts';
import { bridge_filter, item_filter, rules_filter } from './filter-shapes.ts';
import { items_path, presentExplainedItem, presentItem, presentMinimalItem } from './presenter.ts';
import { presentBridge, presentRules, presentSummary } from './report-presenter.ts';
import { bridge, rules_report, summary } from './report-shapes.ts';
import { item, item_with_history } from './shapes.ts';

export const reconciliation_path = '/v1/reconciliation';

const of_items = { area: 'reconciliation', tag: 'Reconciliation' } as const;

/** The most tables that are written at the same time; each company has a fair share of them. */
const tables_max = 8;

/**
 * `/v1/reconciliation`: items and reports (decision: reconciliation). Every read takes first what
 * has arrived since.
 */
export function reconciliationRoutes(ports: ReconciliationPorts): readonly Route[] {
  const tables = createFairShare(tables_max);

  async function before({ principal }: ApiRequest): Promise<void> {
    await catchUp(ports, companyOf(principal), { steps_max: steps_of_reads_max });
  }

  /** The table of items. Its place among those at the same time is free again when it has ended. */
  async function* writeTable(request: ApiRequest, filter: ItemFilter): AsyncGenerator<string, void, undefined> {
    const call = clientCall(request);
    const owner = `company:${call.company_id}`;
    tables.take(owner);
    try {
      yield* exportItems(ports, call, filter);
    } finally {
      tables.release(owner);
    }
  }

  return [
    route({
      ...of_items,
      method: 'GET',
      path: items_path,
      operation_id: 'reconciliation.items.list',
      summary: 'List the items, newest first',
      description: 'One for each purchase, lone clearing and lone card line.',
      query: { paged: true, filters: namedIn(item_filter) },
      filter: item_filter,
      answer: z.array(item),
      before,
      async transaction(tx, request) {
        const { query, now_ms } = request;
        const today = dateOf(now_ms);
        const page = await listItems(tx, clientCall(request), readItemFilter(request), query.page);
        return list(query, page, (found) => presentItem(found, today), presentMinimalItem);
      },
    }),
    route({
      ...of_items,
      method: 'GET',
      path: `${reconciliation_path}/items.csv`,
      operation_id: 'reconciliation.items.export',
      summary: 'Write the items as a table for spreadsheets, newest first',
      description:
        'In CSV, of any length. A text that a spreadsheet would run as a formula has an apostrophe before it. ' +
        'The table can be sent back with decisions.',
      query: { filters: namedIn(item_filter) },
      filter: item_filter,
      answer: null,
      answers_file: 'text/csv',
      async perform(request) {
        const filter = readItemFilter(request);
        if (!tables.mayTake(`company:${companyOf(request.principal)}`)) throw new Overloaded();
        await before(request);
        const file = { media_type: 'text/csv; charset=utf-8; header=present', name: 'items.csv' };
        return await fileAnswer(file, writeTable(request, filter));
      },
    }),
    route({
      ...of_items,
      method: 'GET',
      path: `${items_path}/:id`,
      operation_id: 'reconciliation.items.read',
      summary: 'Read an item with its matches, alternatives and history',
      description:
        'The id of an item that was merged into another one answers with that. The alternatives of a proposal name the authorizations that its clearings may belong to; lists leave them out.',
      answer: item_with_history,
      before,
      async transaction(tx, request) {
        const found = await explainItem(tx, clientCall(request), request.id);
        return resource(presentExplainedItem(found, dateOf(request.now_ms)));
      },
    }),
    route({
      ...of_items,
      method: 'GET',
      path: `${reconciliation_path}/summary`,
      operation_id: 'reconciliation.summary',
      summary: 'Count the items by status, kind, class and age',
      answer: summary,
      before,
      async transaction(tx, request) {
        return resource(presentSummary(await readSummary(tx, clientCall(request))));
      },
    }),
    route({
      ...of_items,
      method: 'GET',
      path: `${reconciliation_path}/rules`,
      operation_id: 'reconciliation.rules',
      summary: 'Count the matches of each rule, and what people confirmed and undid',
      description:
        'The cost depends on the number of settlement dates and of acts that confirmed or undid a match, not on the number of items.',
      query: { filters: namedIn(rules_filter) },
      filter: rules_filter,
      answer: rules_report,
      before,
      async transaction(tx, request) {
        const dates = readFilters(request.query, (filters) => readDateRange('settlement_date', filters));
        return resource(presentRules(await readRules(tx, clientCall(request), dates)));
      },
    }),
    route({
      ...of_items,
      method: 'GET',
      path: `${reconciliation_path}/bridge`,
      operation_id: 'reconciliation.bridge',
      summary: 'Lead from the opening to the closing balance of an account, with each difference named',
      description: 'In the sign of the account: debits are negative.',
      query: { filters: namedIn(bridge_filter) },
      filter: bridge_filter,
      refusals: ['not_found'],
      answer: bridge,
      before,
      async transaction(tx, request) {
        const account_id = request.query.filters.get('account_id');
        if (account_id === undefined) {
          throw invalidQuery({ path: 'filter[account_id]', message: 'is required: the id of an account' });
        }
        const dates = readFilters(request.query, (filters) => readDateRange('booking_date', filters));
        return resource(presentBridge(await readBridge(tx, clientCall(request), account_id, dates)));
      },
    }),
  ];
}

function readItemFilter({ query, now_ms }: ApiRequest): ItemFilter {
  return readFilters(query, (filters) => parseItemFilter(filters, now_ms));
}

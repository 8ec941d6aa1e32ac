import { listLines, parseLineFilter, readLine } from '@tallystick/reconciliation';
import * as z from 'zod';
import { readFilters } from '../call/query.ts';
import { catches_up, companyCall, type Operation, operation, present, type ReadOperation } from '../operation.ts';
import { line, line_filter } from './line-shapes.ts';
import { presentLine } from './presenter.ts';

/** The statement lines of a company. `before` records what has arrived since. */
export function lineOperations(before: NonNullable<ReadOperation['before']>): readonly Operation[] {
  return [
    operation('reconciliation', {
      id: 'reconciliation.lines.list',
      summary: 'List the statement lines, newest first',
      description: 'All lines of all accounts, also those that belong to no item. Ordered by booking date.',
      query: { paged: true, filter: line_filter },
      runs_alone: catches_up,
      answer: z.array(line),
      before,
      async read(tx, call) {
        const filter = readFilters(call.query, (filters) => parseLineFilter(filters, call.now_ms));
        return present(await listLines(tx, companyCall(call), filter, call.query.page), presentLine);
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.lines.read',
      summary: 'Read a statement line',
      parameters: ['id'],
      runs_alone: catches_up,
      answer: line,
      before,
      async read(tx, call) {
        return presentLine(await readLine(tx, companyCall(call), call.id));
      },
    }),
  ];
}

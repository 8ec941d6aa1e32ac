import type { ShapeOf } from '@tallystick/operations';
import {
  type ActPorts,
  decideByTable,
  decision_columns,
  type TableAnswer,
  type TableSource,
} from '@tallystick/reconciliation';
import * as z from 'zod';
import { resource } from '../../answer/answer.ts';
import { clientCall, type Route, route } from '../../request/route.ts';
import { spooled } from '../../request/spool.ts';

/** The most bytes of a table of decisions (decision: reconciliation). */
export const table_bytes_max = 256 * 1024 * 1024;

/** Reads the rows of a table in CSV whose bytes can be opened several times. */
export type ReadTable = (open: () => AsyncIterable<Uint8Array>) => TableSource;

function presentTableAnswer({ dry_run, rows, skipped, decided, unchanged, errors, errors_total }: TableAnswer) {
  return { dry_run, rows, skipped, decided, unchanged, errors, errors_total };
}

const count = z.int().min(0);

export const row_error = z
  .object({
    row: z.int().min(1).describe('The line of names is row 1'),
    column: z.enum(decision_columns),
    message: z.string().describe('What it must be'),
  })
  .meta({ id: 'ReconciliationRowError', description: 'What is wrong with a row of a table' });

export const table_answer = z
  .object({
    dry_run: z.boolean().describe('Nothing was decided'),
    rows: count.describe('Rows below the names'),
    skipped: count.describe('Rows without a decision'),
    decided: count,
    unchanged: count.describe('Rows whose decision with that note stands already'),
    errors: z.array(row_error).readonly().describe('The first errors; empty unless it was a dry run'),
    errors_total: count,
  } satisfies ShapeOf<ReturnType<typeof presentTableAnswer>>)
  .meta({ id: 'ReconciliationDecisions', description: 'The result of a table of decisions' });

/** `POST /v1/reconciliation/decisions`: the table of items with decisions filled in. */
export function decisionRoutes(ports: ActPorts & { readonly readTable: ReadTable }): readonly Route[] {
  return [
    route({
      area: 'reconciliation',
      tag: 'Reconciliation',
      method: 'POST',
      path: '/v1/reconciliation/decisions',
      operation_id: 'reconciliation.decisions.create',
      summary: 'Decide items by a table',
      description:
        'The table of items, with its columns `decision` (`accept`, `ignore`, `confirm`, `reopen`) and `note` filled in. Rows without a decision are skipped. All or nothing: with an error in a row nothing is decided, and the error names row and column. When an item changes while the table is written, the decisions before it are undone again, and the answer is 409. The same table again changes nothing. With `dry_run=true` nothing is decided, and the answer shows what would be.',
      query: { flags: ['dry_run'] },
      uploads: ['text/csv'],
      takes_only_uploads: true,
      upload_bytes_max: table_bytes_max,
      answer: table_answer,
      async receive(request, body) {
        const dry_run = request.query.flag('dry_run');
        return await spooled(body, async ({ read }) => {
          const answer = await decideByTable(ports, clientCall(request), ports.readTable(read), { dry_run });
          return resource(presentTableAnswer(answer));
        });
      },
    }),
  ];
}

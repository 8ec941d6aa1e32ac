import {
  type AuditFilter,
  type AuditMac,
  createFairShare,
  invalidQuery,
  type UnitOfWork,
  verifyAuditLog,
} from '@tallystick/kernel';
import * as z from 'zod';
import { type Query, readCompanyFilter, withoutAbsent } from '../call/query.ts';
import { instants_filter } from '../events/shapes.ts';
import { filter_id, type_names } from '../fields.ts';
import {
  Busy,
  type Operation,
  type OperationCall,
  type OperationTx,
  operation,
  own_transactions,
  present,
  type ResultFile,
} from '../operation.ts';
import { writeAuditTable } from './audit-table.ts';
import { readInstantsFilter } from './operations.ts';
import { presentAuditEntry } from './presenter.ts';
import { audit_entry, audit_verification } from './shapes.ts';

/** The most entries that one call verifies: it takes about a tenth of a second. */
const verified_max = 5_000;

/** The most files of entries that are written at the same time. */
const files_max = 4;

const audit_text = z.string().min(1).max(255);

const object = audit_text.regex(/^[a-z_]+:\d+$/);

const audit_filter = z
  .object({
    company_id: filter_id.describe('Only entries that concern this company'),
    actor: audit_text.describe('Only what this caller did, such as `key:17`'),
    action: audit_text.describe('Only this action, such as `card_number.shown`'),
    object: object.describe('Only what was done to this object, such as `virtualcard:17`'),
    at: instants_filter.describe('Only entries of this time'),
  })
  .partial()
  .register(type_names, { id: 'AuditFilter' });

const audit_formats = ['csv', 'ndjson'] as const;

const from_number = z.string().regex(/^\d{1,15}$/);

export interface AuditOperationPorts {
  readonly unitOfWork: UnitOfWork<OperationTx>;
  readonly audit_mac: AuditMac;
}

/** `/operator/v1/audit`: who did what, and the proof that nobody changed it. */
export function auditOperations({ unitOfWork, audit_mac }: AuditOperationPorts): readonly Operation[] {
  const files = createFairShare(files_max);

  /** Its place among those at the same time is free again when it has ended. */
  async function* writeFile(call: OperationCall, filter: AuditFilter, format: 'csv' | 'ndjson') {
    files.take(call.actor);
    try {
      yield* writeAuditTable(unitOfWork, filter, format);
    } finally {
      files.release(call.actor);
    }
  }

  return [
    operation('oversight', {
      id: 'operator.audit.list',
      summary: 'List the entries of the audit log, newest first',
      query: { paged: true, filter: audit_filter },
      answer: z.array(audit_entry),
      async read(tx, { query }) {
        return present(await tx.audit.list(readAuditFilter(query), query.page), presentAuditEntry);
      },
    }),
    operation('oversight', {
      id: 'operator.audit.export',
      summary: 'Write the entries of the audit log to a file, newest first',
      description:
        'Of any length: in CSV for spreadsheets, or with `format` ndjson as one JSON text on each line. A text that a spreadsheet would run as a formula has an apostrophe before it in CSV.',
      query: {
        filter: audit_filter,
        texts: z.object({ format: z.enum(audit_formats).optional().describe('Absent: csv') }),
      },
      runs_alone: own_transactions,
      only_reads: true,
      answer: null,
      answers_file: ['text/csv', 'application/x-ndjson'],
      async perform(call) {
        const filter = readAuditFilter(call.query);
        const format = audit_formats.find((one) => one === (call.query.text('format') ?? 'csv'));
        if (format === undefined) {
          throw invalidQuery({ path: 'format', message: `must be one of ${audit_formats.join(', ')}` });
        }
        if (!files.mayTake(call.actor)) throw new Busy('the service is overloaded; try again', 'all', 1);
        const media_type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson';
        return { media_type, name: `audit.${format}`, pieces: writeFile(call, filter, format) } satisfies ResultFile;
      },
    }),
    operation('oversight', {
      id: 'operator.audit.verify',
      summary: 'Verify that no entry of the audit log was changed, removed or inserted',
      description: `Checks about ${verified_max} sealed entries, in the order of their numbers. While \`is_whole\` is false, call it again with \`from_number\` of the result.`,
      query: {
        texts: z.object({
          from_number: from_number.optional().describe('Trusts the entry with this number, and checks those after it'),
        }),
      },
      runs_alone: own_transactions,
      only_reads: true,
      answer: audit_verification,
      refusals: ['not_found'],
      async perform({ query }) {
        const text = query.text('from_number');
        if (text !== undefined && !from_number.safeParse(text).success) {
          throw invalidQuery({ path: 'from_number', message: 'must be the number of a sealed entry' });
        }
        const after = text === undefined || Number(text) === 0 ? {} : { after: Number(text) };
        const ports = { unitOfWork, mac: audit_mac };
        const found = await verifyAuditLog(ports, { ...after, entries_max: verified_max });
        const { checked, accepted, last, removed_number, finding, is_whole } = found;
        return {
          intact: finding === null,
          is_whole,
          checked,
          accepted,
          removed_number,
          from_number: last.number,
          link: last.link,
          finding,
        };
      },
    }),
  ];
}

function readAuditFilter(query: Query): AuditFilter {
  const company_id = readCompanyFilter(query);
  const at = readInstantsFilter(query, 'at');
  const texts = (['actor', 'action', 'object'] as const).flatMap((name) => {
    const value = query.filters.get(name);
    if (value === undefined) return [];
    if (audit_filter.shape[name].safeParse(value).success) return [[name, value] as const];
    const form = name === 'object' ? 'a kind and an id, such as virtualcard:17' : 'text of 1 to 255 characters';
    throw invalidQuery({ path: query.names.filter(name), message: `must be ${form}` });
  });
  return { ...Object.fromEntries(texts), ...withoutAbsent({ company_id, at }) };
}

import { type AuditFilter, type AuditLog, page_limit_max, type UnitOfWork } from '@tallystick/kernel';
import { type CellValue, toCsvRow } from '@tallystick/reconciliation';
import { presentAuditEntry } from './presenter.ts';

const columns = [
  'id',
  'at',
  'company_id',
  'actor',
  'source_address',
  'action',
  'object',
  'request_id',
  'details',
] as const;

/** The entries as lines, page by page in a transaction of its own: a long file holds nothing up. */
export async function* writeAuditTable(
  unitOfWork: UnitOfWork<{ readonly audit: AuditLog }>,
  filter: AuditFilter,
  format: 'csv' | 'ndjson',
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield toCsvRow(columns);
  for (let after: string | null = null; ; ) {
    const cursor: { readonly after?: string } = after === null ? {} : { after };
    const page = await unitOfWork.read((tx) => tx.audit.list(filter, { limit: page_limit_max, ...cursor }));
    const lines = page.items.map(presentAuditEntry).map((entry) => {
      if (format === 'ndjson') return `${JSON.stringify(entry)}\n`;
      return toCsvRow(columns.map((name) => cellOf(entry[name])));
    });
    if (lines.length > 0) yield lines.join('');
    after = page.next;
    if (after === null) return;
  }
}

function cellOf(value: unknown): CellValue {
  if (value === null || typeof value === 'number') return value;
  return { text: typeof value === 'string' ? value : JSON.stringify(value) };
}

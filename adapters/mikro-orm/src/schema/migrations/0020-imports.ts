import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** Imports of files, the records that they stage, and the quarantined records of each. */
export function imports(dialect: Dialect): readonly string[] {
  const { id, text, bytes, boolean, unique } = words(dialect);
  return [
    `create table imports (
      id ${id},
      name ${text} not null,
      format ${text} not null,
      profile ${text},
      sha256 ${text},
      file_id ${text},
      series ${text},
      sequence bigint,
      created_on ${text},
      mode ${text},
      status ${text} not null,
      phase ${text},
      is_repeatable ${boolean} not null,
      bytes bigint not null,
      records bigint not null,
      staged_ordinal bigint not null,
      staged_batches bigint not null,
      applied_of_batch bigint not null,
      applied bigint not null,
      duplicates bigint not null,
      quarantined bigint not null,
      matched bigint not null,
      breaks bigint not null,
      other_records ${text} not null,
      control_totals ${text} not null,
      warnings ${text} not null,
      problem ${text},
      started_at_ms bigint not null,
      finished_at_ms bigint,
      note ${text},
      lease ${text},
      lease_until_machine_ms bigint
    )`,
    unique('imports_sha256', 'imports', 'sha256'),
    'create index imports_page on imports (status, id)',
    'create index imports_series on imports (format, series, created_on, sequence)',
    'create index imports_file_id on imports (format, file_id)',
    `create table import_batches (
      id ${id},
      import_id bigint not null,
      kind ${text} not null,
      number bigint not null,
      sealed ${bytes} not null
    )`,
    unique('import_batches_number', 'import_batches', 'import_id, kind, number'),
    // The records are encrypted, so to compress them is in vain.
    ...(dialect === 'postgres' ? ['alter table import_batches alter column sealed set storage external'] : []),
    'create index quarantine_import on quarantine (import_id, ordinal) where import_id is not null',
    'create index quarantine_import_page on quarantine (import_id, id) where import_id is not null',
  ];
}

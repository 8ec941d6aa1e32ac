import { import_phases, import_statement_statuses, import_statuses, named_statements_max } from '@tallystick/imports';
import * as z from 'zod';
import { id_text, resource_url, resourceType, shown_instant, text_or_null, type_names } from '../fields.ts';

const count = z.int().min(0);

const amount = z.int();

export const import_status = z
  .enum(import_statuses)
  .describe(
    '`completed_with_quarantine`: some records are in quarantine, or statements held, and all others applied. `held`: ' +
      'nothing is applied until an operator releases it, or what it waits for is there. `refused`, `truncated`: nothing was applied',
  )
  .register(type_names, { id: 'ImportStatus' });

const problem = z
  .object({
    code: z.string().describe('A stable code, such as `trailer_missing`'),
    message: z.string().describe('What is wrong, and what to do'),
    offset: count.nullable().describe('Bytes from the start of the file; null where that is unknown'),
  })
  .meta({ id: 'ImportProblem', description: 'Why a file was not applied' });

const held_problem = {
  code: z.string().describe('A stable code, such as `statement_gap`'),
  message: z.string().describe('What is wrong, and what to do'),
  offset: count.nullable().describe('Bytes from the start of the file; null where that is unknown'),
  waits_for: text_or_null.describe(
    'The account to be created, or of which a statement is missing: then it is applied by itself. Else null',
  ),
};

const statement_name = {
  number: z.int().min(1).describe('Its place among the statements of the file: `release` and `replay` take it'),
  account_number: z.string().describe('The account, as the file states it'),
  reference: text_or_null.describe("The bank's id of the statement; null: none"),
  as_of: z.iso.date().describe("The statement's date"),
  lines: count.describe('How many lines it has'),
};

const held_statement = z
  .object({ ...statement_name, ...held_problem })
  .meta({ id: 'HeldStatement', description: 'A statement of a file that is held, and why' });

/** A statement of an imported file, with what became of it. */
export const import_statement = z
  .object({
    ...statement_name,
    currency: text_or_null.describe('The currency of the statement, ISO 4217; null: not stated'),
    opening_balance: amount
      .nullable()
      .describe('Minor units of its currency, as stated or as it follows; null: not known'),
    closing_balance: amount
      .nullable()
      .describe('Minor units of its currency, as stated or as it follows; null: not known'),
    status: z
      .enum(import_statement_statuses)
      .describe('`staged`: to be checked. `recording`: its lines are being recorded'),
    problem: z.object(held_problem).nullable().describe('Why it is held; null: it is not'),
    type: resourceType('import_statement'),
  })
  .meta({ id: 'ImportStatement', description: 'A statement of an imported file, with what became of it' });

const read_with = z
  .object({
    profile: z.string().describe('The name of the profile'),
    settings_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('The SHA-256 of all settings of the profile, in hex; two imports with the same hash were read alike'),
  })
  .meta({ id: 'ImportProfile', description: 'How a file was read' });

/** A file that was imported, is being imported, or was not accepted. */
export const import_resource = z
  .object({
    id: id_text,
    name: z.string().describe('The name of the file'),
    format: z.string().describe('`cdf3`, `ipm`, `csv`, `vcf4`, `bai2`, `camt053`, `mt940`, or one that the host added'),
    profile: text_or_null.describe('The profile that was named; null: none'),
    read_with: read_with.nullable().describe('The profile by which it was read, named or found; null: none'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable()
      .describe('The SHA-256 of all bytes of the file, in hex; null until they are read'),
    file_id: text_or_null.describe('The id in the header; null: the file has none'),
    status: import_status,
    phase: z
      .enum(import_phases)
      .nullable()
      .describe(
        'What a running import does; null: it is not running. Clearings are `applying`; statements are `queued`, `checking` and `recording`',
      ),
    bytes: count.describe('Bytes that were read'),
    records: count.describe('Records of the file, header and trailer included'),
    statements: count.describe('Bank statements of the file; 0 for a file of clearings'),
    applied: count.describe('Clearings, or lines of statements, that were recorded'),
    duplicates: count.describe('Clearings or lines that were recorded before, by a message or another file'),
    quarantined: count.describe('Records in quarantine'),
    held: count.describe('Lines of held statements'),
    matched: count.describe('Applied clearings that matched an authorization or an earlier clearing'),
    breaks: count.describe(
      'Applied clearings whose class is `force_post`, `over` or `suspected_duplicate`, or that are marked for `review`',
    ),
    other_records: z
      .record(z.string(), count)
      .describe('Records that are neither clearings nor of a statement, by their type in the words of the format'),
    control_totals: z
      .record(z.string(), z.string())
      .describe('The totals of the trailer in the words of the format, in decimal'),
    warnings: z.array(z.string()).readonly().describe('For example a gap in the sequence of files'),
    problem: problem.nullable().describe('Why the file was held, refused or truncated; null: it was not'),
    held_statements: z
      .array(held_statement)
      .readonly()
      .describe(`The first held statements, at most ${named_statements_max}; all of them: \`/statements\``),
    note: text_or_null.describe('Why an operator released it; null: it was not released'),
    started_at: shown_instant.describe('When its file began to arrive, UTC'),
    finished_at: shown_instant.nullable().describe('When it ended, UTC; null while it is running'),
    type: resourceType('import'),
    url: resource_url,
  })
  .meta({ id: 'Import', description: 'A file that was imported, is being imported, or was not accepted' });

/** The first records that a preview shows, and the first that would not be applied. */
export const previewed_records_max = 20;

const previewed_record = z
  .object({
    ordinal: count.describe('Its place in the file'),
    outcome: z.enum(['applied', 'duplicate', 'quarantined', 'other']).describe('`other`: neither clearing nor line'),
    vcn_id: count.nullable().describe('The card of a clearing; null: unknown'),
    last4: text_or_null.describe('The last digits of the card; null: unknown'),
    account_number: text_or_null.describe('The account of a line; null: it is no line'),
    date: text_or_null.describe('Its settlement or booking date; null: it has none'),
    amount: amount
      .nullable()
      .describe('Minor units; negative: a line that takes from the account, or a credit; null: it has none'),
    currency: text_or_null.describe('The currency of the amount, ISO 4217; null: not known'),
    class: text_or_null.describe('How a clearing compares with what was authorized; null: it would not be recorded'),
    reason: text_or_null.describe('Why it would be in quarantine, or the type of another record; null: neither'),
    explanation: text_or_null.describe('Why it would be in quarantine, in words; null: it would not'),
  })
  .meta({ id: 'PreviewedRecord', description: 'What an import would do with one record' });

/** What an import of a file would do. */
export const import_preview = z
  .object({
    ...import_resource.pick({
      format: true,
      read_with: true,
      file_id: true,
      records: true,
      statements: true,
      other_records: true,
      control_totals: true,
      warnings: true,
      problem: true,
      held: true,
      held_statements: true,
      applied: true,
      duplicates: true,
      quarantined: true,
      matched: true,
      breaks: true,
    }).shape,
    status: import_status.exclude(['running']).describe('The status in which the import would end'),
    is_whole: z.boolean().describe('False: the file is longer than a preview reads. All is about its first records'),
    known_import_id: text_or_null.describe('The import that has applied the same bytes already; else null'),
    accounts: z.array(z.string()).readonly().describe(`The accounts of its lines, at most ${previewed_records_max}`),
    from: text_or_null.describe('The first date of its records; null: none has a date'),
    through: text_or_null.describe('The last date of its records; null: none has a date'),
    sums: z
      .record(z.string(), z.string())
      .describe('By currency, the sum of the amounts of its records: minor units in decimal'),
    first_records: z.array(previewed_record).readonly().describe(`At most ${previewed_records_max}`),
    problems: z
      .array(previewed_record)
      .readonly()
      .describe(`The first records that would be in quarantine, at most ${previewed_records_max}`),
    type: resourceType('import_preview'),
  })
  .meta({ id: 'ImportPreview', description: 'What an import of a file would do' });

const statement_number = z.int().min(1).optional().describe('The number of one held statement; absent: all of them');

/** The body that tries again what was not applied. */
export const replay_body = z
  .object({ data: z.object({ statement: statement_number }) })
  .meta({ id: 'ImportReplay', description: 'What is tried again', examples: [{ data: {} }] });

/** The body that releases a held import. The domain checks the note. */
export const release_body = z
  .object({
    data: z.object({
      note: z.string().describe('Why it may be applied; the audit log keeps it'),
      statement: statement_number,
    }),
  })
  .meta({
    id: 'ImportRelease',
    description: 'The release of a held import',
    examples: [{ data: { note: 'A corrected file: the sender confirmed it' } }],
  });

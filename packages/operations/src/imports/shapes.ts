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

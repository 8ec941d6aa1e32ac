import type { Account, ReportedLine, StatementHead } from '@tallystick/accounts';
import {
  type ClearingFormat,
  type FileItem,
  FileProblem,
  type FileStatement,
  type ItemBatch,
  type StatedClearing,
} from '@tallystick/imports';
import { type Money, money } from '@tallystick/kernel';
import { uniqueNumber } from '../unique.ts';

/** A line of a file in the format of these suites. */
export type Line =
  | {
      readonly kind: 'header';
      readonly file_id?: string | null;
      readonly sequence?: number;
      readonly created_on?: string;
      readonly mode?: 'production' | 'test';
    }
  | {
      readonly kind: 'clearing';
      readonly input: StatedClearing;
      readonly synthetic_id?: boolean;
      readonly last4?: string;
      readonly unread?: readonly string[];
    }
  | { readonly kind: 'bad'; readonly input?: StatedClearing; readonly reason?: string }
  | { readonly kind: 'other'; readonly type: string }
  | {
      readonly kind: 'statement';
      readonly head: Omit<FileStatement, 'kind' | 'number' | 'ordinal' | 'offset'>;
    }
  | { readonly kind: 'statement_end'; readonly closing_balance: Money | null; readonly as_of?: string }
  | { readonly kind: 'line'; readonly line: ReportedLine; readonly white_space?: string }
  | { readonly kind: 'trailer'; readonly records: number };

/** The lines of a whole file around these records. */
export function fileOf(
  records: readonly Exclude<Line, { readonly kind: 'header' | 'trailer' }>[],
  header: Omit<Extract<Line, { readonly kind: 'header' }>, 'kind'> = {},
): readonly Line[] {
  return [{ kind: 'header', ...header }, ...records, { kind: 'trailer', records: records.length + 2 }];
}

export function bytesOf(lines: readonly Line[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/**
 * A format of one JSON value per line, for tests of imports. A `bad` line cannot be read; its input
 * is found when the record is read again.
 */
export const line_format: ClearingFormat = {
  name: 'lines',
  title: 'JSON lines',
  may_lack_balances: true,
  detect: (head) => head[0] === 0x7b,
  async *read(chunks): AsyncIterable<ItemBatch> {
    const decoder = new TextDecoder();
    let [text, bytes, ordinal, offset, is_ended] = ['', 0, 0, 0, false];
    const counts = { statements: 0, lines: 0 };
    for await (const chunk of chunks) {
      text += decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
      const lines = text.split('\n');
      text = lines.pop()!;
      const items = lines.map((line): FileItem => {
        if (is_ended)
          throw new FileProblem('refused', 'bytes_after_end', 'the file continues after its trailer', offset);
        ordinal += 1;
        const item = itemOf(line, ordinal, offset, counts);
        offset += line.length + 1;
        is_ended = item.kind === 'end';
        return item;
      });
      yield { items, bytes };
    }
    if (!is_ended) throw new FileProblem('truncated', 'trailer_missing', 'the file ends without a trailer', offset);
  },
  readRecord: (raw, { ordinal, offset }) => {
    const { input } = JSON.parse(new TextDecoder().decode(raw));
    if (input === undefined) return { kind: 'bad', ordinal, offset, code: 'line_bad', reason: 'the line is bad', raw };
    return { kind: 'clearing', ordinal, offset, input, synthetic_id: false, last4: null };
  },
};

function itemOf(
  text: string,
  ordinal: number,
  offset: number,
  counts: { statements: number; lines: number },
): FileItem {
  const line = JSON.parse(text) as Line;
  const place = { ordinal, offset };
  switch (line.kind) {
    case 'header': {
      const { file_id = null, sequence = null, created_on = null, mode = null } = line;
      return { ...place, kind: 'header', file_id, series: 'A', sequence, created_on, mode };
    }
    case 'clearing': {
      const { input, synthetic_id = false, last4 = null, unread = [] } = line;
      return { ...place, kind: 'clearing', input, synthetic_id, last4, unread };
    }
    case 'bad': {
      const { reason = 'the line is bad' } = line;
      return { ...place, kind: 'bad', code: 'line_bad', reason, raw: new TextEncoder().encode(text) };
    }
    case 'statement':
      counts.statements += 1;
      counts.lines = 0;
      return { ...place, kind: 'statement', number: counts.statements, ...line.head };
    case 'statement_end':
      return { ...place, ...line, statement_number: counts.statements };
    case 'line':
      counts.lines += 1;
      return {
        ...place,
        kind: 'line',
        statement_number: counts.statements,
        place: counts.lines,
        line: line.line,
      };
    case 'other':
      return { ...place, kind: 'other', type: line.type, raw: new TextEncoder().encode(text) };
    case 'trailer':
      if (line.records !== ordinal) {
        const message = `the trailer counts ${line.records} records, and the file has ${ordinal}`;
        throw new FileProblem('refused', 'record_count_differs', message, offset);
      }
      return { kind: 'end', records: ordinal, control_totals: { records: String(ordinal) } };
  }
}

/** The records of a file of lines, without its header and trailer. */
export type Records = Parameters<typeof fileOf>[0];

/** A file id that no other file has. */
export function freshFileId(): string {
  return `file-${uniqueNumber()}`;
}

/** A statement of a test: its amounts lead from the opening balance on. */
export interface StatementPlan extends Partial<Omit<StatementHead, 'account_number'>> {
  readonly as_of: string;
  readonly opening: number;
  readonly lines: readonly (number | (Partial<Omit<ReportedLine, 'amount'>> & { readonly amount: number }))[];
  /** What the statement says in place of the balance to which its lines lead. */
  readonly closing?: number;
}

/** A line of this amount, without a reference of the bank. */
export function reportedLine(amount: number, changes: Partial<Omit<ReportedLine, 'amount'>> = {}): ReportedLine {
  return {
    bank_reference: null,
    booking_date: '2026-05-20',
    value_date: '2026-05-20',
    amount: money(amount),
    bai_code: '821',
    text: 'CARD PURCHASE',
    acquirer_reference: null,
    ...changes,
  };
}

export function statementRecords(account: Pick<Account, 'number'>, plan: StatementPlan): readonly Line[] {
  const { as_of, opening, closing, lines, ...head } = plan;
  const reported = lines.map((line) =>
    typeof line === 'number'
      ? reportedLine(line, { booking_date: as_of, value_date: as_of })
      : reportedLine(line.amount, { booking_date: as_of, value_date: as_of, ...line }),
  );
  const reached = reported.reduce((sum, { amount }) => sum + amount, opening);
  const stated: StatementHead = {
    account_number: account.number,
    currency: null,
    reference: null,
    as_of,
    opening_balance: money(opening),
    closing_balance: money(closing ?? reached),
    ...head,
  };
  return [{ kind: 'statement', head: stated }, ...reported.map((line): Line => ({ kind: 'line', line }))];
}

export function statementFile(
  account: Pick<Account, 'number'>,
  plans: readonly StatementPlan[],
  header: { readonly file_id?: string; readonly mode?: 'production' | 'test' } = {},
): readonly Line[] {
  const records = plans.flatMap((plan) => statementRecords(account, plan)) as unknown as Records;
  return fileOf(records, { file_id: freshFileId(), ...header });
}

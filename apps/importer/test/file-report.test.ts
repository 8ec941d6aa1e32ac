import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Import, PreviewedRecord } from '@tallystick/imports';
import { describeOutcome, describeRecord, describeResume, describeWork } from '../src/file-report.ts';

const staging = {
  held: 0,
  held_statements: [],
  id: 3,
  status: 'running',
  phase: 'staging',
  records: 44_000,
  statements: 0,
  read_with: null,
} as unknown as Import;
const applying: Import = {
  ...staging,
  phase: 'applying',
  records: 100_002,
  other_records: { fee: 50_000 },
  applied: 44_000,
  duplicates: 10,
  quarantined: 1,
};

describe('the report of an import', () => {
  it('says how far another process is, and which command shows it', () => {
    assert.deepEqual(describeOutcome('a.xml', { kind: 'in_progress', import: applying }).split('\n'), [
      'a.xml: another process is importing the same bytes (import 3). Nothing was changed here.',
      '  it continues there: applying, 44,011 of 50,002 records. See how far it is:',
      '    npm run imports -- show 3',
    ]);
    assert.match(describeOutcome('a.xml', { kind: 'in_progress', import: staging }), /staging, 44,000 records read/);
  });

  it('has a line for what became of the clearings, for other records, and for the totals', () => {
    const counts = { applied: 1_180, matched: 1_162, breaks: 7, duplicates: 19, quarantined: 3 };
    const others = {
      other_records: { '1740/700': 1, '1644/685': 2 },
      control_totals: { PDS0306: '1205', PDS0301: '9' },
    };
    const file = {
      status: 'completed',
      format: 'ipm',
      file_id: '17',
      bytes: 1,
      records: 1,
      warnings: [],
      problem: null,
    };
    const found = { ...staging, ...file, ...counts, ...others } as unknown as Import;
    assert.deepEqual(describeOutcome('a.ipm', { kind: 'imported', import: found }).split('\n'), [
      'a.ipm: completed (import 3)',
      '  format ipm, file id 17, 1 record, 1 byte',
      '  applied 1,180 (matched 1,162, breaks 7); duplicates 19; quarantined 3',
      '  other records: 1 of type 1740/700, 2 of type 1644/685',
      '  totals of the trailer: PDS0306 1205, PDS0301 9',
    ]);
  });

  it('counts the lines of statements, and says what to do with a held file of them', () => {
    const found = (changes: object) =>
      describeOutcome('a.bai', {
        kind: 'imported',
        import: {
          ...staging,
          status: 'completed',
          format: 'bai2',
          file_id: null,
          bytes: 1,
          records: 9,
          statements: 2,
          applied: 1_180,
          duplicates: 1,
          other_records: {},
          control_totals: {},
          warnings: [],
          problem: null,
          held: 0,
          held_statements: [],
          ...changes,
        } as unknown as Import,
      }).split('\n');
    assert.equal(found({})[2], '  applied 1,180 lines of 2 statements; duplicates 1');
    const held = (code: string) => {
      const statement = { number: 2, account_number: '12', reference: null, as_of: '2026-05-20', lines: 3, code };
      const held_statements = [{ ...statement, message: 'm', offset: null, waits_for: null }];
      const problem = { code, message: 'm', offset: null };
      return found({ status: 'held', applied: 0, duplicates: 0, held: 3, held_statements, problem }).join('\n');
    };
    assert.match(
      held('statement_gap'),
      /import the missing statement.*\n.*npm run imports -- release 3 .*--statement 2/s,
    );
    assert.match(held('unknown_account'), /npm run admin -- account create --number 12 /);
    assert.match(held('statement_currency'), /currency of the account/);
    assert.match(held('statement_differs'), /held 3 lines of 1 statement\n {2}held: statement 2, statement_differs: m/);
  });

  it('says how far an import of statements is', () => {
    const queued = { ...applying, phase: 'queued' } as const;
    assert.match(describeWork(queued, true), /^queued: another file of statements is being checked/);
    assert.equal(describeResume(queued, 'same'), 'continues import 3: all of it is staged (queued)');
    assert.match(describeWork({ ...applying, phase: 'recording' }, true), /^recording, 44,011 of 50,002 records/);
  });

  it('states the offset of a problem once', () => {
    const refused = { ...staging, status: 'refused', format: 'ipm', file_id: null, warnings: [], bytes: 9 } as const;
    const shown = (message: string): string => {
      const found = { ...refused, problem: { code: 'broken', message, offset: 12 } } as unknown as Import;
      return describeOutcome('a.ipm', { kind: 'imported', import: found });
    };
    assert.match(shown('record 7 at offset 12 is broken'), /\n {2}broken: record 7 at offset 12 is broken\n/);
    assert.match(shown('the block at offset 120 is broken'), /\n {2}broken at byte 12: the block at offset 120 is/);
  });

  it('says at which record an import is continued', () => {
    const continued = 'continues import 3 at record 44,012 of 50,002 (applying)';
    assert.equal(describeResume(staging, 'same'), 'continues import 3 at record 44,001 (staging)');
    assert.equal(describeResume(applying, 'same'), continued);
    const read_with = { profile: 'sender', settings_sha256: 'ab'.repeat(32) };
    assert.equal(
      describeResume({ ...applying, read_with }, 'other'),
      `${continued}. It was read with other settings than those of now, profile sender (settings abababababab), and is applied as it was read`,
    );
  });

  it('says that an import begins again whose settings changed while it was staged', () => {
    assert.match(
      describeResume(staging, 'other'),
      /^import 3 was staged up to record 44,000 with another .*beginning$/,
    );
  });

  it('says how an import continues whose process has died', () => {
    const file = { ...staging, sha256: 'a'.repeat(64) };
    assert.match(describeWork(file, true), /^staging, 44,000 records read; a process is at work on it$/);
    assert.match(describeWork(file, false), /Import the same file again within a day of its start: it continues/);
    assert.match(
      describeWork({ ...applying, sha256: null }, false),
      /Start a server, or import the same file again: it/,
    );
    const stream = describeWork({ ...staging, sha256: null }, false);
    assert.match(stream, /nothing of a stream is kept: give the same input again$/);
    assert.doesNotMatch(stream, /continues/);
  });

  it('shows amounts with the decimals of their currency in ISO 4217', () => {
    const shown = (currency: string): string | undefined =>
      /DEBIT (\S+) /.exec(
        describeRecord({ outcome: 'applied', clearing_type: 'DEBIT', amount: 1_234_500, currency } as PreviewedRecord),
      )?.[1];
    const decimals_of_currencies = {
      HUF: '12,345.00',
      COP: '12,345.00',
      USD: '12,345.00',
      JPY: '1,234,500',
      IQD: '1,234.500',
    };
    for (const [currency, expected] of Object.entries(decimals_of_currencies)) {
      assert.equal(shown(currency), expected, currency);
    }
  });
});

import { bai_codes, type ReportedLine, type StatementHead } from '@tallystick/accounts';
import type { StatementFileContent } from '@tallystick/imports';
import { money, Temporal } from '@tallystick/kernel';
import fc from 'fast-check';

/** Statements that are written and compared with what is read. */
export interface TestContent extends StatementFileContent {
  readonly statements: readonly { readonly head: StatementHead; readonly lines: readonly ReportedLine[] }[];
}

const record = <Value>(model: { [Name in keyof Value]: fc.Arbitrary<Value[Name]> }): fc.Arbitrary<Value> =>
  fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<Value>;

const day: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 9_000 })
  .map((days) => Temporal.PlainDate.from('2015-01-01').add({ days }).toString());

const word = fc.string({ minLength: 1, maxLength: 160, unit: fc.constantFrom(...'ABCxyz12,;/.-&<>"\'éß€') });

/** One line of words without an acquirer reference. */
const text: fc.Arbitrary<string> = fc
  .array(word, { maxLength: 6 })
  .map((words) => words.join(' '))
  .filter((line) => !line.startsWith('/') && !/\d{17}/.test(line));

const reference = fc.string({ minLength: 1, maxLength: 35, unit: fc.constantFrom(...'ABCDEF0123456789-/') });

const balance = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 }).map(money);

/** What a format can state. */
export interface Abilities {
  readonly reference: 'none' | 'any' | 'number';
  readonly statements_min: number;
  /** A statement may be without one. */
  readonly no_currency: boolean;
  /** The booking date of a line: that of its statement, any, or one near its value date. */
  readonly booking_date: 'as_of' | 'any' | 'near';
}

function datesOf(
  as_of: string,
  { booking_date }: Abilities,
): fc.Arbitrary<Pick<ReportedLine, 'booking_date' | 'value_date'>> {
  const value_date = fc.oneof(fc.constant(as_of), day);
  if (booking_date !== 'near') {
    return record({ booking_date: booking_date === 'any' ? day : fc.constant(as_of), value_date });
  }
  return fc.tuple(value_date, fc.integer({ min: -150, max: 150 })).map(([date, days]) => ({
    booking_date: Temporal.PlainDate.from(date).add({ days }).toString(),
    value_date: date,
  }));
}

function lineOf(as_of: string, able: Abilities): fc.Arbitrary<ReportedLine> {
  return record({
    bank_reference: fc.option(reference.filter((one) => !/^0+$/.test(one))),
    dates: datesOf(as_of, able),
    amount: fc.integer({ min: 0, max: 1_000_000_000_000 }),
    code: fc.constantFrom(...bai_codes.values()),
    text,
    acquirer_reference: fc.option(fc.oneof(fc.stringMatching(/^[0-9]{17}$/), fc.stringMatching(/^[0-9]{23}$/))),
  }).map(({ dates, amount, code: { code, sign }, ...rest }) => ({
    ...rest,
    ...dates,
    amount: money(sign === 'debit' ? -amount : amount),
    bai_code: code,
  }));
}

/** Content that the format can state. */
export function statementContent(able: Abilities): fc.Arbitrary<TestContent> {
  const references = {
    none: fc.constant(null),
    any: reference,
    number: fc.option(fc.stringMatching(/^[1-9]\d{0,4}$/)),
  };
  const statement = day.chain((as_of) =>
    record({
      head: record({
        account_number: fc.stringMatching(/^[A-Za-z0-9]{1,34}$/),
        currency: able.no_currency ? fc.option(currency) : currency,
        reference: references[able.reference],
        as_of: fc.constant(as_of),
        opening_balance: balance,
        closing_balance: balance,
      }),
      lines: fc.array(lineOf(as_of, able), { maxLength: 8 }),
    }),
  );
  return record({
    sequence: fc.integer({ min: 1, max: 99_999 }),
    created_on: day,
    statements: fc.array(statement, { minLength: able.statements_min, maxLength: 4 }),
  });
}

const currency = fc.constantFrom('USD', 'EUR', 'JPY', 'KWD');

/** A file of two statements. Only its numbers depend on the arguments. */
export function sampleStatements(lines: number, sequence: number): TestContent {
  const codes = [...bai_codes.values()];
  return {
    sequence,
    created_on: '2026-03-02',
    statements: [1, 2].map((number) => ({
      head: {
        account_number: `100000000${number}`,
        currency: 'USD',
        reference: null,
        as_of: `2026-03-0${number}`,
        opening_balance: money(100_000 * sequence),
        closing_balance: money(-250_000),
      },
      lines: Array.from({ length: lines }, (_, place) => {
        const { code, name, sign } = codes[(place * 7 + number) % codes.length]!;
        return {
          bank_reference: place % 3 === 0 ? null : `B${sequence}-${number}-${place}`,
          booking_date: `2026-03-0${number}`,
          value_date: place % 4 === 0 ? `2026-03-1${number}` : `2026-03-0${number}`,
          amount: money((sign === 'debit' ? -1 : 1) * (1_000 + place)),
          bai_code: code,
          text: place % 5 === 0 ? '' : `${name}, invoice 20/${place}`,
          acquirer_reference: place % 2 === 0 ? null : `74123456060${String(place).padStart(12, '0')}`,
        };
      }),
    })),
  };
}

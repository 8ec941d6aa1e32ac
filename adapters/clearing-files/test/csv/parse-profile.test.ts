import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCsvProfile, parseCsvProfileText } from '../../src/csv/parse-profile.ts';

const columns = {
  Ref: 'network_financial_transaction_id',
  Card: 'vcn_id',
  Amount: 'billing_amount',
  Kind: 'clearing_type',
  Posted: 'settlement_date',
};
const trailer = { column: 'Ref', value: 'TOTAL', count_column: 'Card', sum_column: 'Amount' };
const sender = { name: 'sender', delimiter: ';', columns, constants: { billing_currency: 'USD' }, trailer };

/** The problems of a profile that is not accepted. */
function problemOf(value: unknown): string {
  let problem = 'it is accepted';
  assert.doesNotThrow(() => {
    try {
      parseCsvProfile(value);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problem = error.message.replace(/^the CSV profile (sender )?is invalid: /, '');
    }
  });
  return problem;
}

describe('a CSV profile', () => {
  it('is accepted with the settings of its sender', () => {
    assert.equal(problemOf(sender), 'it is accepted');
    assert.equal(problemOf({ ...sender, quote: null, dates: 'DD.MM.YYYY' }), 'it is accepted');
    assert.equal(problemOf({ ...sender, quote: "'", words: { cycle: { R: 'reversal' } } }), 'it is accepted');
  });

  const wide = 'must be one character, and no letter, digit, quote or line break';
  const dates = 'YYYY-MM-DD, YYYYMMDD, DD/MM/YYYY, MM/DD/YYYY, DD.MM.YYYY, DD-MM-YYYY';
  const members =
    'name, delimiter, quote, columns, skips_other_columns, constants, words, dates, amounts, decimal_separator, id_columns, file_id_column, trailer';
  const of_trailer = 'column, count_column and sum_column of the trailer must be three columns';
  const refused: readonly (readonly [changes: unknown, problem: string])[] = [
    [null, 'the profile: must be an object, not null'],
    [[], 'the profile: must be an object, not a list'],
    ['sender', 'the profile: must be an object, not text'],
    [{ ...sender, name: undefined }, 'name: is required'],
    [{ ...sender, name: 'A' }, 'name: must be at most 32 small letters, digits, - and _'],
    [{ ...sender, columns: null }, 'columns: must be an object, not null'],
    [{ ...sender, trailer: null }, 'trailer: must be an object, not null'],
    [{ ...sender, delimiter: null }, 'delimiter: must be text, not null'],
    [{ ...sender, delimiter: ';;' }, `delimiter: ${wide}`],
    [{ ...sender, quote: '""' }, `quote: must be ", ' or null`],
    [{ ...sender, skips_other_columns: 'yes' }, 'skips_other_columns: must be true or false, not text'],
    [{ ...sender, delimeter: ';' }, 'the profile: has no member "delimeter" (did you mean delimiter?)'],
    [
      { ...sender, zzz: 1, trailler: {} },
      `the profile: has no member "zzz", "trailler" (did you mean trailer?); its members are ${members}`,
    ],
    [
      { ...sender, trailer: { ...trailer, sum_colum: 'x' } },
      'trailer: has no member "sum_colum" (did you mean sum_column?)',
    ],
    [
      { ...sender, constants: { ...sender.constants, clearing_typ: 'DEBIT' } },
      'constants: has no member "clearing_typ" (did you mean clearing_type?)',
    ],
    [{ ...sender, dates: 'YYYY/MM/DD' }, `dates: must be one of ${dates}; did you mean YYYY-MM-DD?`],
    [{ ...sender, dates: null }, `dates: must be one of ${dates}, not null`],
    [{ ...sender, amounts: 'cents' }, 'amounts: must be one of minor_units, decimal'],
    [{ ...sender, id_columns: [] }, 'id_columns: must have an entry'],
    [{ ...sender, id_columns: 'Ref' }, 'id_columns: must be a list of texts, not text'],
    [{ ...sender, id_columns: ['Ref', 'Ref'] }, 'id_columns names a column twice'],
    [{ ...sender, constants: { billing_currency: 840 } }, 'constants.billing_currency: must be text, not a number'],
    [{ ...sender, columns: { ...columns, '': 'mcc' } }, 'columns.: the name must not be empty'],
    [
      { ...sender, columns: { ...columns, ['x'.repeat(101)]: 'mcc' } },
      `columns.${'x'.repeat(101)}: the name must have at most 100 characters`,
    ],
    [{ ...sender, columns: { ...columns, Other: 'vcn_id' } }, 'two columns are vcn_id'],
    [{ ...sender, columns: { ...columns, 'a\nb': 'mcc' } }, 'the name of a column must have no line break'],
    [
      { ...sender, trailer: { column: 'Ref', value: '' } },
      'trailer.value: must not be empty; trailer.count_column: is required; trailer.sum_column: is required',
    ],
    [{ ...sender, trailer: { ...trailer, column: 'Amount' } }, of_trailer],
    [{ ...sender, trailer: { ...trailer, count_column: 'Ref' } }, of_trailer],
    [{ ...sender, trailer: { ...trailer, sum_column: 'Card' } }, of_trailer],
    [{ ...sender, file_id_column: 'Card' }, 'file_id_column must be no column of the trailer'],
    [{ ...sender, delimiter: "'", quote: "'" }, 'delimiter and quote must differ'],
    [
      { ...sender, quote: null, columns: { ...columns, 'a;b': 'mcc' } },
      'without quotes, the name of a column must not contain the delimiter',
    ],
    [
      { ...sender, quote: null, delimiter: '.', dates: 'DD.MM.YYYY' },
      'without quotes, the delimiter cannot be in dates, DD.MM.YYYY',
    ],
    [
      { ...sender, quote: null, delimiter: '.', amounts: 'decimal' },
      'without quotes, delimiter and decimal_separator must differ',
    ],
    [
      { ...sender, constants: { billing_currency: 'Dollar' } },
      'constants.billing_currency: must be a currency of ISO 4217',
    ],
    [{ ...sender, words: { clearing_type: { D: 'DEBT' } } }, 'words.clearing_type.D: must be DEBIT or CREDIT'],
    [{ ...sender, words: { partial: { N: 'no' } } }, 'words.partial.N: must be true or false'],
    [
      { ...sender, words: { cycle: { R: 'reversed' } } },
      'words.cycle.R: must be one of first_presentment, second_presentment, chargeback, reversal',
    ],
    [
      { ...sender, words: { settlement_date: { none: '2030-02-30' } } },
      'words.settlement_date.none: must be a date of the calendar, as YYYY-MM-DD',
    ],
    [
      { ...sender, words: { card_number: { fleet: '5555440000000006' } } },
      'words.card_number.fleet: must be no number of a card: name the card by vcn_id',
    ],
    [
      { ...sender, words: { vcn_id: { fleet: 'seventeen' } } },
      'words.vcn_id.fleet: must be the id of a card, 1 to 16 digits',
    ],
  ];
  for (const [profile, problem] of refused) {
    it(`is refused: ${problem.slice(0, 90)}`, () => {
      assert.equal(problemOf(profile), problem);
    });
  }

  it('is refused with the nearest field of a column that has none', () => {
    assert.match(
      problemOf({ ...sender, columns: { ...columns, M: 'merchant_nam' } }),
      /^columns\.M: must be one of network_.*, merchant_name; did you mean merchant_name\?$/,
    );
  });

  it('has no constant transaction id, which would name only the first row', () => {
    const constants = { ...sender.constants, network_financial_transaction_id: 'T1' };
    assert.equal(
      problemOf({ ...sender, constants }),
      'network_financial_transaction_id must be a column, not a constant',
    );
  });

  it('is refused with everything that is wrong with it', () => {
    assert.match(
      problemOf({ name: 'A', delimiter: ',,', columns: { a: 'no_field' }, colums: {} }),
      /name: must be .*delimiter: must be one character.*columns\.a: .*"colums" \(did you mean columns\?\)/s,
    );
    assert.equal(
      problemOf({ name: 'sender', columns: { a: 'mcc', b: 'mcc' }, trailer }),
      [
        'no column and no constant is billing_amount',
        'no column and no constant is billing_currency',
        'no column and no constant is clearing_type',
        'no column and no constant is settlement_date',
        'two columns are mcc',
        'no column is card_number or vcn_id',
        'a trailer needs a column that is billing_amount',
      ].join('; '),
    );
  });

  it('shows no card number that its members contain', () => {
    const number = '5555440000000006';
    for (const profile of [
      { ...sender, [number]: 1 },
      { ...sender, columns: { ...columns, [number]: 'merchant_nam' } },
      { ...sender, words: { card_number: { [number]: number } } },
    ]) {
      assert.ok(!problemOf(profile).includes(number), problemOf(profile));
    }
    assert.throws(
      () => parseCsvProfileText(`{"name": ${number} 1}`),
      (error: RangeError) => error.message.startsWith('it is no JSON: ') && !error.message.includes(number),
    );
  });

  it('is read from a JSON file, with a byte order mark too', () => {
    assert.deepEqual(parseCsvProfileText(`\ufeff${JSON.stringify(sender)}`), parseCsvProfile(sender));
  });

  it('is refused when a member is there twice, of which JSON keeps the last', () => {
    const text = JSON.stringify({ ...sender, words: { mcc: { '}': '"', a: '1' } } });
    assert.deepEqual(parseCsvProfileText(text).words, { mcc: { '}': '"', a: '1' } });
    for (const [member, repeated] of [
      ['"Amount":"billing_amount"', '"Amount":"merchant_amount","Amount":"billing_amount"'],
      ['"Amount":"billing_amount"', '"Amount":"merchant_amount","\\u0041mount":"billing_amount"'],
    ] as const) {
      assert.throws(
        () => parseCsvProfileText(text.replace(member, repeated)),
        new RangeError('the CSV profile is invalid: it has the member "Amount" twice'),
      );
    }
  });
});

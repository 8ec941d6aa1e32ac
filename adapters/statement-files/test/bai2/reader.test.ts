import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { endOf, headerOf } from '@tallystick/harness';
import { bai2 } from '../../src/index.ts';
import { assertProblem, itemsOf, linesIn, statementsIn } from '../reading.ts';

/** A file of one account with these details, and trailers that fit them. */
function fileOf(
  details: readonly string[],
  change: Partial<Record<'header' | 'group' | 'account', string>> = {},
): Buffer {
  const account = change.account ?? '03,1000000001,USD,010,10000,,,015,-2500,,/';
  const of_account = [...account.split('\n'), ...details.flatMap((detail) => detail.split('\n'))];
  const header = change.header ?? '01,021000018,1000,260302,0600,7,,,2/';
  const group = change.group ?? '02,1000,021000018,1,260301,2359,USD,2/';
  const sum = of_account.reduce((total, record) => total + amountIn(record), 0);
  const lines = [
    header,
    group,
    ...of_account,
    `49,${sum},${of_account.length + 1}/`,
    `98,${sum},1,${of_account.length + 3}/`,
    `99,${sum},1,${of_account.length + 5}/`,
  ];
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** The amounts of a record of these tests, as the control totals count them. */
function amountIn(record: string): number {
  const fields = record.replace(/\/$/, '').split(',');
  if (record.startsWith('16,')) return Number(fields[2]);
  if (!record.startsWith('03,')) return 0;
  return [...record.matchAll(/,0(?:10|15|45),([+-]?\d+)/g)].reduce((sum, [, amount]) => sum + Number(amount), 0);
}

const lineOf = async (detail: string) => linesIn(await itemsOf(bai2, fileOf([detail])))[0]?.line;

describe('a BAI2 file', () => {
  test('states its accounts, balances and lines', async () => {
    const items = await itemsOf(bai2, fileOf(['16,821,12500,0,B-1,74123456060000000000017,PAPER AND INK, LONDON/NW1']));
    assert.deepEqual(headerOf(items), {
      ...{ kind: 'header', ordinal: 1, offset: 0, file_id: '021000018-2026-03-02-7', series: null },
      ...{ sequence: null, created_on: '2026-03-02', mode: 'production' },
    });
    assert.deepEqual(statementsIn(items), [
      {
        ...{ kind: 'statement', ordinal: 3, offset: 76, number: 1, account_number: '1000000001', currency: 'USD' },
        ...{ reference: null, as_of: '2026-03-01', opening_balance: 10_000, closing_balance: -2_500 },
      },
    ]);
    assert.deepEqual(linesIn(items)[0], {
      ...{ kind: 'line', ordinal: 4, offset: 119, statement_number: 1, place: 1 },
      line: {
        ...{ bank_reference: 'B-1', booking_date: '2026-03-01', value_date: '2026-03-01', amount: -12_500 },
        ...{ bai_code: '821', text: 'PAPER AND INK, LONDON/NW1', acquirer_reference: '74123456060000000000017' },
      },
    });
    assert.deepEqual(endOf(items), {
      kind: 'end',
      records: 7,
      control_totals: { file_control_total: '20000', number_of_groups: '1', number_of_records: '7' },
    });
  });

  test('has the sign of a line by its type code', async () => {
    const signs = {
      195: 1,
      399: 1,
      495: -1,
      821: -1,
      822: 1,
      824: 1,
      825: -1,
      826: 1,
      760: -1,
      722: 1,
      964: -1,
      142: 1,
    };
    for (const [code, sign] of Object.entries(signs)) {
      assert.equal((await lineOf(`16,${code},100,,,,/`))?.amount, sign * 100, code);
    }
  });

  test('has the acquirer reference in the customer reference, else in the text', async () => {
    const refs = ['12345678901234567', '74123456060000000000017'];
    for (const ref of refs) {
      assert.equal((await lineOf(`16,821,1,,,${ref},/`))?.acquirer_reference, ref);
      assert.equal((await lineOf(`16,821,1,,,INV 7,CARD ${ref}/USD`))?.acquirer_reference, ref);
      assert.equal((await lineOf(`16,821,1,,,${ref},OTHER ${refs[0]}`))?.acquirer_reference, ref);
    }
    for (const ref of ['123456789012345678', '1234567890123456', '7412345606000000000001', 'A12345678901234567B1']) {
      const found = (await lineOf(`16,821,1,,,${ref},TEXT`))?.acquirer_reference;
      assert.equal(found, null, ref);
    }
  });

  test('keeps a customer reference that is no acquirer reference in the text', async () => {
    assert.equal((await lineOf('16,495,1,,,INV-77,Rent'))?.text, 'Rent INV-77');
    assert.equal((await lineOf('16,495,1,,,INV-77,Rent INV-77'))?.text, 'Rent INV-77');
    assert.equal((await lineOf('16,495,1,,,NONREF,Rent'))?.text, 'Rent');
  });

  test('has no bank reference where a bank only fills the field', async () => {
    for (const empty of ['', '0', '000000', 'NONREF']) {
      assert.equal((await lineOf(`16,495,1,,${empty},,Rent`))?.bank_reference, null, empty);
    }
  });

  test('reads each type of funds', async () => {
    for (const funds of ['', '0', '1', '2', 'Z', 'S,10,20,30', 'S,,,', 'D,2,0,50,1,50', 'V,,']) {
      const line = await lineOf(`16,399,100,${funds},REF,,TEXT`);
      assert.deepEqual([line?.bank_reference, line?.text, line?.value_date], ['REF', 'TEXT', '2026-03-01'], funds);
    }
    assert.equal((await lineOf('16,399,100,V,260305,1200,REF,,TEXT'))?.value_date, '2026-03-05');
  });

  test('continues any record, between fields and within a text', async () => {
    const account = '03,1000000001,USD,010/\n88,10000,2,S,1,2,3/\n88,015,-2500,/';
    const header = '01,021000018,1000,260302/\n88,0600,7,,,2/';
    const details = [
      '16,115,10000000,S,5000000,4000000,1000000/\n88,AX13612,B096132,AMALGAMATED CORP. LOCKBOX\n88,DEPOSIT-MISC. RECEIVABLES',
      '16,821,100,,REF-2/\n88,74123456060000000000017,/',
      '16,475,200,,REF-3,,\n88,text in/the next, record/',
    ];
    const bytes = fileOf(details, { account, header });
    // The test's own totals know neither amounts of continuations nor further records.
    const sum = 10_000 - 2_500 + 10_000_000 + 100 + 200;
    const corrected = bytes.toString().replace(/\n49,.*/s, `\n49,${sum},11/\n98,${sum},1,13/\n99,${sum},1,16/\n`);
    const items = await itemsOf(bai2, Buffer.from(corrected));
    assert.deepEqual(
      statementsIn(items).map(({ opening_balance, closing_balance }) => [opening_balance, closing_balance]),
      [[10_000, -2_500]],
    );
    assert.deepEqual(
      linesIn(items).map(({ line }) => [line.bank_reference, line.text, line.acquirer_reference]),
      [
        ['AX13612', 'AMALGAMATED CORP. LOCKBOX DEPOSIT-MISC. RECEIVABLES B096132', null],
        ['REF-2', '', '74123456060000000000017'],
        ['REF-3', 'text in/the next, record', null],
      ],
    );
    assert.equal(headerOf(items).file_id, '021000018-2026-03-02-7');
  });

  test('is the same with line breaks of Windows, blanks at the ends, or no last line break', async () => {
    const bytes = fileOf(['16,821,100,,R1,,A TEXT', '16,821,100,,R2,,']);
    const plain = linesIn(await itemsOf(bai2, bytes)).map(({ line }) => line);
    const text = bytes.toString();
    for (const other of [
      text.replaceAll('\n', '\r\n'),
      text.replaceAll('\n', '   \n'),
      text.trimEnd(),
      `\ufeff${text}`,
      `${text}\n\n   \n`,
    ]) {
      assert.deepEqual(
        linesIn(await itemsOf(bai2, Buffer.from(other))).map(({ line }) => line),
        plain,
      );
    }
  });

  test('may have physical records of a fixed length in blocks, with line breaks or without', async () => {
    const bytes = fileOf(['16,821,100,,R1,,A TEXT', '16,821,100,,R2,,/'], {
      header: '01,021000018,1000,260302,0600,7,80,10,2/',
    });
    const plain = linesIn(await itemsOf(bai2, bytes)).map(({ line }) => line);
    const records = bytes.toString().trimEnd().split('\n');
    const padded = records.map((record) => record.padEnd(80));
    const filler = Array.from({ length: 10 - (records.length % 10) }, () => ' '.repeat(80));
    for (const other of [
      padded.join(''),
      [...padded, ...filler].join(''),
      padded.join('\n'),
      padded.join('\r\n'),
      records.join('\n'),
    ]) {
      const items = await itemsOf(bai2, Buffer.from(other));
      assert.deepEqual(
        linesIn(items).map(({ line }) => line),
        plain,
      );
      assert.equal(endOf(items).records, records.length);
    }
  });

  test('may have several groups and accounts, each with its date and currency', async () => {
    const text = [
      '01,021000018,1000,20260302,0600,7,,,3/',
      '02,1000,021000018,1,260227,2359,EUR,4/',
      '03,1000000001,,010,500,,,015,400,,/',
      '16,825,100,,,,FX',
      '49,1000,3/',
      '03,JP-200 300,JPY,010,0,,,015,7,,,045,9,,/',
      '16,399,7,,,,/',
      '49,23,3/',
      '98,1023,2,8/',
      '02,1000,021000018,1,260301,,,/',
      '03,1000000001,,010,400,,,015,400,,/',
      '49,800,2/',
      '98,800,1,4/',
      '99,1823,2,14/',
    ].join('\n');
    const items = await itemsOf(bai2, Buffer.from(text));
    assert.deepEqual(
      statementsIn(items).map(({ number, account_number, currency, as_of }) => [
        number,
        account_number,
        currency,
        as_of,
      ]),
      [
        [1, '1000000001', 'EUR', '2026-02-27'],
        [2, 'JP200300', 'JPY', '2026-02-27'],
        [3, '1000000001', null, '2026-03-01'],
      ],
    );
    assert.deepEqual(
      linesIn(items).map(({ statement_number, place }) => [statement_number, place]),
      [
        [1, 1],
        [2, 1],
      ],
    );
  });

  test('reports a detail without money as another record', async () => {
    const items = await itemsOf(bai2, fileOf(['16,890,0,,,,HOLIDAY ON FRIDAY']));
    assert.deepEqual(items[2], { kind: 'other', ordinal: 4, offset: 119, type: '16/890' });
  });

  test('is a test when its groups say so', async () => {
    const bytes = fileOf([], { group: '02,1000,021000018,4,260301,2359,USD,2/' });
    assert.equal(headerOf(await itemsOf(bai2, bytes)).mode, 'test');
  });

  test('is read in Windows-1252 where it is not UTF-8', async () => {
    const text = fileOf(['16,821,1,,,,CAFÉ ZOË']).toString();
    for (const encoding of ['latin1', 'utf8'] as const) {
      assert.equal(linesIn(await itemsOf(bai2, Buffer.from(text, encoding)))[0]?.line.text, 'CAFÉ ZOË');
    }
  });
});

describe('a BAI2 file is refused', () => {
  const refused: readonly (readonly [code: string, what: string, bytes: Buffer])[] = [
    ['header_missing', 'without a header', Buffer.from('02,1000,021000018,1,260301,2359,USD,2/\n')],
    ['version_unknown', 'of version 1', fileOf([], { header: '01,021000018,1000,260302,0600,7,,,1/' })],
    [
      'date_malformed',
      'with a day that does not exist',
      fileOf([], { header: '01,021000018,1000,260231,0600,7,,,2/' }),
    ],
    ['record_unknown', 'with an unknown record', fileOf(['17,821,100,,,,TEXT'])],
    [
      'record_misplaced',
      'with a detail after its account',
      Buffer.from(fileOf([]).toString().replace('98,', '16,821,1,,,,/\n98,')),
    ],
    [
      'record_unknown',
      'with a line after its trailer',
      Buffer.from(`${fileOf([]).toString().trimEnd().slice(0, -1)}\nEND`),
    ],
    ['bytes_after_end', 'with a record after its trailer', Buffer.concat([fileOf([]), Buffer.from('49,0,1/\n')])],
    [
      'count_differs',
      'with a wrong count of an account',
      Buffer.from(fileOf([]).toString().replace('49,7500,2', '49,7500,3')),
    ],
    [
      'count_differs',
      'with a wrong count of accounts',
      Buffer.from(fileOf([]).toString().replace('98,7500,1', '98,7500,2')),
    ],
    ['count_differs', 'with a wrong count of a file', Buffer.from(fileOf([]).toString().replace('1,6/', '1,7/'))],
    ['sum_differs', 'with a wrong sum of an account', Buffer.from(fileOf([]).toString().replace('49,7500', '49,7501'))],
    ['sum_differs', 'with a wrong sum of a group', Buffer.from(fileOf([]).toString().replace('98,7500', '98,+7501'))],
    ['sum_differs', 'with a wrong sum of a file', Buffer.from(fileOf([]).toString().replace('99,7500', '99,-7500'))],
  ];
  for (const [code, what, bytes] of refused) {
    test(what, async () => {
      const { message } = await assertProblem(bai2, bytes, `refused: ${code}`);
      assert.match(message, /^record \d+ at offset \d+ /);
    });
  }

  test('and the message repeats no card number', async () => {
    const numbered = fileOf([]).toString().replace('49,7500', '49,4111111111111111');
    const { message } = await assertProblem(bai2, Buffer.from(numbered), 'refused: sum_differs');
    assert.doesNotMatch(message, /4111111111111111/);
  });

  test('and the message states account, sums and difference', async () => {
    const wrong = fileOf([]).toString().replace('49,7500', '49,7000');
    const { message } = await assertProblem(bai2, Buffer.from(wrong), 'refused: sum_differs');
    const says = 'of account "1000000001" sums 7000, but the amounts make 7500: a difference of 500';
    assert.equal(message, `record 4 at offset 119 ${says}`);
  });

  test('a record without an end is bounded', async () => {
    const long = fileOf([`16,821,1,,,,${'x'.repeat(70_000)}`]);
    assert.equal((await assertProblem(bai2, long, 'refused: line_too_long')).status, 'refused');
    const continued = fileOf([`16,821,1,,,,${Array.from({ length: 200 }, () => 'x'.repeat(500)).join('\n88,')}`]);
    await assertProblem(bai2, continued, 'refused: record_too_long');
  });
});

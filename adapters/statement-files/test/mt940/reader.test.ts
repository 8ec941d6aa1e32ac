import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { headerOf, readProblem } from '@tallystick/harness';
import { createFormats, type FileItem } from '@tallystick/imports';
import { mt940, statement_formats } from '../../src/index.ts';
import { assertProblem, itemsOf, linesIn, statementsIn } from '../reading.ts';

/** A message of one statement: its fields, which tests change one by one. */
function messageOf(
  lines: readonly string[],
  change: Partial<Record<'20' | '25' | '28' | '60' | '62', string>> = {},
): string {
  const head = [
    change['20'] ?? ':20:STARTUMS',
    change['25'] ?? ':25:1000000001',
    change['28'] ?? ':28C:7/1',
    change['60'] ?? ':60F:C300303EUR10,00',
  ];
  const all = [...head, ...lines, change['62'] ?? ':62F:C300304EUR9,00', '-'];
  return all.filter((line) => line !== '').join('\r\n');
}

const read = async (...messages: readonly string[]) =>
  await itemsOf(mt940, Buffer.from(`${messages.join('\r\n')}\r\n`));
const statementOf = async (change: Parameters<typeof messageOf>[1]) =>
  statementsIn(await read(messageOf([], change)))[0]!;
const linesOf = async (...lines: readonly string[]) =>
  linesIn(await read(messageOf(lines))).map(({ line, unread }) => (unread === undefined ? line : { ...line, unread }));
const lineOf = async (...lines: readonly string[]) => (await linesOf(...lines))[0]!;
const badIn = (items: readonly FileItem[]) => items.filter((item) => item.kind === 'bad');

const ref23 = '74123456060000000000017';
const ref17 = '12345678901234567';

describe('an MT940 file', () => {
  test('states its accounts, balances and lines', async () => {
    const file = messageOf([
      ':61:3003040305D1,00NMSCNONREF//B-1',
      'MORE DETAILS',
      ':86:106?00KARTENZAHLUNG?20PAPER AND INK?32STATIONER',
    ]);
    const items = await read(file);
    assert.deepEqual(headerOf(items), {
      ...{ kind: 'header', ordinal: 1, offset: 0, file_id: null, series: null },
      ...{ sequence: null, created_on: null, mode: null },
    });
    assert.deepEqual(items.slice(1, -1), [
      {
        ...{ kind: 'statement', ordinal: 2, offset: 0, number: 1, account_number: '1000000001', currency: 'EUR' },
        ...{ reference: '7', as_of: '2030-03-03', opening_balance: 1_000, closing_balance: null },
      },
      {
        ...{ kind: 'line', ordinal: 3, offset: file.indexOf(':61:'), statement_number: 1, place: 1 },
        line: {
          ...{ bank_reference: 'B-1', booking_date: '2030-03-05', value_date: '2030-03-04', amount: -100 },
          ...{ bai_code: '821', text: 'PAPER AND INK STATIONER KARTENZAHLUNG MORE DETAILS', acquirer_reference: null },
        },
      },
      {
        ...{ kind: 'statement_end', ordinal: 4, offset: file.indexOf(':62F:'), statement_number: 1 },
        ...{ closing_balance: 900, as_of: '2030-03-04', currency: 'EUR' },
      },
    ]);
    assert.deepEqual(items.at(-1), { kind: 'end', records: 4, control_totals: { statements: '1', entries: '1' } });
  });

  test('is the same with and without an envelope, headers of the bank, and with any line breaks', async () => {
    const message = messageOf([':61:300304D1,00NMSCNONREF', ':86:TEXT']);
    const expected = (await read(message)).map((item) => ({ ...item, offset: null }));
    for (const file of [
      message.replaceAll('\r', ''),
      message.replaceAll('\n', ''),
      message.replaceAll('\r\n', '  \r\n\r\n').replace(':20:', '\ufeff:20:'),
      message.replace(/\r\n-$/, ''),
      message.replace(/-$/, '-XXX\n\n'),
      `BANKDEFF\r\n940\r\nBANKDEFF\r\n${message}`,
      `:940:\r\n${message}`,
      `0000 01BANKDEFFXXXX00001\r\n940 00\r\n${message}`,
      `{1:F01BANKDEFFAXXX0000000000}{2:I940BANKDEFFXXXXN}{3:{108:X}}{4:\r\n${message}}{5:{CHK:0}}`,
      `\u0001{1:F01BANKDEFFAXXX0000000000}{2:O9401200BANKDEFFXXXXN}{4:${message}}\r\n\u0003`,
    ]) {
      const items = await itemsOf(mt940, Buffer.from(file));
      assert.deepEqual(
        items.map((item) => ({ ...item, offset: null })),
        expected,
        file,
      );
      assert.equal(createFormats(statement_formats).detect(Buffer.from(file), null)?.name, 'mt940', file);
    }
  });

  test('is in UTF-8, UTF-16 or Windows-1252', async () => {
    for (const encoding of ['utf8', 'utf16le', 'latin1'] as const) {
      const file = Buffer.from(messageOf([':61:300304D1,00NMSCNONREF', ':86:Gebühr für März']), encoding);
      assert.ok(mt940.detect(file, null));
      assert.equal(linesIn(await itemsOf(mt940, file))[0]?.line.text, 'Gebühr für März');
    }
  });

  test('has several statements, also of several accounts and without :20:', async () => {
    const second = messageOf([':61:300304C2,00NMSC'], {
      '20': '',
      '25': ':25:1000000002',
      '62': ':62F:C300304EUR12,00',
    });
    const items = await read(messageOf([':61:300304D1,00NMSC']), second, messageOf([], { '25': ':25:1000000003' }));
    assert.deepEqual(
      statementsIn(items).map(({ number, account_number, closing_balance }) => [
        number,
        account_number,
        closing_balance,
      ]),
      [
        [1, '1000000001', 900],
        [2, '1000000002', 1_200],
        [3, '1000000003', 900],
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

  test('has pages with one reference, whose intermediate balances continue', async () => {
    const first = messageOf([':61:300304D1,00NMSC'], { '62': ':62M:C300304EUR9,00' });
    for (const second of [
      messageOf([':61:300304D2,00NMSC'], {
        '28': ':28C:7/2',
        '60': ':60M:C300304EUR9,00',
        '62': ':62F:C300304EUR7,00',
      }),
      ':28C:7/2\r\n:60M:C300304EUR9,00\r\n:61:300304D2,00NMSC\r\n:62F:C300304EUR7,00',
      ':60M:C300304EUR9,00\r\n:61:300304D2,00NMSC\r\n:62F:C300304EUR7,00',
    ]) {
      assert.deepEqual(
        statementsIn(await read(first, second)).map((one) => [
          one.account_number,
          one.reference,
          one.opening_balance,
          one.closing_balance,
        ]),
        [
          ['1000000001', '7', 1_000, 900],
          ['1000000001', '7', 900, 700],
        ],
      );
    }
  });

  test('passes over other balances, information about the statement, and unknown fields', async () => {
    const items = await read(
      messageOf([':86:ABOUT THE STATEMENT', ':61:300304D1,00NMSC', ':86:TEXT'], {
        '20': ':20:X\r\n:21:NONREF\r\n:13D:3003042359+0100',
        '60': ':34F:EUR0,\r\n:60F:C300303EUR10,00\r\n:XY:',
        '62': ':62F:C300304EUR9,00\r\n:64:C300304EUR1,00\r\n:65:C300305EUR2,00\r\n:90D:1EUR1,00\r\n:86:TEXT\r\nMORE',
      }),
    );
    assert.equal(linesIn(items)[0]?.line.text, 'TEXT');
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ['header', 'statement', 'line', 'statement_end', 'end'],
    );
  });
});

describe('the account of a statement', () => {
  for (const [stated, number] of [
    [':25:1000000001', '1000000001'],
    [':25:20041010/1234567', '200410101234567'],
    [':25:BANKDEFF/1111.22-33333', 'BANKDEFF11112233333'],
    [':25:NL62INGB0001212121', 'NL62INGB0001212121'],
    [':25:NL62INGB0001212121EUR', 'NL62INGB0001212121'],
    [':25:NL62 INGB 0001 2121 21 EUR', 'NL62INGB0001212121'],
    [':25:INGBNL2A/NL62INGB0001212121', 'NL62INGB0001212121'],
    [':25:20041010/1234567EUR', '200410101234567'],
    [':25:BANKHUHB/123456789150ABC/EUR', 'BANKHUHB123456789150ABC'],
    [':25:1700.59.308USD', '170059308USD'],
    [':25P:1000000001\r\nBANKDEFF', '1000000001'],
  ] as const) {
    test(`is ${number} for ${stated.replace('\r\n', ', ')}`, async () => {
      assert.equal((await statementOf({ '25': stated })).account_number, number);
    });
  }

  test('is named in full when it is none, and its statement cannot be used', async () => {
    const { account_number, problem } = await statementOf({ '25': ':25:0012345678*901234' });
    assert.deepEqual([account_number, problem?.code], ['0012345678*901234', 'account_malformed']);
    assert.match(problem!.message, /not 0012345678\*901234/);
    assert.equal((await statementOf({ '25': '' })).problem?.code, 'account_missing');
  });
});

describe('the reference of a statement', () => {
  for (const [stated, reference] of [
    [':28C:00135/001', '00135'],
    [':28:1', '1'],
    [':28C:0/1', null],
    [':28C:00000', null],
    [':28C: /1', null],
    ['', null],
  ] as const) {
    test(`is ${reference} for ${stated === '' ? 'none' : stated}`, async () => {
      assert.equal((await statementOf({ '28': stated })).reference, reference);
    });
  }
});

describe('a balance', () => {
  for (const [stated, amount] of [
    ['C300303EUR10,00', 1_000],
    ['D300303EUR10,5', -1_050],
    ['C300303EUR10,', 1_000],
    ['C300303EUR,50', 50],
    ['C300303EUR000000001234,56', 123_456],
    ['D300303EUR1234.56', -123_456],
    ['C300303EUR12', 1_200],
    ['C300303JPY1234,', 1_234],
    ['C300303JPY1234,00', 1_234],
    ['C300303KWD1,234', 1_234],
    ['C300303EUR10,00  ', 1_000],
  ] as const) {
    test(`of ${stated.trim()} is ${amount} in minor units`, async () => {
      const currency = stated.slice(7, 10);
      const one = await statementOf({ '60': `:60F:${stated}`, '62': `:62F:C300304${currency}1,` });
      assert.deepEqual([one.opening_balance, one.currency, one.problem], [amount, currency, undefined]);
    });
  }

  for (const stated of [
    'C300303EUR1,005',
    'C300303EUR1.000',
    'C300303EUR1,000',
    'C300303EUR1.000,00',
    'C300303EUR1-',
  ]) {
    test(`of ${stated} cannot be read, and its statement cannot be used`, async () => {
      const opening = await statementOf({ '60': `:60F:${stated}` });
      assert.deepEqual([opening.opening_balance, opening.problem?.code], [null, 'balance_malformed']);
      const closing = await statementOf({ '62': `:62F:${stated}` });
      assert.deepEqual([closing.closing_balance, closing.problem?.code], [null, 'balance_malformed']);
    });
  }

  test('gives the statement its date at the end, and is the problem of that statement only', async () => {
    assert.equal((await statementOf({})).as_of, '2030-03-04');
    assert.equal((await statementOf({ '62': ':62F:C300399EUR9,00' })).problem?.code, 'date_malformed');
    assert.equal((await statementOf({ '62': ':62F:C300304USD9,00' })).problem?.code, 'currency_differs');
    const unknown = await statementOf({ '62': ':62F:C300304DEM9,00' });
    assert.deepEqual([unknown.problem?.code, unknown.as_of], ['balance_malformed', '2030-03-04']);
    const without = messageOf([':61:300304D1,00NMSC'], { '62': '' });
    const all = statementsIn(await read(without, messageOf([])));
    assert.deepEqual(
      all.map(({ problem }) => problem?.code),
      ['balance_missing', undefined],
    );
  });

  test('may be missing before the lines, which then have two decimals', async () => {
    const of = async (currency: string) =>
      await read(messageOf([':61:300304D1,5NMSC'], { '60': '', '62': `:62F:C300304${currency}9,00` }));
    const items = await of('USD');
    const [statement] = statementsIn(items);
    assert.deepEqual([statement?.opening_balance, statement?.currency, statement?.problem], [null, 'USD', undefined]);
    assert.equal(linesIn(items)[0]?.line.amount, -150);
    assert.equal(statementsIn(await of('JPY'))[0]?.problem?.code, 'currency_unknown');
  });
});

describe('a line', () => {
  const amountOf = async (stated: string) => (await lineOf(`:61:300304${stated}NMSCNONREF`)).amount;

  test('has the sign of its mark: a reversal of a credit is a debit', async () => {
    for (const [mark, amount] of [
      ...([
        ['C', 100],
        ['D', -100],
        ['RC', -100],
        ['RD', 100],
      ] as const),
      // With the third letter of the currency.
      ...([
        ['CR', 100],
        ['DR', -100],
        ['RCR', -100],
        ['RDR', 100],
      ] as const),
    ]) {
      assert.equal(await amountOf(`${mark}1,00`), amount, mark);
    }
  });

  test('has an amount with a decimal comma', async () => {
    for (const [stated, amount] of [
      ['D1,00', -100],
      ['D,50', -50],
      ['D1234,', -123_400],
      ['D0000000000012,5', -1_250],
      ['D12.50', -1_250],
      ['D500', -50_000],
    ] as const) {
      assert.equal(await amountOf(stated), amount, stated);
    }
  });

  test('has the year of its entry date that is nearest to its value date', async () => {
    for (const [dates, booking_date, value_date] of [
      ['3001011231', '2029-12-31', '2030-01-01'],
      ['3012310101', '2031-01-01', '2030-12-31'],
      ['3003040305', '2030-03-05', '2030-03-04'],
      ['2802290301', '2028-03-01', '2028-02-29'],
      ['2803010229', '2028-02-29', '2028-03-01'],
      ['0001011231', '1999-12-31', '2000-01-01'],
      ['300304', '2030-03-04', '2030-03-04'],
      ['300304    ', '2030-03-04', '2030-03-04'],
      // Some banks count 30 days for February.
      ['2802300301', '2028-03-01', '2028-02-29'],
      ['300230', '2030-02-28', '2030-02-28'],
    ] as const) {
      const line = await lineOf(`:61:${dates}D1,00NMSCNONREF`);
      assert.deepEqual([line.booking_date, line.value_date], [booking_date, value_date], dates);
    }
  });

  test('is booked without a value date that cannot be read', async () => {
    for (const stated of ['0000000305', '3002310305']) {
      const line = await lineOf(`:61:${stated}D1,00NMSCNONREF`);
      assert.deepEqual(
        [line.booking_date, line.value_date, 'unread' in line ? line.unread : null],
        ['2030-03-05', '2030-03-05', ['value_date']],
      );
    }
  });

  test('may be cut anywhere before its supplementary details', async () => {
    for (const lines of [
      [':61:3003040304D1,00NTRFREF-1//B-1', 'DETAILS'],
      [':61:3003040304D', '1,00NTRFREF-1//B-1', 'DETAILS'],
      [':61:3003040304', 'D1,00NTRFREF-1//B-1', 'DETAILS'],
      [':61:3003040304D1,0', '0NTRFREF-1//B-1', 'DETAILS'],
      [':61:3003040304D1,00NT', 'RFREF-1//B-1', 'DETAILS'],
      [':61:3003040304D1,00 NTRFREF-1//B-1  ', 'DETAILS'],
    ]) {
      const { amount, bank_reference, bai_code, text } = await lineOf(...lines);
      assert.deepEqual([amount, bank_reference, bai_code, text], [-100, 'B-1', '495', 'DETAILS REF-1'], lines.join());
    }
  });

  test("has the bank's reference after //, of any length, and no other one", async () => {
    const long = 'X'.repeat(35);
    for (const [references, bank_reference] of [
      ['NONREF//B-1', 'B-1'],
      [`NONREF//${long}`, long],
      [`${long}//B-1`, 'B-1'],
      ['//B-1', 'B-1'],
      ['REF-1//NONREF', null],
      ['REF-1//0000000000', null],
      ['REF-1', null],
      ['NONREF', null],
      ['', null],
    ] as const) {
      assert.equal((await lineOf(`:61:300304D1,00NMSC${references}`)).bank_reference, bank_reference, references);
    }
    // Without a type.
    const without_type = await lineOf(':61:300304D1,00NONREF//B-1');
    assert.deepEqual([without_type.bank_reference, without_type.text], ['B-1', '']);
  });

  test('has the reference of the customer in its text, once, unless it stands for none', async () => {
    const textOf = async (reference: string, information: string) =>
      (await lineOf(`:61:300304D1,00NMSC${reference}`, `:86:${information}`)).text;
    assert.equal(await textOf('INV-1', 'INVOICE'), 'INVOICE INV-1');
    assert.equal(await textOf('INV-1', 'INVOICE INV-1'), 'INVOICE INV-1');
    for (const none of ['NONREF', 'NOTPROVIDED', 'NOREF', 'EREF', 'KREF+', 'MARF']) {
      assert.equal(await textOf(none, 'INVOICE'), 'INVOICE', none);
      assert.equal((await lineOf(':61:300304D1,00NMSC', none, ':86:INVOICE')).text, 'INVOICE', none);
    }
  });

  test('has the acquirer reference of the customer reference, else the first such number in the text', async () => {
    const of = async (reference: string, ...more: readonly string[]) =>
      await lineOf(`:61:300304D1,00NMSC${reference}`, ...more);
    const stated = await of(`${ref23}//B-1`, `:86:ARN ${ref17}`);
    assert.deepEqual([stated.acquirer_reference, stated.text], [ref23, `ARN ${ref17}`]);
    assert.equal((await of('NONREF', `:86:CARD ${ref17} X ${ref23}`)).acquirer_reference, ref17);
    assert.equal((await of('NONREF', ref23)).acquirer_reference, ref23);
    const cut = `:86:${'X'.repeat(54)} ${ref23}`;
    assert.equal((await of('NONREF', cut.slice(0, 69), cut.slice(69))).acquirer_reference, ref23);
    const subfields = `:86:106?20${'X'.repeat(20)} ${ref23.slice(0, 6)}?21${ref23.slice(6)}`;
    assert.equal((await of('NONREF', subfields)).acquirer_reference, ref23);
    assert.equal((await of('NONREF', `:86:${ref23}4`)).acquirer_reference, null);
  });

  test('that is expected and not booked is another record', async () => {
    for (const mark of ['EC', 'ED']) {
      const items = await read(messageOf([`:61:300304${mark}1,00NMSC`, ':61:300304D1,00NMSC']));
      assert.deepEqual(
        items.flatMap((item) => (item.kind === 'other' ? [item.type] : [])),
        ['61/expected'],
      );
      assert.deepEqual(
        linesIn(items).map(({ place }) => place),
        [1],
      );
    }
  });

  for (const [why, stated, code] of [
    ['has no mark', '3003041,00NMSC', 'line_malformed'],
    ['has no amount', '300304DNMSC', 'line_malformed'],
    ['is empty', '', 'line_malformed'],
    ['may have a separator of thousands', '300304D1.000NMSC', 'amount_malformed'],
    ['has two separators', '300304D1.000,00NMSC', 'amount_malformed'],
    ['has parts of a minor unit', '300304D1,005NMSC', 'amount_malformed'],
    ['is too large', '300304D99999999999999999,00NMSC', 'amount_malformed'],
    ['has no day of its value date', '301331D1,00NMSC', 'date_malformed'],
    ['has no day of its entry date', '3003041332D1,00NMSC', 'date_malformed'],
  ] as const) {
    test(`that cannot be read is bad, and the others go on: it ${why}`, async () => {
      const items = await read(messageOf([`:61:${stated}`, ':86:X', ':61:300304D1,00NMSC']), messageOf([]));
      const [bad] = badIn(items);
      assert.equal(bad?.code, code);
      assert.match(bad!.reason, /^field :61: at offset \d+ must /);
      assert.equal(Buffer.from(bad!.raw).toString(), `:61:${stated}`);
      assert.deepEqual(
        linesIn(items).map(({ place }) => place),
        [2],
      );
      assert.equal(statementsIn(items).length, 2);
    });
  }

  test('of which a digit of an amount was changed does not lead to the closing balance', async () => {
    const file = messageOf([':61:300304D1,00NMSCNONREF', ':61:300304C12,34NMSCNONREF'], {
      '62': ':62F:C300304EUR21,34',
    });
    const isWhole = async (text: string): Promise<boolean> => {
      const items = await read(text);
      const [statement] = statementsIn(items);
      const sum = linesIn(items).reduce((total, { line }) => total + line.amount, statement!.opening_balance ?? 0);
      return statement!.problem === undefined && badIn(items).length === 0 && sum === statement!.closing_balance;
    };
    assert.ok(await isWhole(file));
    for (const { index, 0: amount } of file.matchAll(/(?<=EUR|304[CD])\d+,\d+/g)) {
      for (let at = index; at < index + amount.length; at += 1) {
        for (const other of '07,'.replace(file[at]!, '')) {
          assert.equal(await isWhole(file.slice(0, at) + other + file.slice(at + 1)), false, `${other} at ${at}`);
        }
      }
    }
  });

  test('never shows the number of a card in what is wrong with it', async () => {
    const items = await read(
      messageOf([':61:300304D4111111111111111,00,0NMSC']),
      messageOf([], { '25': ':25:4111111111111111*' }),
    );
    const texts = [badIn(items)[0]!.reason, statementsIn(items)[1]!.problem!.message];
    for (const text of texts) assert.doesNotMatch(text, /4111111111111111/);
  });
});

describe('the BAI code of a line', () => {
  const codeOf = async (line: string, ...information: readonly string[]) =>
    (await lineOf(`:61:300304${line}`, ...information)).bai_code;

  test('is the one that it states', async () => {
    assert.equal(await codeOf('D1,00NMSCNONREF', ':86:/BAI/821/PAPER AND INK'), '821');
    assert.equal(await codeOf('C1,00NTRFNONREF', ':86:/BAI/824', 'REFUND'), '824');
    assert.equal((await lineOf(':61:300304D1,00NMSC', ':86:/BAI/821/PAPER AND INK')).text, 'PAPER AND INK');
  });

  test('follows from the German code of a structured text', async () => {
    for (const [gvc, debit, credit] of [
      ['106', '821', '822'],
      ['182', '821', '824'],
      ['105', '501', '836'],
      ['116', '828', '827'],
      ['166', '828', '827'],
      ['808', '698', '398'],
      ['814', '654', '354'],
      ['999', '699', '399'],
    ] as const) {
      const information = `:86:${gvc}?20X`;
      assert.deepEqual(
        [await codeOf('D1,00NMSC', information), await codeOf('C1,00NMSC', information)],
        [debit, credit],
      );
    }
    // Another bank's code, in another structure or none.
    for (const information of [':86:106~20X', ':86:106 X']) assert.equal(await codeOf('D1,00NMSC', information), '699');
    assert.equal(await codeOf('D1,00N106NONREF'), '699');
  });

  test('else follows from its type, or from its being a reversal', async () => {
    for (const [type, debit, credit] of [
      ['NTRF', '495', '195'],
      ['NSTO', '495', '195'],
      ['FTRF', '495', '195'],
      ['S103', '508', '208'],
      ['NDDT', '501', '836'],
      ['NCHK', '475', '835'],
      ['NCHG', '698', '398'],
      ['NINT', '654', '354'],
      ['NRTI', '566', '266'],
      ['NBA ', '821', '822'],
      ['NGM ', '595', '295'],
      ['NMSC', '699', '399'],
      ['N051', '699', '399'],
    ] as const) {
      assert.deepEqual([await codeOf(`D1,00${type}NONREF`), await codeOf(`C1,00${type}NONREF`)], [debit, credit], type);
    }
    assert.equal(await codeOf('RC1,00NTRFNONREF'), '552');
    assert.equal(await codeOf('RD1,00NTRFNONREF'), '252');
    assert.equal(await codeOf('RD1,00NMSCNONREF', ':86:106?20X'), '822');
  });
});

describe('the text of a line', () => {
  const textOf = async (...information: readonly string[]) =>
    (await lineOf(':61:300304D1,00NMSCNONREF', ...information)).text;

  test('is the purpose, the name and the kind of a structured :86:, with any separator', async () => {
    for (const separator of ['?', '>', '<', '~', '^', '@', '|']) {
      const subfields = ['00KIND', '10PRIMA', '20FIRST', '21SECOND', '30BANK', '31ACCOUNT', '32NAME', '34X', '60THIRD'];
      const text = subfields.map((subfield) => separator + subfield).join('');
      assert.equal(await textOf(`:86:106${text}`), 'FIRST SECOND THIRD NAME KIND', separator);
      assert.equal(await textOf(`:86: ${text}`), 'FIRST SECOND THIRD NAME KIND', separator);
    }
    assert.equal(await textOf(':86:106?20WHO? ME?21NO'), 'WHO? ME NO');
  });

  test('is joined where a line or a subfield was cut at its full length', async () => {
    const word = 'ABCDEFGHI '.repeat(13);
    assert.equal(await textOf(`:86:${word.slice(0, 65)}`, word.slice(65, 130)), word.trim());
    assert.equal(await textOf(':86:SHORT', 'LINES'), 'SHORT LINES');
    assert.equal(await textOf(`:86:106?20${word.slice(0, 27)}?21${word.slice(27, 50)}`), word.slice(0, 50).trim());
    assert.equal(await textOf(':86:106?20PAPER AND I', 'NK?2', '1MORE'), 'PAPER AND INK MORE');
  });

  test('is all of another :86:, over all its lines and repetitions', async () => {
    const codes = '/TRTP/BEA/NAME/STATIONER/REMI/INVOICE 7/EREF/E-1';
    assert.equal(await textOf(`:86:${codes}`), codes);
    assert.equal(await textOf(':86:FIRST', ':86:SECOND', '-', 'THIRD'), 'FIRST SECOND - THIRD');
    assert.equal(await textOf(':86:'), '');
    assert.equal(await textOf(), '');
  });

  test('may have a time that was broken before its minutes', async () => {
    assert.equal(await textOf(':86:2030-03-04T13', ':20:11 SHOP'), '2030-03-04T13 :20:11 SHOP');
    assert.equal(await textOf(':86:2030-03-04T13', ':28:05'), '2030-03-04T13 :28:05');
    assert.equal(await textOf(':86:2030-03-04T13', ':59:59 SHOP'), '2030-03-04T13 :59:59 SHOP');
  });

  test('is that of :NS: where a bank has it', async () => {
    assert.equal(
      await textOf(':NS:01INVOICE 7', '02OF MARCH', '15STATIONER', '17CARD', '1812345'),
      'INVOICE 7 OF MARCH STATIONER CARD',
    );
    assert.equal(await textOf(':NS:17FEE'), 'FEE');
  });

  test('has at most 4,000 characters, of at most 10 fields of any length', async () => {
    const lines = Array.from({ length: 300 }, () => 'X'.repeat(65));
    assert.equal((await textOf(':86:', ...lines)).length, 4_000);
    const fields = Array.from({ length: 11 }, (_, place) => `:86:${place}`);
    assert.equal(await textOf(...fields), '0 1 2 3 4 5 6 7 8 9');
  });
});

describe('a file that is no MT940 statement', () => {
  const problemOf = async (file: string, expected: string) => await assertProblem(mt940, Buffer.from(file), expected);

  test('is refused as an MT942, with what to ask the bank for', async () => {
    const report = ':20:R\r\n:25:1000000001\r\n:28C:1\r\n:34F:EUR0,00\r\n:13D:3003041200+0100\r\n';
    for (const file of [
      `${report}:61:300304D1,00NMSC\r\n:86:X\r\n:90D:1EUR1,00\r\n-\r\n`,
      `${report}:90D:0EUR0,00\r\n-\r\n`,
      `{1:F01BANKDEFFAXXX0000000000}{2:I942BANKDEFFXXXXN}{4:\r\n:20:R\r\n-}\r\n`,
      `{1:F01BANKDEFFAXXX0000000000}{2:O9421200BANKDEFFXXXXN}{4:\r\n:20:R\r\n-}\r\n`,
    ]) {
      assert.ok(mt940.detect(Buffer.from(file), null));
      const { message } = await problemOf(file, 'refused: statement_interim');
      assert.match(message, /MT942.*ask the bank for MT940/);
    }
  });

  test('is refused without a field, or with a line outside of a statement', async () => {
    await problemOf('hello\r\n', 'refused: header_missing');
    await problemOf(':61:300304D1,00NMSC\r\n', 'refused: record_misplaced');
    await problemOf(`${messageOf([])}\r\n:61:300304D1,00NMSC\r\n`, 'refused: record_misplaced');
    await problemOf(`${messageOf([])}\r\n:62F:C300304EUR9,00\r\n`, 'refused: record_misplaced');
  });

  test('is refused with a line that is longer than a record may be', async () => {
    const { status, code } = await readProblem(mt940, Buffer.from(`:20:${'X'.repeat(70_000)}\r\n`));
    assert.deepEqual([status, code], ['refused', 'line_too_long']);
  });

  test('is truncated before the closing balance, or the end of an envelope', async () => {
    const message = messageOf([':61:300304D1,00NMSC', ':86:TEXT']);
    for (const file of [
      '',
      '\r\n',
      '{1:F01BANKDEFF',
      ':20:X\r\n:25:1000000001\r\n',
      message.slice(0, message.indexOf(':62F:')),
      message.slice(0, message.indexOf('EUR9,00')),
      `{1:F01BANKDEFFAXXX0000000000}{2:I940BANKDEFFXXXXN}{4:\r\n${message.slice(0, -1)}`,
      `${message}\r\n{1:F01`,
      `${message}\r\n:20:X\r\n`,
    ]) {
      await problemOf(file, 'truncated: file_truncated');
    }
  });
});

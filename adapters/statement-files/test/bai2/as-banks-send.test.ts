import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { endOf, headerOf, readItems } from '@tallystick/harness';
import { createFormats, type FileItem } from '@tallystick/imports';
import { bai2, statement_formats } from '../../src/index.ts';
import { assertProblem, itemsOf, linesIn, statementsIn } from '../reading.ts';
import { group, header, totalled } from './totalled.ts';

/** A file of one group of these records. */
const fileOf = (...records: readonly string[]) => totalled([header, group, ...records, '98', '99']);

/** The statements in short: account, currency, opening and closing balance, and how many lines. */
function shown(items: readonly FileItem[]): readonly string[] {
  return statementsIn(items).map(({ number, account_number, currency, opening_balance, closing_balance }) => {
    const lines = linesIn(items).filter(({ statement_number }) => statement_number === number).length;
    return `${account_number} ${currency} ${opening_balance} ${closing_balance} ${lines}`;
  });
}

const problemsIn = (items: readonly FileItem[]) =>
  items.flatMap((item) => {
    if (item.kind === 'bad') return [`${item.code}: ${item.reason}`];
    return item.kind === 'statement' && item.problem !== undefined
      ? [`${item.problem.code}: ${item.problem.message}`]
      : [];
  });

/** Lines of 500 in, and of 200 out. */
const two_lines = ['16,195,500,,R1,,PAY', '16,475,200,,R2,,/'];

describe('an account of a BAI2 file', () => {
  test('may leave off its opening balance, its closing balance, or both', async () => {
    const items = await itemsOf(
      bai2,
      fileOf(
        ...['03,1,USD,015,1300,,/', ...two_lines, '49,2000'],
        ...['03,2,USD,010,1000,,,045,1300,,/', ...two_lines, '49,3000'],
        ...['03,3,,040,1000,,,100,500,1,,400,200,1,/', ...two_lines, '49,2400'],
        ...['03,4/', ...two_lines, '49,700'],
        ...['03,5,,015,,,,010,70,,/', '49,70'],
      ),
    );
    const expected = [
      '1 USD null 1300 2',
      '2 USD 1000 null 2',
      '3 USD null null 2',
      '4 USD null null 2',
      '5 USD 70 null 0',
    ];
    assert.deepEqual(shown(items), expected);
    assert.deepEqual(problemsIn(items), []);
  });

  test('that states no balance and has no lines is passed over, and counts', async () => {
    const idle = [
      '03,2,,,,,/',
      '03,3/',
      '03,4,USD,,,,/',
      '03,5,USD,040,0,,,100,000,0,,400,000,0,/',
      '03,6,EUR,015,,,/',
    ];
    const items = await itemsOf(
      bai2,
      fileOf(
        ...idle.flatMap((account) => [account, '49,0']),
        ...['03,7,,,,,/', '16,890,,,,,NO REPORT', '16,408,,S,-5,5,0,,,/', '49,0'],
        ...['03,1,USD,010,1000,,,015,1500,,/', two_lines[0]!, '49,3000'],
        ...['03,8,,,,,/', '16,890,,,,,LATE', '16,195,500,,R1,,PAY', '49,500'],
      ),
    );
    assert.deepEqual(shown(items), ['1 USD 1000 1500 1', '8 USD null null 1']);
    assert.deepEqual(
      items.flatMap((item) => (item.kind === 'other' ? [item.type] : [])),
      ['03', '03', '03', '03', '03', '03', '16/890', '16/408', '16/890'],
    );
    const ordinals = items.flatMap((item) => ('ordinal' in item ? [item.ordinal] : []));
    assert.deepEqual(
      ordinals,
      ordinals.toSorted((a, b) => a - b),
    );
    assert.equal(endOf(items).records, 25);
    await assertProblem(bai2, fileOf('03,2,,,,,/', '49,1'), 'refused: sum_differs');
  });

  test('may have an empty field too many before a continuation, or anywhere between its amounts', async () => {
    const accounts = [
      '03,1,USD,010,1000,,,015,1300,,,/\n88,040,900,,,045,1400,,,/\n88,100,500,1,,400,200,1,/',
      '03,1,USD,010,1000,,,,015,1300,,,,,040,900,,\n88,,045,1400,,/\n88,100,500,1,0,,400,200,1,/',
      '03,1,USD,,,,,010,1000,,,015,1300,,,/\n88,,,040,900,,,045/\n88,1400,,,/\n88,100,500,1,V,260301,,,400,200/\n88,1,/',
    ];
    for (const account of accounts) {
      const items = await itemsOf(bai2, fileOf(account, ...two_lines, '49,6000'));
      assert.deepEqual([shown(items), problemsIn(items)], [['1 USD 1000 1300 2'], []], account);
    }
  });

  test('may have an empty field too few before the next type code', async () => {
    for (const account of ['03,1,USD,010,1000,,015,1300,,/', '03,1,USD,010,1000,/\n88,015,1300/']) {
      const items = await itemsOf(bai2, fileOf(account, ...two_lines, '49,3000'));
      assert.deepEqual(shown(items), ['1 USD 1000 1300 2'], account);
    }
  });

  test('has its currency in any case, else that of its group, else none', async () => {
    const groups = ['02,CUST,BANK,1,260301,,gbp,/', '02,CUST,BANK,1,260301,9999,,/'];
    const recordsOf = (one: string) => [one, '03,1,,010,5,,/', '49,5', '03,2, usd ,010,5,,/', '49,5', '98'];
    const items = await itemsOf(bai2, totalled([header, ...groups.flatMap(recordsOf), '99']));
    assert.deepEqual(
      statementsIn(items).map(({ currency }) => currency),
      ['GBP', 'USD', null, 'USD'],
    );
  });
});

describe('a line of a BAI2 file', () => {
  const lineOf = async (detail: string, sum = 500) => {
    const items = await itemsOf(bai2, fileOf('03,1,USD,010,0,,,015,500,,/', detail, `49,${500 + sum}`));
    const [line] = linesIn(items);
    assert.deepEqual(problemsIn(items), [], detail);
    return line;
  };

  test('may end before its text, with an empty field too many, or with its text in continuations', async () => {
    const forms: Readonly<Record<string, readonly [reference: string | null, text: string]>> = {
      '16,195,500': [null, ''],
      '16,195,500,Z,B1/': ['B1', ''],
      '16,195,500,,B1,/\n88,SOME PAYMENT': ['B1', 'SOME PAYMENT'],
      '16,195,500,,B1,,/\n88,SOME PAYMENT/': ['B1', 'SOME PAYMENT'],
      '16,195,500,,,/\n88,FR:BANK 2/AV MAIN, 2\n88,/MEXICO ;\n88,OB3: A/B/': [
        null,
        'FR:BANK 2/AV MAIN, 2 /MEXICO ; OB3: A/B',
      ],
      '16,195,+0000000500,,B1,,DATE 12/16,2024': ['B1', 'DATE 12/16,2024'],
      '16,195,500,,B1,,A TEXT THAT IS BROKEN\nIN A LINE OF ITS OWN\n88,AND GOES ON': [
        'B1',
        'A TEXT THAT IS BROKEN IN A LINE OF ITS OWN AND GOES ON',
      ],
      '16,,195,500,,B1,,PAY': ['B1', 'PAY'],
      '16 , 195 , 500 , z , B1 ,, PAY ': ['B1', 'PAY'],
    };
    for (const [detail, [reference, text]] of Object.entries(forms)) {
      const line = await lineOf(detail);
      assert.deepEqual([line?.line.bank_reference, line?.line.text, line?.line.amount], [reference, text, 500], detail);
    }
  });

  test('is booked on the value date when that cannot be read, with a note', async () => {
    const dates: Readonly<Record<string, readonly [date: string, unread: readonly string[] | undefined]>> = {
      'V,260305,9999': ['2026-03-05', undefined],
      'V,20260305,14:59:35': ['2026-03-05', undefined],
      'v,260305': ['2026-03-05', undefined],
      'V,000000,': ['2026-03-01', undefined],
      'V,,': ['2026-03-01', undefined],
      'V,999999,2400': ['2026-03-01', ['value_date']],
      'V,03/05/26,': ['2026-03-01', ['value_date']],
    };
    for (const [funds, [date, unread]] of Object.entries(dates)) {
      const line = await lineOf(`16,195,500,${funds},REF-1,,PAY`);
      assert.deepEqual([line?.line.value_date, line?.line.bank_reference], [date, 'REF-1'], funds);
      assert.deepEqual(line?.unread, unread, funds);
    }
  });

  test('that cannot be read holds its statement alone, takes a place and counts', async () => {
    const bad: Readonly<Record<string, readonly [code: string, sum: number, says: string]>> = {
      '16,850,300,,R1,,X': ['type_code_unknown', 300, '850'],
      '16,905,300,,R1,,X': ['type_code_unknown', 300, '905'],
      '16,100,300,,,,TOTAL': ['type_code_unknown', 300, '100'],
      '16,400,300,,,,TOTAL': ['type_code_unknown', 300, '400'],
      '16,CHK,300,,R1,,X': ['type_code_malformed', 300, '"CHK"'],
      '16,195,-300,,R1,,X': ['amount_malformed', -300, '-300'],
      '16,195,3.00,,R1,,X': ['amount_malformed', 300, '"3.00"'],
      '16,195,1000000000000001,,R1,,X': ['amount_malformed', 7, '1000000000000001'],
      '16,195,300,REF,,,X': ['funds_malformed', 300, '"REF"'],
      '16,195,300,D,2,0,100,,,X': ['funds_malformed', 300, 'D'],
    };
    for (const [detail, [code, sum, says]] of Object.entries(bad)) {
      const items = await itemsOf(
        bai2,
        fileOf(
          ...['03,123456789012,USD,010,0,,,015,500,,/', detail, '16,195,500,,R2,,PAY', `49,${1000 + sum}`],
          ...['03,2,USD,010,1,,,015,501,,/', '16,195,500,,R3,,PAY', '49,1002'],
        ),
      );
      const [problem = '', ...others] = problemsIn(items);
      assert.deepEqual(others, [], detail);
      assert.ok(problem.startsWith(`${code}: record 4 at offset `), problem);
      assert.ok(problem.includes(says), problem);
      assert.deepEqual(shown(items), ['123456789012 USD 0 500 1', '2 USD 1 501 1'], detail);
      assert.deepEqual(
        linesIn(items).map(({ place }) => place),
        [2, 1],
      );
      const raw = items.find((item) => item.kind === 'bad')?.raw;
      assert.equal(Buffer.from(raw!).toString(), detail);
    }
  });
});

describe('what is wrong with one account or group holds its statements alone', () => {
  const good = ['03,2,USD,010,1,,,015,501,,/', '16,195,500,,R3,,PAY', '49,1002'];
  const of_account: Readonly<Record<string, readonly [code: string, sum: number, says: string]>> = {
    '03,,USD,010,5,,/': ['account_malformed', 5, '""'],
    '03,ACCOUNT_77,USD,010,5,,/': ['account_malformed', 5, 'ACCOUNT_77'],
    '03,900012345678,XYZ,010,5,,/': ['currency_unknown', 5, '"XYZ"'],
    '03,900012345678,USD,010,5,,,010,6,,/': ['balance_repeated', 11, '5 and 6'],
    '03,900012345678,USD,010,5.00,,/': ['amount_malformed', 500, '"5.00"'],
    '03,900012345678,USD,10,5,,/': ['type_code_malformed', 5, '"10"'],
    '03,900012345678,USD,010,5,MANY,/': ['count_malformed', 5, '"MANY"'],
    '03,900012345678,USD,010,5,,X,015,6,,/': ['funds_malformed', 11, '"X"'],
  };
  for (const [account, [code, sum, says]] of Object.entries(of_account)) {
    test(`${code}, of ${account}`, async () => {
      const items = await itemsOf(bai2, fileOf(account, `49,${sum}`, ...good));
      const [problem = '', ...others] = problemsIn(items);
      assert.deepEqual(others, []);
      assert.ok(problem.startsWith(`${code}: record 3 at offset ${header.length + group.length + 2} `), problem);
      assert.ok(problem.includes(says), problem);
      assert.equal(shown(items).at(-1), '2 USD 1 501 1');
      assert.equal(endOf(items).control_totals.file_control_total, String(sum + 1002));
    });
  }

  test('an amount that cannot be read is in no sum but that of its account', async () => {
    const unread = ['03,1,USD,010,5.00,,/', '49,500'];
    const wrong = fileOf(...unread, ...good)
      .toString()
      .replace('98,1502,', '98,1503,');
    const { message } = await assertProblem(bai2, Buffer.from(wrong), 'refused: sum_differs');
    assert.match(message, /sums 1503, but the amounts make 1502: a difference of -1$/);
    await assertProblem(bai2, fileOf('03,1,USD,010,5.00,,/', '49,5', '49,5'), 'refused: record_misplaced');
  });

  const of_group: Readonly<Record<string, readonly [code: string, group: string]>> = {
    'a deletion': ['group_status_unsupported', '02,CUST,BANK,2,260301,,USD,2/'],
    'a correction': ['group_status_unsupported', '02,CUST,BANK,3,260301,,USD,2/'],
    'an unknown status': ['group_status_unsupported', '02,CUST,BANK,9,260301,,USD,2/'],
    'a test among others': ['group_status_unsupported', '02,CUST,BANK,4,260301,,USD,2/'],
    'interim data of yesterday': ['statement_interim', '02,CUST,BANK,1,260301,,USD,1/'],
    'interim data of today': ['statement_interim', '02,CUST,BANK,1,260301,,USD,3/'],
    'a day that does not exist': ['date_malformed', '02,CUST,BANK,1,260231,,USD,2/'],
    'a currency that does not exist': ['currency_unknown', '02,CUST,BANK,1,260301,,XYZ,2/'],
  };
  for (const [what, [code, wrong]] of Object.entries(of_group)) {
    test(`a group with ${what}`, async () => {
      const of_wrong = [wrong, '03,900012345678,,010,5,,/', '49,5', '98'];
      const items = await itemsOf(bai2, totalled([header, group, ...good, '98', ...of_wrong, '99']));
      const [problem = '', ...others] = problemsIn(items);
      assert.deepEqual(others, []);
      assert.ok(problem.startsWith(`${code}: record 8 at offset `), problem);
      assert.deepEqual(shown(items)[0], '2 USD 1 501 1');
      assert.equal(headerOf(items).mode, 'production');
    });
  }

  test('a deletion of an account without data is not passed over', async () => {
    const deletion = ['02,CUST,BANK,2,260301,,USD,2/', '03,1,,,,,/', '49,0', '98'];
    assert.equal(statementsIn(await itemsOf(bai2, totalled([header, ...deletion, '99']))).length, 1);
  });
});

describe('the records of a BAI2 file', () => {
  const records = [
    ...[
      header,
      group,
      '03,1,USD,010,1000,,,015,1300,,,/\n88,040,900,,/',
      '16,195,500,,R1,,PAY ÉTÉ 12/16',
      two_lines[1]!,
    ],
    ...['49,3900', '03,2,,,,,/', '49,0', '98', '99'],
  ];
  const plain = totalled(records).toString();

  const forms: Readonly<Record<string, Buffer>> = {
    'after blank lines and a byte order mark': Buffer.from(`\ufeff\r\n  \n${plain}`),
    'after blanks': Buffer.from(`  ${plain}`),
    'that end with CR only': totalled(records, { end: '\r' }),
    'that end with CR and LF, with blank lines between them': totalled(records, { end: '\r\n\r\n' }),
    'with blanks around fields and records': Buffer.from(plain.replaceAll('\n', '   \n ').replaceAll(',0', ' , 0')),
    'with ^Z at the end': Buffer.from(`${plain}\x1a`),
    'with NUL at the end of the last block': Buffer.concat([Buffer.from(plain), Buffer.alloc(300)]),
    'with a last one without its end': Buffer.from(plain.trimEnd().slice(0, -1)),
    'with none that has an end': Buffer.from(plain.replaceAll(/\/$/gm, '')),
    'all on one line, after a byte order mark': Buffer.from(`\ufeff${plain.replaceAll(/\/?\n/g, '/')}`),
    'in UTF-16': Buffer.from(`\ufeff${plain}`, 'utf16le'),
    'all on one line': Buffer.from(plain.replaceAll(/\/?\n/g, '/')),
    'on one line with blanks between them': Buffer.from(plain.replaceAll(/\/?\n/g, `/${' '.repeat(12)}`)),
    'of which some are on one line': Buffer.from(plain.replace('2/\n02', '2/  02').replace('/\n16', '/16')),
    'of 80 characters': Buffer.from(
      plain.replace('7,,,2', '7,80,10,2').replaceAll(/.*\n/g, (line) => line.trimEnd().padEnd(80)),
      'latin1',
    ),
    'on one line, with a length that they do not have': Buffer.from(
      plain.replace('7,,,2', '7,80,10,2').replaceAll(/\/?\n/g, '/'),
    ),
    'in a group that counts no accounts': Buffer.from(plain.replace(/(98,\d+),2,(\d+)/, '$1,$2,')),
    'with a version that is left off': Buffer.from(plain.replace('7,,,2/', '7,,,/')),
    'with an empty sum where it is 0': Buffer.from(plain.replace('49,0,', '49,,')),
  };
  for (const [what, bytes] of Object.entries(forms)) {
    test(`may be ${what}`, async () => {
      assert.equal(createFormats(statement_formats).detect(bytes.subarray(0, 4_096), null)?.name, 'bai2');
      for (const length of [1, 7, 1_000_000]) {
        const items = await readItems(bai2, bytes, [length]);
        assert.deepEqual(shown(items), ['1 USD 1000 1300 2']);
        assert.deepEqual(
          linesIn(items).map(({ line }) => [line.amount, line.bank_reference, line.text]),
          [
            [500, 'R1', 'PAY ÉTÉ 12/16'],
            [-200, 'R2', ''],
          ],
        );
        assert.equal(endOf(items).records, 11);
      }
    });
  }

  test('on one line are no others than those in lines: a text that looks like a record changes the counts', async () => {
    const text = plain.replace('12/16', '12/16,2024').replaceAll(/\/?\n/g, '/');
    await assertProblem(bai2, Buffer.from(text), 'refused: count_differs');
  });

  test('may be of several files, one after another', async () => {
    const second = totalled([header.replace(',7,', ',8,'), group, '03,3,,010,9,,/', '49,9', '98', '99']);
    const items = await itemsOf(bai2, Buffer.concat([Buffer.from(plain), second]));
    assert.deepEqual(shown(items), ['1 USD 1000 1300 2', '3 USD 9 null 0']);
    assert.equal(headerOf(items).file_id, 'BANK-2026-03-02-7');
    const totals = { file_control_total: '3909', number_of_groups: '2', number_of_records: '17' };
    assert.deepEqual(endOf(items), { kind: 'end', records: 17, control_totals: totals });
    const cut = Buffer.concat([Buffer.from(plain), second.subarray(0, 60)]);
    await assertProblem(bai2, cut, 'truncated: file_truncated');
  });
});

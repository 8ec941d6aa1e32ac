import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clearingSamplesMissing, readClearingSample } from '@tallystick/test-support';
import { cdf3, createCdf3 } from '../../src/cdf3/cdf3.ts';
import {
  assertProblem,
  badRecordsOf,
  clearingsOf,
  endOf,
  headerOf,
  rawOf,
  readItems,
  readProblem,
} from '../reading.ts';
import { adjustment, documentOf, original, posted, transaction } from './document.ts';

describe('the records of a CDF3 file', () => {
  test('maps every element of a transaction to its field', async () => {
    const [clearing] = clearingsOf(await readItems(cdf3, documentOf()));
    assert.deepEqual(clearing?.input, {
      vcn_id: '123',
      network_financial_transaction_id: '20260716000000000001',
      billing_amount: 124_861,
      billing_currency: 'USD',
      merchant_amount: 115_260,
      merchant_currency: 'EUR',
      clearing_type: 'DEBIT',
      settlement_date: '2026-07-16',
      authorization_date: '2026-07-14',
      acquirer_ica: '6897',
      acquirer_reference_data: '12712346182000000000001',
      approval_code: '00A1B2',
      net_reference_number: '   001EEF    ',
      exchange_rate: '1.0834',
      mcc: '4722',
      merchant_id: 'MERCH1',
      merchant_name: 'HOTEL & BAR',
    });
    assert.equal(clearing?.last4, '0006');
    assert.equal(clearing?.synthetic_id, false);
  });

  test('takes the header, the sequence and the day from the reference of the file', async () => {
    const { ordinal, offset, ...header } = headerOf(await readItems(cdf3, documentOf()));
    assert.deepEqual(header, {
      kind: 'header',
      file_id: '2026071601000000007027000042',
      series: '7027',
      sequence: 42,
      created_on: '2026-07-16',
      mode: 'production',
    });
  });

  test('numbers no file whose reference has another form', async () => {
    const header = headerOf(
      await readItems(cdf3, documentOf({ header: { FileReferenceNum: 'A17', RunModeIndicator: 'V' } })),
    );
    assert.deepEqual(
      [header.file_id, header.sequence, header.created_on, header.mode],
      ['A17', null, '2026-07-16', null],
    );
  });

  test('has no file id when the header has no reference', async () => {
    for (const FileReferenceNum of [null, ' ']) {
      assert.equal(headerOf(await readItems(cdf3, documentOf({ header: { FileReferenceNum } }))).file_id, null);
    }
  });

  test('counts records in their order, and states where each begins', async () => {
    const bytes = documentOf({
      content: `<AccountInformation_4300/>${transaction()}`,
      trailer: { RecordCount: '5' },
    });
    const items = await readItems(cdf3, bytes, [3]);
    assert.deepEqual(
      items.map((item) => ('ordinal' in item ? [item.ordinal, item.offset] : [])),
      [
        [1, bytes.indexOf('<TransmissionHeader_1000')],
        [2, bytes.indexOf('<AccountInformation_4300')],
        [3, bytes.indexOf('<FinancialTransactionEntity')],
        [],
      ],
    );
  });

  test('counts offsets in bytes, after characters of several bytes', async () => {
    const content = `<AccountInformation_4300><NameLine1>Zoë 日本</NameLine1></AccountInformation_4300>${transaction()}`;
    const bytes = documentOf({ content, trailer: { RecordCount: '5' } });
    for (const length of [1, 100, 100_000]) {
      const [clearing] = clearingsOf(await readItems(cdf3, bytes, [length]));
      assert.equal(clearing?.offset, bytes.indexOf('<FinancialTransactionEntity'));
    }
  });

  test('reads an adjustment as a clearing of its own', async () => {
    const bytes = documentOf({
      content: `${transaction()}${adjustment({ MasterCardFinancialTransactionId: 'ADJ1' })}`,
      trailer: { RecordCount: '5', NumOfCredits: '1', TotalAmountOfCredits: '12486100' },
    });
    const [, second] = clearingsOf(await readItems(cdf3, bytes));
    assert.deepEqual(
      [second?.ordinal, second?.input.network_financial_transaction_id, second?.input.clearing_type],
      [4, 'ADJ1', 'CREDIT'],
    );
    assert.equal(second?.input.merchant_name, 'GOODWILL');
    assert.equal(second?.offset, bytes.indexOf('<FinancialAdjustmentRecord_5900'));
  });

  test('reports an adjustment without the values of a clearing as bad, and counts its money', async () => {
    const bytes = documentOf({
      content: `${transaction()}${adjustment({ PostingDate: null })}`,
      trailer: { RecordCount: '5', NumOfCredits: '1', TotalAmountOfCredits: '12486100' },
    });
    const [bad] = badRecordsOf(await readItems(cdf3, bytes, [7]));
    assert.equal(bad?.code, 'date_malformed');
    assert.match(rawOf(bad), /^<AccountEntity .*><FinancialAdjustmentRecord_5900>.*_5900><\/AccountEntity>$/s);
  });

  test('skips addenda, and elements that it does not know', async () => {
    const whole = transaction().replace(
      '</FinancialTransactionEntity>',
      `<Lodging_5020><PostingDate>1999-01-01</PostingDate>${posted}</Lodging_5020><Extra><PostingDate>1999-01-01</PostingDate></Extra></FinancialTransactionEntity>`,
    );
    const items = await readItems(cdf3, documentOf({ content: whole, trailer: { RecordCount: '5' } }));
    assert.equal(clearingsOf(items)[0]?.input.settlement_date, '2026-07-16');
    assert.equal(items.length, 3);
    assert.deepEqual(endOf(items).part_records, { CardAcceptor_5001: 1, Lodging_5020: 1 });
  });

  test('counts each record once: as header, trailer, clearing, bad or other record, or as a part of one', async () => {
    const content =
      transaction().repeat(2) +
      transaction().replace('</FinancialTransactionEntity>', '<Plain><SequenceNum>8</SequenceNum></Plain>$&') +
      transaction().replace(/<FinancialTransaction_5000>.*<\/FinancialTransaction_5000>/s, '$&$&') +
      `${adjustment()}<Novelty_4999/>`;
    const trailer = {
      RecordCount: '14',
      NumOfDebits: '5',
      TotalAmountOfDebits: '62430500',
      NumOfCredits: '1',
      TotalAmountOfCredits: '12486100',
    };
    const items = await readItems(cdf3, documentOf({ content, trailer }));
    const { records, part_records } = endOf(items);
    assert.deepEqual(part_records, { CardAcceptor_5001: 4, Plain: 1, FinancialTransaction_5000: 1 });
    const parts = Object.values(part_records ?? {}).reduce((sum, count) => sum + count, 0);
    const header_and_trailer = 2;
    const others = items.filter(({ kind }) => kind === 'clearing' || kind === 'bad' || kind === 'other');
    assert.equal(others.length + parts + header_and_trailer, records);
  });

  test('counts records of a type that it does not know', async () => {
    const unknown =
      '<Plain><SequenceNum>8</SequenceNum></Plain><Novelty_4999/><NoveltyEntity><HierarchyRecordHeader><SequenceNum>9</SequenceNum></HierarchyRecordHeader></NoveltyEntity>';
    const items = await readItems(
      cdf3,
      documentOf({ content: unknown + transaction(), trailer: { RecordCount: '6' } }),
    );
    assert.deepEqual(
      items.flatMap((item) => (item.kind === 'other' ? [item.type] : [])),
      ['Plain', 'Novelty_4999', 'NoveltyEntity'],
    );
  });

  test('names the card by its number when the number is not masked', async () => {
    const [clearing] = clearingsOf(await readItems(cdf3, documentOf({ account_number: '5555444433331111' })));
    assert.equal(clearing?.input.card_number, '5555444433331111');
    assert.equal('vcn_id' in (clearing?.input ?? {}), false);
    assert.equal(clearing?.last4, null);
  });

  test('finds the id of the card as the host says', async () => {
    const own = createCdf3({ custom_identifier: /^card (\d+)$/g });
    for (let time = 0; time < 2; time += 1) {
      const bytes = documentOf({ content: transaction({ CustomIdentifier: 'card 77' }) });
      assert.equal(clearingsOf(await readItems(own, bytes))[0]?.input.vcn_id, '77');
    }
  });

  test('takes the billing amount where there is one', async () => {
    const billing =
      '<AmountInBillingCurrency CurrencyCode="392" CurrencyExponent="0" CurrencySign="D">187</AmountInBillingCurrency>';
    const [clearing] = clearingsOf(
      await readItems(cdf3, documentOf({ content: transaction({}, `${posted}${billing}`) })),
    );
    assert.deepEqual([clearing?.input.billing_amount, clearing?.input.billing_currency], [187, 'JPY']);
    assert.deepEqual([clearing?.input.merchant_amount, clearing?.input.merchant_currency], [null, null]);
  });

  test('takes the transaction id of the processor where the network has none', async () => {
    const without = { MasterCardFinancialTransactionId: null };
    const idOf = async (values: Record<string, null>): Promise<string | null | undefined> =>
      clearingsOf(await readItems(cdf3, documentOf({ content: transaction(values) })))[0]?.input
        .network_financial_transaction_id;
    assert.equal(await idOf(without), 'TRN1');
    assert.equal(await idOf({ ...without, ProcessorTransactionId: null }), 'TRN0');
  });

  test('takes the first id that names something, and has none when no id does', async () => {
    const idOf = async (network: string | null, processor: string | null, entity: string): Promise<unknown> => {
      const values = { MasterCardFinancialTransactionId: network, ProcessorTransactionId: processor };
      const content = transaction(values).replace('"TRN0"', `"${entity}"`);
      return clearingsOf(await readItems(cdf3, documentOf({ content })))[0]?.input.network_financial_transaction_id;
    };
    assert.equal(await idOf('0000', 'TRN1', '0'), 'TRN1');
    assert.equal(await idOf('', '000', 'TRN0'), 'TRN0');
    assert.equal(await idOf('5.55E+17', '000', 'TRN0'), 'TRN0');
    assert.equal(await idOf(null, '', ''), null);
    assert.equal(await idOf('0000', '0000', '0'), null);
    assert.equal(await idOf('5,55E+17', null, '000000'), null);
  });

  /** What is read of an addition, and the names of those that could not be read. */
  async function additionOf(field: string, values: Record<string, string>, amounts?: string) {
    const content = transaction(values, amounts, values);
    const [clearing] = clearingsOf(await readItems(cdf3, documentOf({ content })));
    return [clearing?.input[field as 'mcc'], clearing?.unread ?? []];
  }

  const stated: readonly (readonly [field: string, name: string, text: string, value: string | null])[] = [
    ['exchange_rate', 'PostedConversionRate', '1.0833999999999999', '1.0833999999999999'],
    ['exchange_rate', 'PostedConversionRate', '.5', '0.5'],
    ['exchange_rate', 'PostedConversionRate', '7.', '7'],
    ['exchange_rate', 'PostedConversionRate', '0.0000', null],
    ['authorization_date', 'TransactionDate', '2026-07-14T23:59:59', '2026-07-14'],
    ['authorization_date', 'TransactionDate', '2026-07-14Z', '2026-07-14'],
    ['authorization_date', 'TransactionDate', '20260714', '2026-07-14'],
    ['authorization_date', 'TransactionDate', '0000-00-00', null],
    ['settlement_date', 'PostingDate', ' 2026-07-16 00:00:00 ', '2026-07-16'],
    ['approval_code', 'ApprovalCode', '000000', null],
    ['net_reference_number', 'BanknetReferenceNum', '000000', null],
    ['mcc', 'CardAcceptorBusinessCode', '742', '0742'],
    ['mcc', 'CardAcceptorBusinessCode', '', null],
    ['merchant_name', 'CardAcceptorName', ' ', null],
  ];
  for (const [field, name, text, value] of stated) {
    test(`takes ${JSON.stringify(text)} in ${name} for ${value}`, async () => {
      assert.deepEqual(await additionOf(field, { [name]: text }), [value, []]);
    });
  }

  const unread: readonly (readonly [field: string, name: string, text: string])[] = [
    ['exchange_rate', 'PostedConversionRate', '1,0'],
    ['exchange_rate', 'PostedConversionRate', '1.08E0'],
    ['authorization_date', 'TransactionDate', '2026-02-30'],
    ['authorization_date', 'TransactionDate', 'N/A'],
    ['approval_code', 'ApprovalCode', '12345678'],
    ['approval_code', 'ApprovalCode', '<Code>00A1B2</Code>'],
    ['mcc', 'CardAcceptorBusinessCode', '58123'],
    ['merchant_name', 'CardAcceptorName', 'X'.repeat(300)],
  ];
  for (const [field, name, text] of unread) {
    test(`applies a record without its ${field} when ${name} is ${text.slice(0, 20)}`, async () => {
      assert.deepEqual(await additionOf(field, { [name]: text }), [null, [field]]);
    });
  }

  test('applies a record without its original amount when that cannot be read, and states none for an empty one', async () => {
    // The last digit is not zero, so a third decimal leaves a remainder.
    const odd = original.replace('115260', '115265');
    const changes: readonly (readonly [from: string | RegExp, to: string])[] = [
      ['115265<', '115265.5<'],
      ['Exponent="2"', 'Exponent="3"'],
      ['Exponent="2"', 'Exponent="two"'],
      ['"978"', '"000"'],
      ['"D"', '"C"'],
      ['>0000', '>9900'],
      [/$/, odd],
    ];
    for (const [from, to] of changes) {
      const amounts = posted + odd.replace(from, to);
      assert.deepEqual(await additionOf('merchant_amount', {}, amounts), [null, ['merchant_amount']], `${from} ${to}`);
    }
    for (const empty of ['<AmountInOriginalCurrency/>', original.replace(/>\d+</, '> <')]) {
      assert.deepEqual(await additionOf('merchant_amount', {}, posted + empty), [null, []], empty);
    }
  });

  test('reads amounts and currencies with blanks and zeros before them, and the currency beside an amount', async () => {
    const amounts = [
      posted.replace('>0000', '> 00000000000').replace('100<', '100 <'),
      posted.replace('"840"', '" 00840 "').replace('"4"', '" 4"').replace('"D"', '" D "'),
      posted.replace(' CurrencyCode="840"', '').concat('<PostedCurrencyCode>840</PostedCurrencyCode>'),
      posted.replace('"840"', '"USD"'),
      `${posted}<AmountInBillingCurrency CurrencyCode="978" CurrencyExponent="2"/>`,
    ];
    for (const amount of amounts) {
      const content = transaction({}, amount);
      const [clearing] = clearingsOf(await readItems(cdf3, documentOf({ content })));
      assert.deepEqual([clearing?.input.billing_amount, clearing?.input.billing_currency], [124_861, 'USD'], amount);
    }
  });

  test('reads the account number with blanks and hyphens, and any mask', async () => {
    for (const account_number of ['5555 4444 3333 1111', '5555-4444-3333-1111', ' 0005555444433331111 ']) {
      const [clearing] = clearingsOf(await readItems(cdf3, documentOf({ account_number })));
      assert.equal(clearing?.input.card_number, '5555444433331111', account_number);
    }
    for (const account_number of ['XXXXXXXXXX330006', '************0006', '5555-44XX-XXXX-0006', 'xxxxxxxxxxxx0006']) {
      const [clearing] = clearingsOf(await readItems(cdf3, documentOf({ account_number })));
      assert.deepEqual([clearing?.input.vcn_id, clearing?.last4], ['123', '0006'], account_number);
    }
  });

  test('reads several issuers and corporations, each with their accounts', async () => {
    const [before, inner, after] = documentOf()
      .toString()
      .split(/(<IssuerEntity.*<\/IssuerEntity>)/s);
    const corporation = /<CorporateEntity>.*<\/CorporateEntity>/s;
    const entities = `${inner}${inner!.replace(corporation, '$&$&')}<IssuerEntity ICANumber="2"/>`;
    const text = `${before}${entities}${after}`
      .replace('<RecordCount>4', '<RecordCount>8')
      .replace('Debits>1<', 'Debits>3<')
      .replace('12486100</Total', '37458300</Total');
    assert.equal(clearingsOf(await readItems(cdf3, Buffer.from(text))).length, 3);
  });

  const bad_transactions: readonly (readonly [code: string, content: string])[] = [
    ['direction_malformed', transaction({ DebitOrCreditIndicator: 'X' })],
    ['direction_missing', transaction({ DebitOrCreditIndicator: null })],
    ['direction_missing', transaction({ DebitOrCreditIndicator: '' })],
    ['sign_contradicts', transaction({}, posted.replace('CurrencySign="D"', 'CurrencySign="C"'))],
    ['currency_unknown', transaction({}, posted.replace('"840"', '"000"'))],
    ['currency_unknown', transaction({}, posted.replace(' CurrencyCode="840"', ''))],
    ['amount_malformed', transaction({}, posted.replace('Exponent="4"', 'Exponent="5"'))],
    ['amount_malformed', transaction({}, posted.replace('Exponent="4"', 'Exponent="-4"'))],
    ['amount_malformed', transaction({}, posted.replace('Exponent="4"', 'Exponent="4e0"'))],
    ['amount_malformed', transaction({}, posted.replace(' CurrencyExponent="4"', ''))],
    ['amount_malformed', transaction({}, posted.replace('Exponent="4"', 'Exponent="0"').replace('>00', '>99'))],
    ['amount_missing', transaction({}, original)],
    ['date_malformed', transaction({ PostingDate: '2026-02-29' })],
    ['date_malformed', transaction({ PostingDate: null })],
    ['date_malformed', transaction({ PostingDate: '16/07/2026' })],
    ['date_malformed', transaction({ PostingDate: '0000-00-00' })],
    ['card_missing', transaction({ CustomIdentifier: null })],
    ['card_missing', transaction({ CustomIdentifier: 'VCN-' })],
    ['element_repeated', transaction({}, posted + posted)],
    ['element_malformed', transaction({ PostingDate: '<Day>2026-07-16</Day>' })],
  ];
  for (const [code, content] of bad_transactions) {
    test(`reports a record as bad: ${code}: ${differenceOf(content)}`, async () => {
      const digits = content.includes('>99') ? '9900000012486100' : '12486100';
      const trailer = { TotalAmountOfDebits: code === 'amount_missing' ? '0' : digits };
      const items = await readItems(cdf3, documentOf({ content, trailer }));
      const [bad] = badRecordsOf(items);
      assert.equal(bad?.code, code);
      assert.equal(rawOf(bad), `<AccountEntity AccountNumber="555544XXXXXX0006">${content}</AccountEntity>`);
      assert.equal(clearingsOf(items).length, 0);
    });
  }

  test('reads a bad record again from its bytes', async () => {
    const own = createCdf3({ custom_identifier: /^employee (\d+)$/ });
    const content = transaction({ CustomIdentifier: 'employee 5', ApprovalCode: '&amp;1' });
    const [bad] = badRecordsOf(await readItems(cdf3, documentOf({ content, account_number: '5555&lt;XX0006' })));
    const file = { ordinal: 3, offset: 700, file_id: 'F', created_on: null };
    const [read] = clearingsOf(await readItems(own, documentOf({ content, account_number: '5555&lt;XX0006' })));
    assert.deepEqual(own.readRecord?.(bad?.raw ?? Buffer.of(), file), { ...read, ordinal: 3, offset: 700 });
    const again = cdf3.readRecord?.(bad?.raw ?? Buffer.of(), file);
    assert.deepEqual(again, { ...bad, ordinal: 3, offset: 700 });
    for (const raw of ['', '<a/>', '<AccountEntity>', rawOf(bad).repeat(2), rawOf(bad).slice(0, -20), '\0']) {
      assert.equal(cdf3.readRecord?.(Buffer.from(raw), file).kind, 'bad', raw);
    }
  });

  describe('with its account has at most 65,536 bytes, in any alphabet', () => {
    const account_number = '5555&lt;XX0006';
    const place = { ordinal: 3, offset: 700, file_id: 'F', created_on: null };

    function documentWith(record_bytes: number, character: string, PostingDate: string): Buffer {
      const note = `<Note>${character.repeat(1_000)}</Note>`;
      const contentWith = (notes: string): string => transaction({ PostingDate }, posted + notes);
      const left = (content: string): number =>
        record_bytes - Buffer.byteLength(`<AccountEntity AccountNumber="${account_number}">${content}</AccountEntity>`);
      const notes = note.repeat(Math.floor((left(contentWith('')) - 100) / Buffer.byteLength(note)));
      const filler = 'x'.repeat(left(contentWith(`${notes}<Note></Note>`)));
      return documentOf({ content: contentWith(`${notes}<Note>${filler}</Note>`), account_number });
    }

    for (const character of ['x', '\u00e9', '\u20ac']) {
      test(`${character}: a bad record is kept whole, and can be read again`, async () => {
        const [bad] = badRecordsOf(await readItems(cdf3, documentWith(65_536, character, 'never')));
        assert.equal(bad?.raw.length, 65_536);
        assert.deepEqual(cdf3.readRecord?.(bad.raw, place), { ...bad, ordinal: 3, offset: 700 });
      });

      test(`${character}: a file with a longer one is refused, bad or not`, async () => {
        const sound = await readItems(cdf3, documentWith(65_536, character, '2026-07-16'));
        assert.equal(clearingsOf(sound).length, 1);
        for (const posting_date of ['never', '2026-07-16']) {
          await assertProblem(cdf3, documentWith(65_537, character, posting_date), 'refused: record_too_long');
        }
      });
    }
  });

  test('finds the start of a record whose tag has a > in an attribute, whatever the chunks', async () => {
    const content = transaction({ PostingDate: 'never' }).replace('"TRN0"', '"a > b > c > d"');
    const bytes = documentOf({ content });
    for (let length = 1; length < 40; length += 1) {
      const [bad] = badRecordsOf(await readItems(cdf3, bytes, [length]));
      assert.equal(bad?.offset, bytes.indexOf('<FinancialTransactionEntity'));
      assert.equal(rawOf(bad), `<AccountEntity AccountNumber="555544XXXXXX0006">${content}</AccountEntity>`);
    }
  });

  test('the reason of a bad record repeats no value of the record', async () => {
    const number = '4111111111111111';
    for (const name of ['PostingDate', 'CustomIdentifier', 'DebitOrCreditIndicator', 'PostedConversionRate']) {
      const content = transaction({ [name]: `${number}x` });
      const [bad] = badRecordsOf(await readItems(cdf3, documentOf({ content })));
      assert.doesNotMatch(bad?.reason ?? '', /\d{12}/);
    }
  });
});

function differenceOf(content: string): string {
  const [usual, changed] = [transaction(), content];
  let at = 0;
  while (at < changed.length && usual[at] === changed[at]) at += 1;
  return changed.slice(Math.max(0, at - 30), at + 30);
}

describe('the totals of a CDF3 file', () => {
  test('accepts a record count with the trailer and one without it', async () => {
    for (const RecordCount of ['4', '3']) {
      assert.equal(endOf(await readItems(cdf3, documentOf({ trailer: { RecordCount } }))).records, 4);
    }
  });

  test('sums the digits of the posted amounts, whatever their exponents', async () => {
    const other = posted.replace('"4"', '"2"').replace('0000000012486100', '99');
    const bytes = documentOf({
      content: transaction() + transaction({}, other),
      trailer: { RecordCount: '6', NumOfDebits: '2', TotalAmountOfDebits: '12486199' },
    });
    assert.deepEqual(endOf(await readItems(cdf3, bytes)).control_totals, {
      RecordCount: '6',
      NumOfCredits: '0',
      TotalAmountOfCredits: '0',
      NumOfDebits: '2',
      TotalAmountOfDebits: '12486199',
    });
  });

  test('counts the money of bad records', async () => {
    const content = transaction({ PostingDate: 'never' });
    assert.equal(endOf(await readItems(cdf3, documentOf({ content }))).control_totals.NumOfDebits, '1');
  });

  for (const [name, wrong] of Object.entries({
    RecordCount: ['2', '5', '40'],
    NumOfCredits: ['1'],
    TotalAmountOfCredits: ['1'],
    NumOfDebits: ['0', '2'],
    TotalAmountOfDebits: ['12486101', '124861'],
  })) {
    for (const text of wrong) {
      test(`refuses a file whose ${name} is ${text}`, async () => {
        const code = name.startsWith('Total') ? 'sum_differs' : 'count_differs';
        const problem = await assertProblem(cdf3, documentOf({ trailer: { [name]: text } }), `refused: ${code}`);
        assert.match(problem.message, new RegExp(`^${name} is ${text}`));
      });
    }
    test(`refuses a trailer whose ${name} is no number`, async () => {
      await assertProblem(cdf3, documentOf({ trailer: { [name]: '-1' } }), 'refused: trailer_malformed');
    });
  }

  const none = { NumOfCredits: null, TotalAmountOfCredits: null, NumOfDebits: null, TotalAmountOfDebits: null };
  const credit_trailer = { RecordCount: null, NumOfCredits: '1', TotalAmountOfCredits: '12486100' };

  test('accepts a day without credits, without debits or without both that states no totals of them', async () => {
    const no_credits = { NumOfCredits: null, TotalAmountOfCredits: '' };
    assert.deepEqual(endOf(await readItems(cdf3, documentOf({ trailer: no_credits }))).control_totals, {
      RecordCount: '4',
      NumOfDebits: '1',
      TotalAmountOfDebits: '0000000012486100'.replace(/^0+/, ''),
    });
    const only_credit = documentOf({ content: adjustment(), trailer: { ...none, ...credit_trailer } });
    assert.equal(clearingsOf(await readItems(cdf3, only_credit)).length, 1);
    const empty = documentOf({ content: '', trailer: { ...none, RecordCount: '2' } });
    assert.deepEqual(endOf(await readItems(cdf3, empty)).control_totals, { RecordCount: '2' });
  });

  test('refuses debits or credits whose totals are missing, with the difference', async () => {
    const debit = await assertProblem(cdf3, documentOf({ trailer: none }), 'refused: count_differs');
    assert.match(
      debit.message,
      /^NumOfDebits is missing, which stands for 0, but the records make 1, a difference of 1$/,
    );
    const trailer = { ...none, ...credit_trailer, TotalAmountOfCredits: null };
    const credit = await assertProblem(cdf3, documentOf({ content: adjustment(), trailer }), 'refused: sum_differs');
    assert.match(credit.message, /^TotalAmountOfCredits is missing.* 12486100, a difference of 12486100$/);
  });

  test('states the true difference of a sum', async () => {
    const problem = await assertProblem(
      cdf3,
      documentOf({ trailer: { TotalAmountOfDebits: '12486000' } }),
      'refused: sum_differs',
    );
    assert.equal(
      problem.message,
      'TotalAmountOfDebits is 12486000, but the records make 12486100, a difference of 100',
    );
  });

  test('names the record whose posted amount cannot be read', async () => {
    const content = transaction() + transaction({}, posted.replace('>00', '>O0'));
    const bytes = documentOf({
      content,
      trailer: { RecordCount: '6', NumOfDebits: '2', TotalAmountOfDebits: '24972200' },
    });
    const problem = await assertProblem(cdf3, bytes, 'refused: sum_differs');
    assert.match(problem.message, /the posted amount of record 4 cannot be read/);
    assert.equal(problem.offset, bytes.indexOf('<TransmissionTrailer_9999>'));
  });

  test('counts both transactions of an entity that has two, and applies neither', async () => {
    const inner = /<FinancialTransaction_5000>.*<\/FinancialTransaction_5000>/s.exec(transaction())?.[0] ?? '';
    const second = inner.replace('0000000012486100', '39');
    const content = transaction().replace('<CardAcceptor_5001>', `${second}<CardAcceptor_5001>`);
    const trailer = { RecordCount: '5', NumOfDebits: '2', TotalAmountOfDebits: '12486139' };
    const items = await readItems(cdf3, documentOf({ content, trailer }));
    assert.equal(badRecordsOf(items)[0]?.code, 'transaction_repeated');
    assert.equal(clearingsOf(items).length, 0);
  });
});

describe('the structure of a CDF3 file', () => {
  const whole = documentOf().toString();
  const entity = transaction();
  const wrong: readonly (readonly [problem: string, what: string, text: string])[] = [
    ['refused: header_missing', 'has no header', documentOf({ header: null }).toString()],
    ['refused: trailer_missing', 'has no trailer', documentOf({ trailer: null }).toString()],
    ['refused: root_unknown', 'has another root', '<Other/>'],
    ['refused: bytes_after_end', 'has text after the root', documentOf({ after: 'x' }).toString()],
    ['refused: bytes_after_end', 'has an element after the root', documentOf({ after: '<a/>' }).toString()],
    ['refused: bytes_after_end', 'has another document after the root', `${whole}${whole}`],
    ['refused: bytes_after_end', 'is filled up with zero bytes', documentOf({ after: '\0\0\0' }).toString()],
    [
      'refused: record_after_trailer',
      'has a record after the trailer',
      whole.replace('</CDFTransmissionFile>', '<Note_1234/></CDFTransmissionFile>'),
    ],
    [
      'refused: element_misplaced',
      'has a second header',
      whole.replace('<IssuerEntity', '<TransmissionHeader_1000/><IssuerEntity'),
    ],
    ['refused: element_misplaced', 'has a trailer in an account', whole.replace(entity, '<TransmissionTrailer_9999/>')],
    [
      'refused: element_misplaced',
      'has a transaction in a transaction',
      documentOf({ content: entity.replace('<CardAcceptor_5001>', `<CardAcceptor_5001>${entity}`) }).toString(),
    ],
    [
      'refused: element_misplaced',
      'has an account in an account',
      documentOf({ content: '<AccountEntity AccountNumber="1"/>' }).toString(),
    ],
    [
      'refused: element_misplaced',
      'has an entity in an entity',
      documentOf({ content: entity.replace('<CardAcceptor_5001>', `${entity}<CardAcceptor_5001>`) }).toString(),
    ],
    [
      'refused: element_misplaced',
      'has a transaction outside of an entity',
      documentOf({ content: '<FinancialTransaction_5000/>' }).toString(),
    ],
    [
      'refused: element_misplaced',
      'has money hidden in an unknown element of a record',
      documentOf({ content: `<Novelty_4999><Inner><x>${adjustment()}</x></Inner></Novelty_4999>` }).toString(),
    ],
    [
      'refused: transaction_missing',
      'has an entity without a transaction',
      documentOf({ content: '<FinancialTransactionEntity/>' }).toString(),
    ],
  ];
  for (const [problem, what, text] of wrong) {
    test(`refuses a file that ${what}`, async () => {
      await assertProblem(cdf3, Buffer.from(text), problem);
    });
  }

  test('a file that ends anywhere before its end is truncated, and only then', async () => {
    const bytes = documentOf({ content: transaction({ CustomIdentifier: 'é-7' }), after: '' });
    for (let length = 0; length < bytes.length; length += 1) {
      const problem = await readProblem(cdf3, bytes.subarray(0, length), [1_000]);
      assert.equal(problem.status, 'truncated', `of ${length} bytes: ${problem.message}`);
      assert.equal(problem.offset, length);
    }
    assert.equal(endOf(await readItems(cdf3, bytes)).kind, 'end');
  });
});

test('recognises a CDF3 file by its root, in any encoding', () => {
  const bytes = documentOf();
  assert.equal(cdf3.detect(bytes, null), true);
  assert.equal(cdf3.detect(Buffer.from(bytes.toString(), 'utf16le'), null), true);
  assert.equal(cdf3.detect(Buffer.from('<?xml version="1.0"?><Document/>'), 'x.xml'), false);
});

test('reads the sample of another program whole', { skip: clearingSamplesMissing() }, async () => {
  const items = await readItems(cdf3, readClearingSample('cdf3_synthetic_40.xml'));
  assert.equal(clearingsOf(items).length, 40);
  assert.equal(badRecordsOf(items).length, 0);
  assert.deepEqual(endOf(items), {
    kind: 'end',
    records: 84,
    control_totals: {
      RecordCount: '84',
      NumOfCredits: '2',
      TotalAmountOfCredits: '45274100',
      NumOfDebits: '38',
      TotalAmountOfDebits: '1015889900',
    },
    part_records: { CardAcceptor_5001: 40 },
  });
  const sum = clearingsOf(items).reduce((total, { input }) => total + input.billing_amount, 0);
  assert.equal(sum, (45_274_100 + 1_015_889_900) / 100);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { headerOf } from '@tallystick/harness';
import type { FileItem, StatedProblem } from '@tallystick/imports';
import { details_max } from '../../src/camt053/entry.ts';
import { camt053 } from '../../src/index.ts';
import { assertProblem, itemsOf, linesIn, statementsIn } from '../reading.ts';
import { balanceOf, closing, detailsOf, documentOf, entryOf, opening } from './document.ts';

/** What holds statements, in the order of the file. */
const problemsIn = (items: readonly FileItem[]): readonly StatedProblem[] =>
  items.flatMap((item) => {
    if (item.kind === 'bad') return [{ code: item.code, message: item.reason }];
    const problem = item.kind === 'statement' || item.kind === 'statement_end' ? item.problem : undefined;
    return problem === undefined ? [] : [problem];
  });
const lineOf = async (more: string, sign = 'DBIT') =>
  linesIn(await itemsOf(camt053, documentOf({ entries: entryOf({ sign, more }) })))[0]?.line;
const linesOf = async (more: string) =>
  linesIn(await itemsOf(camt053, documentOf({ entries: entryOf({ more }) }))).map(({ line }) => line);

const code = (domain: string, family: string, sub_family: string): string =>
  `<BkTxCd><Domn><Cd>${domain}</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub_family}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
const proprietary = (value: string, issuer = ''): string =>
  `<BkTxCd><Prtry><Cd>${value}</Cd>${issuer === '' ? '' : `<Issr>${issuer}</Issr>`}</Prtry></BkTxCd>`;
const remittance = (...texts: readonly string[]): string =>
  `<RmtInf>${texts.map((text) => `<Ustrd>${text}</Ustrd>`).join('')}</RmtInf>`;
const ref23 = '74123456060000000000017';
const ref17 = '12345678901234567';

describe('a camt.053 file', () => {
  test('states its accounts, balances and lines', async () => {
    const more =
      '<BookgDt><Dt>2026-02-28</Dt></BookgDt><ValDt><DtTm>2026-03-01T23:30:00-05:00</DtTm></ValDt>' +
      `<AcctSvcrRef>B-1</AcctSvcrRef>${proprietary('821')}` +
      detailsOf(`<Refs><Prtry><Tp>ARD</Tp><Ref>${ref23}</Ref></Prtry></Refs>${remittance('PAPER', 'AND INK')}`);
    const document = documentOf({ entries: entryOf({ more }) });
    const items = await itemsOf(camt053, document);
    assert.deepEqual(headerOf(items), {
      ...{ kind: 'header', ordinal: 1, offset: 0, file_id: 'M-1@2026-03-02', series: null },
      ...{ sequence: null, created_on: '2026-03-02', mode: null },
    });
    assert.deepEqual(statementsIn(items), [
      {
        ...{ kind: 'statement', ordinal: 2, offset: document.indexOf('<Stmt>'), number: 1 },
        ...{ account_number: 'GB33BUKB20201555555555', currency: 'USD', reference: 'S-1', as_of: '2026-03-01' },
        ...{ opening_balance: 10_000, closing_balance: -2_500 },
      },
    ]);
    assert.deepEqual(linesIn(items), [
      {
        ...{ kind: 'line', ordinal: 3, offset: document.indexOf('<Ntry>'), statement_number: 1, place: 1 },
        line: {
          ...{ bank_reference: 'B-1', booking_date: '2026-02-28', value_date: '2026-03-01', amount: -12_500 },
          ...{ bai_code: '821', text: 'PAPER AND INK', acquirer_reference: ref23 },
        },
      },
    ]);
    assert.deepEqual(items.at(-1), { kind: 'end', records: 3, control_totals: { statements: '1', entries: '1' } });
  });

  test('is the same in every version, with prefixes, and in UTF-16', async () => {
    const expected = statementsIn(await itemsOf(camt053, documentOf())).map(({ offset: _, ...rest }) => rest);
    for (const bytes of [
      documentOf({ version: '02' }),
      documentOf({ version: '13' }),
      Buffer.from(
        documentOf()
          .toString()
          .replace('xmlns=', 'xmlns:ns2=')
          .replace(/<(\/?)([A-Z])/g, '<$1ns2:$2'),
      ),
      Buffer.from(`\ufeff${documentOf({ declaration: '<?xml version="1.0" encoding="UTF-16"?>' })}`, 'utf16le'),
    ]) {
      const items = await itemsOf(camt053, bytes);
      assert.deepEqual(
        statementsIn(items).map(({ offset: _, ...rest }) => rest),
        expected,
      );
      assert.equal(linesIn(items)[0]?.line.amount, -12_500);
      assert.ok(camt053.detect(bytes.subarray(0, 4_096), null));
    }
  });

  test('opens with OPBD, else with PRCD; pages open and close with ITBD', async () => {
    const balances = async (...all: readonly string[]): Promise<unknown> => {
      const [statement] = statementsIn(await itemsOf(camt053, documentOf({ balances: all.join('') })));
      return [statement?.opening_balance, statement?.closing_balance, statement?.as_of];
    };
    const previous = balanceOf('PRCD', '7.00', 'CRDT', '2026-02-28');
    const interim = (amount: string, sub_type = ''): string =>
      balanceOf('ITBD', amount, 'CRDT', '2026-03-01', sub_type);
    const available = balanceOf('CLAV', '9999.00', 'CRDT', '2026-03-01');
    assert.deepEqual(await balances(previous, opening, available, closing), [10_000, -2_500, '2026-03-01']);
    assert.deepEqual(await balances(previous, closing), [700, -2_500, '2026-03-01']);
    assert.deepEqual(await balances(opening, interim('1.00')), [10_000, 100, '2026-03-01']);
    assert.deepEqual(await balances(interim('1.00'), interim('2.00')), [100, 200, '2026-03-01']);
    assert.deepEqual(await balances(interim('2.00', 'CIBD'), interim('1.00', 'OIBD')), [100, 200, '2026-03-01']);
    assert.deepEqual(await balances(interim('2.00'), closing), [200, -2_500, '2026-03-01']);
    assert.deepEqual(
      await balances(
        opening,
        closing.replace('<Dt><Dt>2026-03-01</Dt></Dt>', '<Dt><DtTm>2026-03-01T23:00:00Z</DtTm></Dt>'),
      ),
      [10_000, -2_500, '2026-03-01'],
    );
  });

  test('names an account by the letters and digits of another id than an IBAN', async () => {
    for (const [id, number] of [
      ['10-0000 0001', '1000000001'],
      ['19-2000123/0800', '1920001230800'],
      ['RO12 BANK.0001/7', 'RO12BANK00017'],
    ]) {
      const account = `<Id><Othr><Id>${id}</Id></Othr></Id>`;
      const [statement] = statementsIn(await itemsOf(camt053, documentOf({ account })));
      assert.deepEqual([statement?.account_number, statement?.currency], [number, 'USD']);
    }
  });

  test('has the acquirer reference of type ARD, else the first number in the texts', async () => {
    const ard = `<Refs><Prtry><Tp>OTHER</Tp><Ref>${ref17}</Ref></Prtry><Prtry><Tp>ARD</Tp><Ref>${ref23}</Ref></Prtry></Refs>`;
    const inText = (text: string): string => detailsOf(remittance(text));
    assert.equal((await lineOf(detailsOf(ard + remittance(ref17))))?.acquirer_reference, ref23);
    assert.equal((await lineOf(inText(`CARD ${ref17} X`)))?.acquirer_reference, ref17);
    assert.equal(
      (await lineOf(detailsOf(`<RmtInf><Strd><CdtrRefInf><Ref>${ref23}</Ref></CdtrRefInf></Strd></RmtInf>`)))
        ?.acquirer_reference,
      ref23,
    );
    assert.equal((await lineOf(detailsOf(`<AddtlTxInf>ARN ${ref23}</AddtlTxInf>`)))?.acquirer_reference, ref23);
    assert.equal((await lineOf(`<AddtlNtryInf>ARN ${ref23}</AddtlNtryInf>`))?.acquirer_reference, ref23);
    assert.equal((await lineOf(inText(`${ref17}8`)))?.acquirer_reference, null);
  });

  test('has the BAI code of the bank, else one by the codes of ISO 20022 and the direction', async () => {
    const expected: readonly (readonly [more: string, debit: string, credit: string])[] = [
      [proprietary('821'), '821', '821'],
      [proprietary('825', 'BAI2'), '825', '825'],
      [proprietary('166', 'DK'), '699', '399'],
      [proprietary('NTRF+166+9310', 'ZKA'), '699', '399'],
      [code('PMNT', 'CCRD', 'POSD'), '821', '822'],
      [code('PMNT', 'CCRD', 'POSC'), '821', '822'],
      [code('PMNT', 'CCRD', 'RIMB'), '821', '824'],
      [code('PMNT', 'CCRD', 'CWDL'), '595', '295'],
      [code('PMNT', 'CCRD', 'FEES'), '825', '826'],
      [code('PMNT', 'ICDT', 'CHRG'), '698', '398'],
      [code('ACMT', 'MDOP', 'FEES'), '698', '398'],
      [code('ACMT', 'MCOP', 'INTR'), '654', '354'],
      [code('PMNT', 'ICDT', 'ESCT'), '828', '252'],
      [code('PMNT', 'RCDT', 'ESCT'), '552', '827'],
      [code('PMNT', 'RCDT', 'DMCT'), '552', '195'],
      [code('PMNT', 'RDDT', 'ESDD'), '501', '836'],
      [code('XTND', 'NTAV', 'NTAV'), '699', '399'],
      ['', '699', '399'],
    ];
    for (const [more, debit, credit] of expected) {
      assert.equal((await lineOf(more))?.bai_code, debit, more);
      assert.equal((await lineOf(more, 'CRDT'))?.bai_code, credit, more);
    }
    const own_of_detail = `${code('PMNT', 'ICDT', 'DMCT')}${detailsOf(code('PMNT', 'CCRD', 'POSD'))}`;
    assert.equal((await lineOf(own_of_detail))?.bai_code, '821');
  });

  test('a reversal has the direction that it states', async () => {
    const line = await lineOf(`<RvslInd>true</RvslInd>${code('PMNT', 'CCRD', 'POSD')}`, 'CRDT');
    assert.deepEqual([line?.amount, line?.bai_code], [12_500, '822']);
  });

  test('an entry whose transactions add up is one line for each of them', async () => {
    const part = (amount: string, text: string, ref = ''): string =>
      `${ref === '' ? '' : `<Refs><AcctSvcrRef>${ref}</AcctSvcrRef></Refs>`}<Amt Ccy="USD">${amount}</Amt>` +
      `<CdtDbtInd>${text === 'credit' ? 'CRDT' : 'DBIT'}</CdtDbtInd>${remittance(text)}`;
    const reference = '<AcctSvcrRef>B-9</AcctSvcrRef>';
    const three = detailsOf(part('100.00', 'one'), part('30.00', 'two'), part('5.00', 'credit'));
    assert.deepEqual(
      (await linesOf(reference + three)).map(({ amount, text, bank_reference }) => [amount, text, bank_reference]),
      [
        [-10_000, 'one', 'B-9/1'],
        [-3_000, 'two', 'B-9/2'],
        [500, 'credit', 'B-9/3'],
      ],
    );
    const named = detailsOf(part('100.00', 'one', 'X-1'), part('20.00', 'two', 'X-2'), part('5.00', 'three', 'X-2'));
    assert.deepEqual(
      (await linesOf(reference + named)).map(({ bank_reference }) => bank_reference),
      ['X-1', 'X-2/2', 'X-2/3'],
    );
    const old = detailsOf(
      '<AmtDtls><TxAmt><Amt Ccy="USD">100.00</Amt></TxAmt></AmtDtls>',
      '<AmtDtls><TxAmt><Amt Ccy="USD">25.00</Amt></TxAmt></AmtDtls>',
    );
    assert.deepEqual(
      (await linesOf(old)).map(({ amount }) => amount),
      [-10_000, -2_500],
    );
  });

  test('an entry whose transactions do not add up, or lack an amount, is one line', async () => {
    const amount = (text: string, currency = 'USD'): string => `<Amt Ccy="${currency}">${text}</Amt>`;
    for (const details of [
      detailsOf(amount('100.00'), amount('24.99')),
      detailsOf(amount('100.00'), ''),
      detailsOf(amount('100.00'), amount('25.00', 'EUR')),
      detailsOf(amount('100.00'), amount('25.001')),
      detailsOf(...Array.from({ length: details_max + 1 }, () => amount('0.00')), amount('125.00')),
    ]) {
      const lines = await linesOf(`<AcctSvcrRef>B-9</AcctSvcrRef>${details}<AddtlNtryInf>Batch</AddtlNtryInf>`);
      assert.deepEqual(
        lines.map((line) => [line.amount, line.bank_reference, line.text]),
        [[-12_500, 'B-9', 'Batch']],
      );
    }
  });

  test('reports entries that are not booked as other records', async () => {
    const pending = entryOf().replace('<Sts>BOOK</Sts>', '<Sts><Cd>PDNG</Cd></Sts>');
    const items = await itemsOf(camt053, documentOf({ entries: pending + entryOf() }));
    assert.deepEqual(
      items.map((item) => (item.kind === 'other' ? item.type : item.kind)),
      ['header', 'statement', 'Ntry/PDNG', 'line', 'end'],
    );
  });

  test('may have a summary of all entries, or of the booked ones', async () => {
    const pending = entryOf().replace('BOOK', 'PDNG');
    const entries = entryOf() + entryOf({ amount: '<Amt Ccy="USD">25</Amt>', sign: 'CRDT' }) + pending;
    const summaryOf = (count: number, sum: string, net: string, debits: number): string =>
      `<TxsSummry><TtlNtries><NbOfNtries>${count}</NbOfNtries><Sum>${sum}</Sum><TtlNetNtryAmt>${net}</TtlNetNtryAmt>` +
      '<CdtDbtInd>DBIT</CdtDbtInd></TtlNtries><TtlCdtNtries><NbOfNtries>1</NbOfNtries><Sum>25.00</Sum></TtlCdtNtries>' +
      `<TtlDbtNtries><NbOfNtries>${debits}</NbOfNtries></TtlDbtNtries></TxsSummry>`;
    for (const summary of [summaryOf(2, '150.00', '100.00', 1), summaryOf(3, '275.00', '225.00', 2)]) {
      assert.equal(linesIn(await itemsOf(camt053, documentOf({ entries, summary }))).length, 2);
    }
    const held = [
      ['count_differs', summaryOf(4, '150.00', '100.00', 1), 'TtlNtries/NbOfNtries must be 2, as the entries, not 4'],
      [
        'count_differs',
        summaryOf(2, '150.00', '100.00', 2),
        'TtlDbtNtries/NbOfNtries must be 1, as the entries, not 2',
      ],
      ['sum_differs', summaryOf(2, '150.01', '100.00', 1), 'TtlNtries/Sum must be 150.00, as the entries, not 150.01'],
      ['sum_differs', summaryOf(2, '150.00', '99.00', 1), 'TtlNetNtryAmt must be 100.00, as the entries, not 99.00'],
      [
        'sum_differs',
        summaryOf(2, '150.00', '100.00', 1).replace('25.00', '24.00'),
        'TtlCdtNtries/Sum must be 25.00, as the entries, not 24.00',
      ],
      [
        'sum_differs',
        summaryOf(2, '150.00', '100.00', 1).replace('DBIT', 'CRDT'),
        'the net amount of the summary must be a debit',
      ],
    ] as const;
    for (const [code_expected, summary, message] of held) {
      const [problem] = problemsIn(await itemsOf(camt053, documentOf({ entries, summary })));
      assert.equal(problem?.code, code_expected);
      assert.ok(problem.message.endsWith(message), problem.message);
    }
  });

  test('has a summary with signs, with the net amount as the sum, or with empty elements', async () => {
    const entries = entryOf() + entryOf({ amount: '<Amt Ccy="USD">25</Amt>', sign: 'CRDT' });
    for (const summary of [
      '<TtlNtries><NbOfNtries>2</NbOfNtries><Sum>-100.00</Sum></TtlNtries><TtlDbtNtries><Sum>-125.00</Sum></TtlDbtNtries>',
      '<TtlNtries><NbOfNtries/><Sum></Sum><TtlNetNtryAmt>-100</TtlNetNtryAmt><CdtDbtInd>DBIT</CdtDbtInd></TtlNtries>',
      '<TtlNtries><Sum> </Sum><TtlNetNtry><Amt/><CdtDbtInd/></TtlNetNtry></TtlNtries><TtlCdtNtries/>',
      '',
    ]) {
      const document = documentOf({ entries, summary: `<TxsSummry>${summary}</TxsSummry>` });
      assert.deepEqual(problemsIn(await itemsOf(camt053, document)), [], summary);
    }
  });
});

describe('a camt.053 file as banks send it', () => {
  test('has amounts in every form of a decimal number', async () => {
    const amountOf = async (text: string, currency = 'USD'): Promise<unknown> => {
      const balances = opening.replace('USD', currency);
      const entries = entryOf({ sign: 'CRDT', amount: `<Amt Ccy="${currency}">${text}</Amt>` });
      const account = '<Id><IBAN>GB33BUKB20201555555555</IBAN></Id>';
      const items = await itemsOf(camt053, documentOf({ account, balances, entries }));
      return linesIn(items)[0]?.line.amount ?? problemsIn(items)[0]?.code;
    };
    const forms = {
      '.50': 50,
      '+10.00': 1_000,
      '10.': 1_000,
      '10': 1_000,
      '\n 10.5 ': 1_050,
      '007.10000': 710,
      '0': 0,
    };
    for (const [text, amount] of Object.entries(forms)) assert.equal(await amountOf(text), amount, text);
    assert.equal(await amountOf('2700.00', 'JPY'), 2_700);
    assert.equal(await amountOf('.5', 'KWD'), 500);
    for (const text of ['1,50', '1,500.00', '1 000.00', '-1.00', '1.001', '.', '+', '1e2', '']) {
      assert.equal(await amountOf(text), 'amount_malformed', text);
    }
    assert.equal(await amountOf('27.5', 'JPY'), 'amount_malformed');
  });

  test('has types of balances as codes or as names of the bank, in any case', async () => {
    const forms = [
      (text: string) => text,
      (text: string) => text.replaceAll('<Cd>', '<Prtry>').replaceAll('</Cd>', '</Prtry>'),
      (text: string) => text.replace('OPBD', 'opbd').replace('CLBD', ' Clbd '),
      (text: string) => text.replaceAll(/<\/?CdOrPrtry>/g, ''),
    ];
    for (const changed of forms.map((change) => change(opening + closing))) {
      const [statement] = statementsIn(await itemsOf(camt053, documentOf({ balances: changed })));
      assert.deepEqual([statement?.opening_balance, statement?.closing_balance], [10_000, -2_500], changed);
    }
  });

  test('has balances of several days in any order: the first day opens, and the last closes', async () => {
    const days = ['2026-03-01', '2026-03-02', '2026-03-03'].map(
      (day, place) => balanceOf('OPBD', `${place}.00`, 'CRDT', day) + balanceOf('CLBD', `${place + 1}.00`, 'CRDT', day),
    );
    const pages = ['2026-03-01', '2026-03-02'].map((day, place) => balanceOf('ITBD', `${3 * place}.00`, 'CRDT', day));
    for (const all of [days, days.toReversed(), pages, pages.toReversed()]) {
      const [statement] = statementsIn(await itemsOf(camt053, documentOf({ balances: all.join('') })));
      assert.deepEqual([statement?.opening_balance, statement?.closing_balance], [0, 300]);
      assert.equal(statement?.as_of, all.length === 3 ? '2026-03-03' : '2026-03-02');
    }
  });

  test('may state one balance or none, and is of the day it closes, ends, or was booked last', async () => {
    const period = '<FrToDt><ToDtTm>2026-03-05T23:59:59.999+01:00</ToDtTm></FrToDt>';
    const entries = ['2026-03-04', '2026-03-03'].map((day) => entryOf({ more: `<BookgDt><Dt>${day}</Dt></BookgDt>` }));
    const undated = closing.replace('<Dt><Dt>2026-03-01</Dt></Dt>', '');
    const expected = [
      [opening, '', [10_000, null, '2026-03-04']],
      [closing, '', [null, -2_500, '2026-03-01']],
      [closing, period, [null, -2_500, '2026-03-01']],
      [undated, period, [null, -2_500, '2026-03-05']],
      [balanceOf('ITBD', '1.00', 'CRDT', '2026-03-06'), '', [null, 100, '2026-03-06']],
      [balanceOf('OPAV', '1.00', 'CRDT', '2026-03-06'), period, [null, null, '2026-03-05']],
      ['<Bal><Amt Ccy="USD">1.00</Amt></Bal>', '', [null, null, '2026-03-04']],
      ['', '', [null, null, '2026-03-04']],
    ] as const;
    for (const [balances, more, values] of expected) {
      const document = documentOf({ balances: more + balances, entries: entries.join('') });
      const items = await itemsOf(camt053, document);
      const [statement] = statementsIn(items);
      const end = items.find((item) => item.kind === 'statement_end');
      assert.deepEqual(problemsIn(items), []);
      assert.deepEqual(
        [statement?.opening_balance, statement?.closing_balance, end?.as_of ?? statement?.as_of],
        values,
        balances,
      );
    }
    const created = documentOf({ balances: '<CreDtTm>2026-03-02T06:00:00</CreDtTm>', entries: '' });
    assert.equal(statementsIn(await itemsOf(camt053, created))[0]?.as_of, '2026-03-02');
  });

  test('has the currency of its account, its balances, or its first entry', async () => {
    const only = '<Id><IBAN>GB33BUKB20201555555555</IBAN></Id>';
    const currencyIn = async (parts: Parameters<typeof documentOf>[0]): Promise<unknown> =>
      statementsIn(await itemsOf(camt053, documentOf(parts)))[0]?.currency;
    assert.equal(await currencyIn({ balances: '' }), 'USD');
    assert.equal(await currencyIn({ account: only }), 'USD');
    assert.equal(await currencyIn({ account: only, balances: '' }), 'USD');
    assert.equal(await currencyIn({ account: only, balances: '', entries: '' }), null);
    const without = documentOf({ balances: (opening + closing).replaceAll(' Ccy="USD"', ''), entries: entryOf() });
    assert.deepEqual(problemsIn(await itemsOf(camt053, without)), []);
    const bare = documentOf({ entries: entryOf({ amount: '<Amt>125.00</Amt>' }) });
    assert.equal(linesIn(await itemsOf(camt053, bare))[0]?.line.amount, -12_500);
  });

  test('names its account by an IBAN in any case and grouping, or by another id', async () => {
    const accounts = {
      '<IBAN>gb33 bukb 2020 1555 5555 55</IBAN>': 'GB33BUKB20201555555555',
      '<Othr><Id>ceid2000000001</Id></Othr>': 'ceid2000000001',
      '<BBAN>2020 1555-555555</BBAN>': '20201555555555',
      '<PrtryAcct><Id>1000000001</Id></PrtryAcct>': '1000000001',
    };
    for (const [id, number] of Object.entries(accounts)) {
      const document = documentOf({ account: `<Id>${id}</Id><Ccy>USD</Ccy>` });
      assert.equal(statementsIn(await itemsOf(camt053, document))[0]?.account_number, number);
    }
  });

  test('has an envelope around the message, or no namespace', async () => {
    const plain = documentOf({ declaration: '' }).toString();
    const header = '<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizMsgIdr>1</BizMsgIdr></AppHdr>';
    const signed = header.replace('<BizMsgIdr>', `<Sgntr>${'A'.repeat(10_000)}</Sgntr><BizMsgIdr>`);
    const message = plain.slice(plain.indexOf('<BkToCstmrStmt>'), plain.indexOf('</Document>'));
    for (const text of [
      `<BizMsgEnvlp>${header}${plain}</BizMsgEnvlp>`,
      `<BizMsgEnvlp>${signed}${plain}</BizMsgEnvlp>`,
      `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${plain}</s:Body></s:Envelope>`,
      `<Document>${message}</Document>`,
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.01">${message.replaceAll('BkToCstmrStmt>', 'BkToCstmrStmtV01>')}</Document>`,
      message,
    ]) {
      const bytes = Buffer.from(text);
      const items = await itemsOf(camt053, bytes);
      assert.deepEqual(problemsIn(items), []);
      assert.equal(linesIn(items)[0]?.offset, bytes.indexOf('<Ntry>'));
      if (!text.includes('<Sgntr>')) assert.ok(camt053.detect(bytes.subarray(0, 4_096), null), text);
    }
    const two = await itemsOf(camt053, Buffer.from(`<Batch>${plain}${plain}</Batch>`));
    assert.deepEqual(
      linesIn(two).map(({ statement_number, place }) => [statement_number, place]),
      [
        [1, 1],
        [2, 1],
      ],
    );
  });

  test('has entries without a status, which are booked, and none of other statuses', async () => {
    const withStatus = (status: string): string => entryOf().replace('<Sts>BOOK</Sts>', status);
    const statuses = ['', '<Sts/>', '<Sts>book</Sts>', '<Sts><Cd>BOOK</Cd></Sts>'].map(withStatus);
    assert.equal(linesIn(await itemsOf(camt053, documentOf({ entries: statuses.join('') }))).length, 4);
    const other = ['<Sts>PDNG</Sts>', '<Sts><Cd>INFO</Cd></Sts>', '<Sts><Prtry>later</Prtry></Sts>'].map(withStatus);
    const malformed = other.map((entry) => entry.replace('125.00', 'x').replace('DBIT', ''));
    const items = await itemsOf(camt053, documentOf({ entries: [...other, ...malformed].join('') }));
    assert.deepEqual(linesIn(items), []);
    assert.deepEqual(problemsIn(items), []);
    assert.equal(items.filter(({ kind }) => kind === 'other').length, 6);
  });

  test('has dates in every form; a value date that cannot be read becomes the booking date', async () => {
    const dated = (booking: string, value: string): string =>
      entryOf({ more: `<BookgDt>${booking}</BookgDt><ValDt>${value}</ValDt>` });
    const expected = [
      [dated('<Dt>2026-03-02+01:00</Dt>', '<Dt>20260304</Dt>'), ['2026-03-02', '2026-03-04', undefined]],
      [
        dated('<Dt>2026-03-02T00:00:00</Dt>', '<DtTm>2026-03-04T23:30:00Z</DtTm>'),
        ['2026-03-02', '2026-03-04', undefined],
      ],
      [dated('<Dt>2026-03-02</Dt>', ''), ['2026-03-02', '2026-03-02', undefined]],
      [dated('', '<Dt>2026-03-04</Dt>'), ['2026-03-01', '2026-03-04', undefined]],
      [dated('<Dt>2026-03-02</Dt>', '<Dt>2026-02-30</Dt>'), ['2026-03-02', '2026-03-02', ['value_date']]],
      [dated('<Dt>2026-03-02</Dt>', '<Dt>02.03.2026</Dt>'), ['2026-03-02', '2026-03-02', ['value_date']]],
    ] as const;
    for (const [entries, values] of expected) {
      const [item] = linesIn(await itemsOf(camt053, documentOf({ entries })));
      assert.deepEqual([item?.line.booking_date, item?.line.value_date, item?.unread], values, entries);
    }
  });
});

describe('what is wrong with one statement holds only that one', () => {
  const sound = '<Stmt><Id>S-2</Id><Acct><Id><IBAN>GB33BUKB20201555555555</IBAN></Id></Acct></Stmt>';
  const held: readonly (readonly [code: string, what: string, bytes: Buffer, message: string])[] = [
    ['account_missing', 'no account', documentOf({ account: '<Ccy>USD</Ccy>' }), 'Acct/Id is missing'],
    [
      'account_malformed',
      'an account that is none',
      documentOf({ account: `<Id><Othr><Id>${'X1'.repeat(18)}</Id></Othr></Id>` }),
      `not "${'X1'.repeat(18)}"`,
    ],
    [
      'amount_malformed',
      'a balance that is none',
      documentOf({ balances: opening.replace('100.00', '1e2') + closing }),
      'the balance OPBD must be a decimal number in USD, as 12.50, not "1e2"',
    ],
    [
      'direction_missing',
      'a balance without a direction',
      documentOf({ balances: opening.replace('<CdtDbtInd>CRDT</CdtDbtInd>', '') + closing }),
      'the direction of the balance OPBD is missing',
    ],
    [
      'currency_differs',
      'balances in two currencies',
      documentOf({ balances: opening + closing.replace('USD', 'EUR') }),
      'the balance CLBD is in EUR, and its statement in USD',
    ],
    [
      'currency_differs',
      'an account in another currency',
      documentOf({ account: '<Id><IBAN>GB33BUKB20201555555555</IBAN></Id><Ccy>EUR</Ccy>' }),
      'the balance OPBD is in USD, and its statement in EUR',
    ],
    [
      'currency_unknown',
      'an unknown currency',
      documentOf({ balances: opening.replace('USD', 'XQX') + closing }),
      'XQX',
    ],
    [
      'date_malformed',
      'a closing balance on no day',
      documentOf({ balances: opening + closing.replace('03-01', '02-30') }),
      'not "2026-02-30"',
    ],
    [
      'balance_misplaced',
      'a balance after its entries',
      documentOf({ entries: entryOf() + closing }),
      'its balances must come before its entries',
    ],
  ];
  for (const [code, what, bytes, message] of held) {
    test(`${what}: ${code}`, async () => {
      const items = await itemsOf(camt053, Buffer.from(bytes.toString().replace('</Stmt>', `</Stmt>${sound}`)));
      const problems = problemsIn(items);
      assert.equal(problems[0]?.code, code);
      assert.ok(problems[0].message.includes(message), problems[0].message);
      assert.equal(statementsIn(items)[1]?.problem, undefined);
    });
  }

  const bad: readonly (readonly [code: string, what: string, entry: string, message: string])[] = [
    [
      'currency_differs',
      'in another currency',
      entryOf({ amount: '<Amt Ccy="EUR">1</Amt>' }),
      'the entry is in EUR, and its statement in USD',
    ],
    [
      'amount_malformed',
      'of a part of a cent',
      entryOf({ amount: '<Amt Ccy="USD">1.001</Amt>' }),
      'Amt of the entry must be a decimal number in USD, as 12.50, not "1.001"',
    ],
    [
      'direction_missing',
      'with an empty direction',
      entryOf({ sign: '' }),
      'the entry is missing: CdtDbtInd must be CRDT or DBIT',
    ],
    [
      'direction_missing',
      'without CdtDbtInd',
      entryOf().replace('<CdtDbtInd>DBIT</CdtDbtInd>', ''),
      'CdtDbtInd must be CRDT or DBIT',
    ],
    ['direction_malformed', 'with a direction that is none', entryOf({ sign: 'C' }), 'not "C"'],
    [
      'date_malformed',
      'on no day',
      entryOf({ more: '<BookgDt><Dt>2026-13-01</Dt></BookgDt>' }),
      'BookgDt must be a date, as 2026-03-01, not "2026-13-01"',
    ],
  ];
  for (const [code, what, entry, message] of bad) {
    test(`an entry ${what}: ${code}`, async () => {
      const summary = '<TxsSummry><TtlNtries><NbOfNtries>3</NbOfNtries></TtlNtries></TxsSummry>';
      const document = documentOf({ summary, entries: entryOf() + entry + entryOf() });
      const items = await itemsOf(camt053, document);
      assert.deepEqual(
        linesIn(items).map(({ place }) => place),
        [1, 3],
      );
      const [problem, ...others] = problemsIn(items);
      assert.deepEqual(others, []);
      assert.equal(problem?.code, code);
      assert.match(problem.message, /^entry 2: /);
      assert.ok(problem.message.endsWith(message), problem.message);
      const item = items.find(({ kind }) => kind === 'bad');
      assert.ok(item?.kind === 'bad');
      assert.equal(Buffer.from(item.raw).toString(), entry);
      assert.equal(item.offset, document.indexOf(entry, document.indexOf(entryOf()) + 1));
    });
  }

  test('a long entry that cannot be read is kept in part', async () => {
    const details = detailsOf(...Array.from({ length: 3_000 }, () => '<AddtlTxInf>transfer</AddtlTxInf>'));
    const items = await itemsOf(camt053, documentOf({ entries: entryOf({ sign: 'X', more: details }) }));
    const item = items.find(({ kind }) => kind === 'bad');
    assert.ok(item?.kind === 'bad' && item.raw.length === 65_536);
  });
});

describe('a camt.053 file is refused', () => {
  const document = documentOf().toString();
  const empty = document.replace(/<Stmt>.*<\/Stmt>/, '');
  const refused: readonly (readonly [code: string, what: string, text: string | Buffer])[] = [
    ['message_missing', 'of another message', document.replaceAll('BkToCstmrStmt', 'CstmrPmtStsRpt')],
    ['header_malformed', 'without a message id', documentOf({ header: '<CreDtTm>2026-03-02T06:00:00</CreDtTm>' })],
    ['header_malformed', 'without a date', documentOf({ header: '<MsgId>1</MsgId>' })],
    ['header_missing', 'without a header', document.replace(/<GrpHdr>.*<\/GrpHdr>/, '')],
    ['statement_missing', 'without a statement', empty],
    ['statement_missing', 'without a statement in an envelope', `<a>${empty.slice(empty.indexOf('<Document'))}</a>`],
    ['bytes_after_end', 'with bytes after its end', `${document}x`],
  ];
  for (const [expected, what, text] of refused) {
    test(what, async () => void (await assertProblem(camt053, Buffer.from(text), `refused: ${expected}`)));
  }

  test('with what to ask the bank for when it is a camt.052 or camt.054', async () => {
    const others = { BkToCstmrAcctRpt: 'camt.052', BkToCstmrDbtCdtNtfctn: 'camt.054', BkToCstmrAcctRptV01: 'camt.052' };
    for (const [element, name] of Object.entries(others)) {
      for (const prefix of ['', 'p:']) {
        const namespace = prefix === '' ? '' : ` xmlns:p="urn:iso:std:iso:20022:tech:xsd:${name}.001.08"`;
        const bytes = Buffer.from(
          `<${prefix}Document${namespace}><${prefix}${element}><a/></${prefix}${element}></${prefix}Document>`,
        );
        assert.ok(camt053.detect(bytes, null));
        const { message } = await assertProblem(camt053, bytes, 'refused: message_unsupported');
        assert.match(message, new RegExp(`^the file is a ${name}, .* Ask the bank for camt.053`));
      }
    }
    assert.ok(!camt053.detect(Buffer.from(':20:BkToCstmrStmt'), null));
  });
});

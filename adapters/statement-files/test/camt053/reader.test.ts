import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { headerOf } from '@tallystick/harness';
import { details_max } from '../../src/camt053/entry.ts';
import { camt053 } from '../../src/index.ts';
import { assertProblem, itemsOf, linesIn, statementsIn } from '../reading.ts';
import { balanceOf, closing, detailsOf, documentOf, entryOf, opening } from './document.ts';

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

  test('names an account by another id than an IBAN, without blanks and hyphens', async () => {
    const account = '<Id><Othr><Id>10-0000 0001</Id></Othr></Id>';
    const [statement] = statementsIn(await itemsOf(camt053, documentOf({ account })));
    assert.deepEqual([statement?.account_number, statement?.currency], ['1000000001', 'USD']);
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
    const refused = [
      ['count_differs', summaryOf(4, '150.00', '100.00', 1)],
      ['count_differs', summaryOf(2, '150.00', '100.00', 2)],
      ['sum_differs', summaryOf(2, '150.01', '100.00', 1)],
      ['sum_differs', summaryOf(2, '150.00', '99.00', 1)],
      ['sum_differs', summaryOf(2, '150.00', '100.00', 1).replace('25.00', '24.00')],
    ] as const;
    for (const [code_expected, summary] of refused) {
      const { code: found } = await assertProblem(
        camt053,
        documentOf({ entries, summary }),
        `refused: ${code_expected}`,
      );
      assert.equal(found, code_expected);
    }
  });
});

describe('a camt.053 file is refused', () => {
  const refused: readonly (readonly [code: string, what: string, bytes: Buffer])[] = [
    ['version_unknown', 'of another message', documentOf({ version: '08' }).toString().replace('camt.053', 'camt.052')],
    ['root_unknown', 'with another root', documentOf().toString().replaceAll('Document', 'Envelope')],
    ['header_malformed', 'without a message id', documentOf({ header: '<CreDtTm>2026-03-02T06:00:00</CreDtTm>' })],
    ['header_malformed', 'without a date', documentOf({ header: '<MsgId>1</MsgId>' })],
    [
      'header_missing',
      'without a header',
      documentOf()
        .toString()
        .replace(/<GrpHdr>.*<\/GrpHdr>/, ''),
    ],
    ['account_malformed', 'without an account', documentOf({ account: '<Ccy>USD</Ccy>' })],
    ['balance_missing', 'without an opening balance', documentOf({ balances: closing })],
    ['balance_missing', 'without a closing balance', documentOf({ balances: opening })],
    [
      'balance_malformed',
      'with a balance that is none',
      documentOf({ balances: opening.replace('100.00', '1e2') + closing }),
    ],
    [
      'currency_differs',
      'with balances in two currencies',
      documentOf({ balances: opening + closing.replace('USD', 'EUR') }),
    ],
    [
      'currency_differs',
      'with an account in another currency',
      documentOf({ account: '<Id><IBAN>GB1</IBAN></Id><Ccy>EUR</Ccy>' }),
    ],
    ['currency_unknown', 'with an unknown currency', documentOf({ balances: opening.replace('USD', 'XQX') + closing })],
    [
      'date_malformed',
      'with a closing balance on no day',
      documentOf({ balances: opening + closing.replace('03-01', '02-30') }),
    ],
    ['balance_misplaced', 'with a balance after its entries', documentOf({ entries: entryOf() + closing })],
    [
      'currency_differs',
      'with an entry in another currency',
      documentOf({ entries: entryOf({ amount: '<Amt Ccy="EUR">1</Amt>' }) }),
    ],
    [
      'amount_malformed',
      'with an entry of a part of a cent',
      documentOf({ entries: entryOf({ amount: '<Amt Ccy="USD">1.001</Amt>' }) }),
    ],
    [
      'amount_malformed',
      'with an entry with a sign',
      documentOf({ entries: entryOf({ amount: '<Amt Ccy="USD">-1.00</Amt>' }) }),
    ],
    ['sign_malformed', 'with an entry without a direction', documentOf({ entries: entryOf({ sign: 'X' }) })],
    [
      'status_missing',
      'with an entry without a status',
      documentOf({ entries: entryOf().replace('<Sts>BOOK</Sts>', '') }),
    ],
    [
      'date_malformed',
      'with an entry on no day',
      documentOf({ entries: entryOf({ more: '<BookgDt><Dt>2026-13-01</Dt></BookgDt>' }) }),
    ],
    ['bytes_after_end', 'with bytes after its end', `${documentOf()}x`],
  ].map(([expected, what, text]) => [expected as string, what as string, Buffer.from(text as string)] as const);
  for (const [expected, what, bytes] of refused) {
    test(what, async () => void (await assertProblem(camt053, bytes, `refused: ${expected}`)));
  }

  test('and the message says which entry it is about', async () => {
    const entries = entryOf() + entryOf({ sign: 'X' });
    const document = documentOf({ entries });
    const { message, offset } = await assertProblem(camt053, document, 'refused: sign_malformed');
    assert.match(message, /^entry 2: /);
    assert.equal(offset, document.lastIndexOf('<Ntry>'));
  });
});

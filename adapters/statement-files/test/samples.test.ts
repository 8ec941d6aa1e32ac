import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createFormats } from '@tallystick/imports';
import { statement_formats } from '../src/index.ts';
import { itemsOf, linesIn, statementsIn } from './reading.ts';

const folder = join(import.meta.dirname, '..', 'samples');

type Line = readonly [
  code: string,
  amount: number,
  bank_reference: string | null,
  acquirer_reference: string | null,
  text: string,
];

/** What each sample states: its statements in short, and its lines. */
const expected: Readonly<
  Record<string, { readonly format: string; readonly statements: readonly string[]; readonly lines: readonly Line[] }>
> = {
  'bai2-us-fixed-80.bai': {
    format: 'bai2',
    statements: ['4410098765 USD 2026-03-13 1250000 1391450'],
    lines: [
      ['142', 250_000, 'ACH0001', null, 'ORIG CO NAME:SMITH & SONS, INC/REF 881 PAYROLL-RET'],
      ['165', 49_000, 'ACH0002', null, ''],
      ['399', 11_000, 'DEP-99', null, 'COUNTER DEPOSIT'],
      ['475', -125_000, 'CHK', null, '1001'],
      ['495', -40_000, 'WIRE77', null, 'WIRE TO HARBOUR HOTEL FOR INVOICE 2026/03, TWO NIGHTS INV-2026-03'],
      ['698', -2_550, null, null, 'MONTHLY FEE'],
      ['699', -1_000, 'ADJ-1', null, 'ADJUSTMENT'],
    ],
  },
  'bai2-uk-cards.bai': {
    format: 'bai2',
    statements: ['20201555555555 none 2026-04-01 500000 459840'],
    lines: [
      ['821', -12_500, 'T26040100001', '74123456092000000000017', 'PAPER AND INK, LONDON CARD ENDING 4242 GBP 125.00'],
      ['821', -9_950, 'T26040100002', '41234500000000018', 'CITY CABS ARN 41234500000000018 EUR 118.20 AT 0.8418'],
      ['825', -298, 'T26040100003', '41234500000000018', 'NON-STERLING TRANSACTION FEE'],
      ['824', 4_000, 'T26040100004', '74123456091000000000025', 'GREEN GROCER REFUND'],
      ['501', -25_000, 'T26040100005', null, 'DIRECT DEBIT COUNCIL TAX'],
      ['195', 3_588, 'T26040100006', null, 'FASTER PAYMENT FROM J SMITH'],
    ],
  },
  'btrs-two-accounts.bai': {
    format: 'bai2',
    statements: [
      '900100 USD 2026-03-03 100 -400',
      '900200 JPY 2026-03-03 70000 58000',
      '900100 USD 2026-03-04 -400 -400',
    ],
    lines: [
      ['495', -500, 'W1', null, 'RENT'],
      ['821', -12_000, 'J1', null, 'TOKYO TAXI'],
    ],
  },
  'camt053-02-german.xml': {
    format: 'camt053',
    statements: ['DE02120300000000202051 EUR 2026-04-02 100000 113850'],
    lines: [
      [
        '821',
        -1_150,
        '2026040200001000',
        '74123456091000000000033',
        '2026-04-01T09:12 Debitk.4242 ARN 74123456091000000000033 Kartenzahlung',
      ],
      ['827', 10_000, '2026040200002000/1', null, 'Rechnung 17'],
      ['827', 5_000, '2026040200002000/2', null, 'Rechnung 18'],
    ],
  },
  'camt053-08-cards.xml': {
    format: 'camt053',
    statements: ['1000000001 USD 2026-04-02 -1000 -3250'],
    lines: [
      ['821', -4_950, 'C-1', '74123456091000000000041', 'CLOUD HOSTING'],
      ['825', -50, 'C-2', '74123456091000000000041', 'FX FEE 74123456091000000000041'],
      ['822', 2_750, 'C-3', null, ''],
    ],
  },
  'camt053-04-page.xml': {
    format: 'camt053',
    statements: ['FI2112345600000785 EUR 2026-04-02 10000 7500'],
    lines: [['821', -2_500, null, null, '']],
  },
  'mt940-german-pages.sta': {
    format: 'mt940',
    statements: ['200410101234567 EUR 2026-04-02 113850 117700', '200410101234567 EUR 2026-04-02 117700 118160'],
    lines: [
      [
        '821',
        -1_150,
        '2026040200001000',
        '74123456091000000000033',
        '2026-04-01T09:12 Debitk.4242 ARN 74123456091000000000033 BÜCHERSTUBE AM MARKT KARTENZAHLUNG',
      ],
      ['827', 5_000, '2026040200002000', null, 'EREF+RE-17 SVWZ+RECHNUNG 17 MUELLER OHG SEPA-UEBERWEISUNG'],
      ['698', -690, null, null, 'KONTOFÜHRUNG MÄRZ ENTGELTABSCHLUSS'],
      ['824', 1_150, '2026040200003000', '74123456091000000000033', 'ARN 74123456091000000000033 STORNO KARTE'],
    ],
  },
  'mt940-dutch-envelope.sta': {
    format: 'mt940',
    statements: ['NL02BANK0123456789 EUR 2026-01-01 25000 133725'],
    lines: [
      [
        '821',
        -1_275,
        '260101-000017',
        null,
        '/RTRN/MS03//REMI/USTD//PAS 042 31-12-2025 18:44 KIOSK STATION UTRECHT/ /TRCD/00200/',
      ],
      ['595', -10_000, '260101-000018', null, '/REMI/USTD//GELDAUTOMAAT 23:58/'],
      [
        '195',
        120_000,
        '260101-000019',
        null,
        '/EREF/FACTUUR-2026-001//CNTP/NL84BANK0987654321/BANKNL2A/KLANT BV///REMI/USTD//DANK/',
      ],
    ],
  },
  'mt940-two-accounts.sta': {
    format: 'mt940',
    statements: ['60161331926819 GBP 2026-04-01 -50000 170200', '60161331926820 USD 2026-04-01 50 50'],
    lines: [
      ['195', 250_000, null, null, 'BGC SMITH & SONS INV 20/3 PAYMENT RECEIVED'],
      [
        '698',
        -29_800,
        'TF000000000000000000000001',
        '41234500000000018',
        'NON-STERLING TRANSACTION FEE 41234500000000018',
      ],
    ],
  },
};

describe('statements in the styles of different banks', () => {
  for (const [name, { format: format_name, statements, lines }] of Object.entries(expected)) {
    test(name, async () => {
      const bytes = readFileSync(join(folder, name));
      const format = createFormats(statement_formats).detect(bytes.subarray(0, 4_096), name);
      assert.equal(format?.name, format_name);
      const items = await itemsOf(format, bytes);
      const heads = statementsIn(items);
      assert.deepEqual(
        heads.map(({ account_number, currency, as_of, opening_balance, closing_balance }) =>
          [account_number, currency ?? 'none', as_of, opening_balance, closing_balance].join(' '),
        ),
        statements,
      );
      assert.deepEqual(
        linesIn(items).map(({ line }) => [
          line.bai_code,
          line.amount,
          line.bank_reference,
          line.acquirer_reference,
          line.text,
        ]),
        lines,
      );
      for (const { number, opening_balance, closing_balance } of heads) {
        const own = linesIn(items).filter(({ statement_number }) => statement_number === number);
        assert.equal(
          own.reduce((sum, { line }) => sum + line.amount, opening_balance as number),
          closing_balance,
        );
      }
    });
  }

  test('are all of these', () => {
    const files = readdirSync(folder).filter((name) => name !== 'README.md');
    assert.deepEqual(files.toSorted(), Object.keys(expected).toSorted());
  });
});

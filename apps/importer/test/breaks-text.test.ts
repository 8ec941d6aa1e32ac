import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { money } from '@tallystick/kernel';
import type { Item, StatedLine, Suggestion } from '@tallystick/reconciliation';
import { shortenText } from '@tallystick/server';
import { describeBreaks, describeNextStep, type ShownBreak } from '../src/reconcile/breaks-text.ts';

const item: Item = {
  id: 22,
  company_id: 1,
  status: 'break',
  kind: 'unexplained_line',
  class: null,
  rule: null,
  vcn_id: null,
  merchant_name: null,
  authorization_ids: [],
  clearing_ids: [],
  line_ids: [5],
  statement_line_id: null,
  matches: [],
  alternatives: [],
  tolerated: [],
  authorized: null,
  cleared: null,
  stated: money(333),
  fees: money(0),
  difference: money(333),
  currency: 'USD',
  sides: 2,
  settlement_date: null,
  period_date: '2030-03-19',
  account_id: 1,
  booking_date: '2030-03-19',
  due_date: '2030-03-22',
  next_change_ms: null,
  opened_at_ms: 0,
  frozen_item_id: null,
  is_touched: false,
  version: 1,
  period_id: null,
  assignee: null,
};

const suggestion: Suggestion = {
  number: 1,
  item_id: 17,
  authorization_id: null,
  clearing_ids: [4],
  line_ids: [],
  amount: money(333),
  date: '2030-03-18',
  differs: { amount: 0, days: -1, reference: 'missing', merchant: 'same' },
  reason: 'same amount, same merchant, settled 1 day earlier',
};

/** Suggested, but with another amount: a match with it is refused unless it accepts the difference. */
const lacking: Suggestion = { ...suggestion, differs: { ...suggestion.differs, amount: -2 } };

const shown: ShownBreak = {
  item,
  names: {
    open_approval_id: null,
    acquirer_reference: null,
    approval_code: null,
    account_number: '1000000001',
    bank_text: 'CARD SALE PAPER AND INK',
    bank_reference: 'B-0017',
    statement_line: null,
  },
  suggestions: [suggestion],
};

describe('the text of breaks', () => {
  it('shows of each break what names its records, and how to act', () => {
    const reason = '2 clearings make up the line within 3 days, and so do others';
    const alternatives = [
      { rule: 'covering_set', reason, authorization_id: null, clearing_ids: [6, 7], line_ids: [5] },
    ];
    const ambiguous = { ...shown, item: { ...item, alternatives } as Item };
    assert.equal(
      describeBreaks([ambiguous], '2030-04-25', false),
      `item 22  unexplained_line  age 34, due 2030-03-22
  stated 3.33, difference 3.33 USD
  account 1000000001, booked 2030-03-19, bank reference B-0017, "CARD SALE PAPER
    AND INK"
  1. clearing:4  3.33 on 2030-03-18: same amount, same merchant, settled 1 day
     earlier
  none was chosen: 2 clearings make up the line within 3 days, and so do others`,
    );
    assert.equal(
      describeNextStep([{ ...shown, suggestions: [] }, { ...shown, suggestions: [lacking] }, shown]),
      `To match the first suggestion, for example:
  npm run reconcile -- match 22 --with "clearing:4" --note "..."
Many at once, by a table that decide takes back:
  npm run --silent reconcile -- breaks --csv > breaks.csv`,
    );
  });

  it('shows what the statement has in place of a line that the bank reported by itself', () => {
    const of_bank = { ...shown, item: { ...item, kind: 'bank_line_differs' } as Item, suggestions: [] };
    assert.match(describeBreaks([of_bank], '2030-04-25', false), /^ {2}the statement has no line with its reference$/m);
    const statement_line = { id: 6, amount: -335, booking_date: '2030-03-20', text: 'PAPER' } as StatedLine;
    assert.match(
      describeBreaks([{ ...of_bank, names: { ...of_bank.names, statement_line } }], '2030-04-25', false),
      /^ {2}the statement has line:6, 3\.35 on 2030-03-20, "PAPER"$/m,
    );
  });

  it('suggests no match that is refused because it does not add up', () => {
    const next = describeNextStep([{ ...shown, suggestions: [lacking] }]);
    assert.match(next, /^npm run reconcile -- show 22 shows one/);
  });

  it('is at most 80 columns wide whatever the values, and obeys no control character', () => {
    const texts = [
      '',
      'x'.repeat(300),
      '咖啡店'.repeat(60),
      '👩‍👩‍👧 e\u0301 '.repeat(40),
      '\u001b[31mred\u0007\u202e\u2028\r\n\t end',
      'many short words '.repeat(20),
      '\u0301\u200d',
    ];
    for (const name of texts) {
      for (const text of texts) {
        for (const amount of [-(10 ** 15), 0, 10 ** 15].map(money)) {
          const id = Number.MAX_SAFE_INTEGER;
          const wide: ShownBreak = {
            item: {
              ...item,
              id,
              vcn_id: id,
              company_id: id,
              merchant_name: name,
              authorized: amount,
              cleared: amount,
              stated: amount,
              fees: amount,
              difference: amount,
            },
            names: { ...shown.names, acquirer_reference: text, bank_text: name, bank_reference: text },
            suggestions: [{ ...suggestion, clearing_ids: [id, 1], line_ids: [id], amount }],
          };
          for (const one of describeBreaks([wide], '2030-04-25', true).split('\n')) {
            assert.equal(shortenText(one, 80), one, 'a line is wider');
            assert.doesNotMatch(one, /\p{Cc}|\u202e|\u2028/u);
          }
        }
      }
    }
  });
});

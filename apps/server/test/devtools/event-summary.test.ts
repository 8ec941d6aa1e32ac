import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summarizeEvent } from '../../src/devtools/event-summary.ts';

describe('the summary of an event', () => {
  it('shows amounts with the decimals of their currency', () => {
    const clearing = { clearing_type: 'DEBIT', vcn_id: 5, merchant_name: 'Corner Grocer' };
    const summary = (billing_amount: number, billing_currency: string): string =>
      summarizeEvent('virtualcard.clearings', { ...clearing, billing_amount, billing_currency });
    assert.equal(summary(118_50, 'USD'), 'DEBIT 118.50 USD at Corner Grocer, card 5');
    assert.equal(summary(1_185, 'JPY'), 'DEBIT 1185 JPY at Corner Grocer, card 5');
    assert.equal(summary(1_500, 'KWD'), 'DEBIT 1.500 KWD at Corner Grocer, card 5');
  });

  it('stays on one line and cannot control the terminal, for any payload', () => {
    const payload = { clearing_type: 'DEBIT', merchant_name: 'A\u001b[31m\nB\u202eC\u2028', vcn_id: 5 };
    const summary = summarizeEvent('virtualcard.clearings', payload);
    assert.doesNotMatch(summary, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    assert.match(summary, /A.\[31m.B.C./u);
  });

  it('shows the plain fields of an unknown type', () => {
    assert.equal(
      summarizeEvent('ach.status', { id: 7, status: 'failed', bank: { id: 1 }, note: null }),
      'id 7, status failed',
    );
  });
});

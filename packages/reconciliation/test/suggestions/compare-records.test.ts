import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareReferences } from '../../src/suggestions/compare-records.ts';
import { clearing, line, purchase } from '../reconciliation-world.ts';

describe('the merchant of a clearing and an authorization', () => {
  const merchantOf = (
    [id, name]: readonly [id: string | null, name: string | null],
    [other_id, other_name]: readonly [id: string | null, name: string | null],
  ) =>
    compareReferences(
      clearing({ merchant_id: id, merchant_name: name }),
      purchase({ merchant_id: other_id, merchant_name: other_name }),
    ).merchant;

  test('is the same by its id, or by the letters and digits of its name', () => {
    assert.equal(merchantOf(['M1', 'Ink'], ['M1', 'Paper']), 'same');
    assert.equal(merchantOf(['M1', 'Paper & Ink 24'], ['M2', 'PAPER-INK  24']), 'same');
    assert.equal(merchantOf([null, 'Paper'], [null, 'paper']), 'same');
  });

  test('is another one when both ids or both names are known', () => {
    assert.equal(merchantOf(['M1', null], ['M2', null]), 'other');
    assert.equal(merchantOf([null, 'Paper'], [null, 'Ink']), 'other');
    assert.equal(merchantOf(['M1', 'Paper'], ['M2', 'Ink']), 'other');
  });

  test('is unknown when one has no id and one has no name', () => {
    for (const other of [
      [null, 'Paper'],
      [null, '--'],
      [null, null],
    ] as const) {
      assert.equal(merchantOf(['M1', null], other), 'unknown');
      assert.equal(merchantOf(other, ['M1', '*']), 'unknown');
      assert.equal(merchantOf([null, null], other), 'unknown');
    }
  });
});

describe('the reference of a clearing', () => {
  test('and an authorization is the same when one of the two codes is, another when one is, and else missing', () => {
    const referenceOf = (approval_code: string | null, net_reference_number: string | null) =>
      compareReferences(
        clearing({ approval_code: 'A', net_reference_number: 'N' }),
        purchase({ approval_code, net_reference_number }),
      ).reference;
    assert.deepEqual([referenceOf('A', 'X'), referenceOf('X', 'N'), referenceOf('A', null)], ['same', 'same', 'same']);
    assert.deepEqual(
      [referenceOf('X', 'Y'), referenceOf('X', null), referenceOf(null, 'Y')],
      ['other', 'other', 'other'],
    );
    assert.equal(referenceOf(null, null), 'missing');
  });

  test('and a line is that of the statement, and the merchant the one whose name the text of the line has', () => {
    const compared = (text: string, acquirer_reference: string | null, merchant_name = 'Ink & Co') =>
      Object.values(compareReferences(clearing({ merchant_name }), line({ text, acquirer_reference })));
    assert.deepEqual(compared('SALE INK CO 20MAY', clearing().acquirer_reference), ['same', 'same']);
    assert.deepEqual(compared('SALE INK', '1'), ['other', 'unknown']);
    assert.deepEqual(compared('SALE INK', null, 'Ink'), ['missing', 'unknown']);
  });
});

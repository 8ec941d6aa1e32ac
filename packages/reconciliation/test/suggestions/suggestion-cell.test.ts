import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { money } from '@tallystick/kernel';
import fc from 'fast-check';
import { readRecordName, readSuggestionCell, type Suggestion, suggestionCell } from '../../src/index.ts';

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 5 }).map((list) => list.sort((a, b) => a - b));

const records = fc.oneof(
  id.map((authorization_id) => ({ authorization_id, clearing_ids: [], line_ids: [] })),
  ids.map((clearing_ids) => ({ authorization_id: null, clearing_ids, line_ids: [] })),
  ids.map((line_ids) => ({ authorization_id: null, clearing_ids: [], line_ids })),
  fc.tuple(ids, ids).map(([clearing_ids, line_ids]) => ({ authorization_id: null, clearing_ids, line_ids })),
);

function suggestion(of: Partial<Suggestion>): Suggestion {
  return {
    number: 1,
    item_id: null,
    authorization_id: null,
    clearing_ids: [],
    line_ids: [408],
    amount: money(333),
    date: '2030-03-22',
    differs: { amount: 0, days: 2, reference: 'missing', merchant: 'unknown' },
    reason: 'booked 2 days later',
    ...of,
  };
}

describe('the cell of suggestions', () => {
  it('names records, amounts and dates for people', () => {
    const { differs } = suggestion({});
    const second = suggestion({
      number: 2,
      line_ids: [409, 410],
      amount: money(-1_250),
      differs: { ...differs, days: -1 },
    });
    assert.equal(
      suggestionCell([suggestion({}), second], 'USD'),
      '1 = line:408 (3.33 on 2030-03-22, 2 days later); 2 = line:409 line:410 (-12.50 on 2030-03-22, 1 day earlier)',
    );
    assert.equal(suggestionCell([], 'USD'), '');
  });

  it('reads back what it wrote, whatever the records', () => {
    fc.assert(
      fc.property(fc.array(records, { maxLength: 5 }), fc.integer({ min: -40, max: 40 }), (all, days) => {
        const differs = { ...suggestion({}).differs, days };
        const written = all.map((one, at) => suggestion({ ...one, number: at + 1, differs }));
        const read = readSuggestionCell(suggestionCell(written, 'JPY'));
        assert.deepEqual(
          [...read],
          all.map((one, at) => [at + 1, one] as const),
        );
      }),
    );
  });

  it('reads no suggestion from other text', () => {
    for (const text of ['', '1', '1 = item:4', '1 = line:0', '1 = line:x', 'line:408', '0 = line:1', '1 = lines:4']) {
      assert.deepEqual([...readSuggestionCell(text)], [], text);
    }
    assert.deepEqual(readRecordName('line:408'), { kind: 'line', id: 408 });
    assert.equal(readRecordName('line:99999999999999999'), null);
  });

  it('reads a cell that lost its spaces or gained line breaks', () => {
    const { line_ids } = readSuggestionCell('1=line:408 (3.33);\n2 = line:409  line:410\n(6.00)').get(2)!;
    assert.deepEqual(line_ids, [409, 410]);
  });
});

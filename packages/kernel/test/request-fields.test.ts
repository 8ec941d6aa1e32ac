import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal, RequestFields, showValue, Temporal } from '../src/index.ts';

function refusalOf(fields: RequestFields): Refusal {
  try {
    fields.refuseInvalid();
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error;
  }
  assert.fail('nothing was refused');
}

describe('the fields of a request', () => {
  it('are refused together, and not at all when every field is valid', () => {
    const fields = new RequestFields({ status: 7 });
    fields.refuseInvalid();
    fields.require('name', 'text');
    fields.readChoice('status', ['active', 'inactive']);
    const { code, message, fields: problems } = refusalOf(fields);
    assert.equal(code, 'validation_failed');
    assert.equal(message, 'name is required: text (and 1 more)');
    assert.deepEqual(problems[1], {
      path: 'status',
      message: 'must be one of active, inactive (case-sensitive), not 7',
    });
  });

  it('are absent when they are null, but the request carries them', () => {
    const fields = new RequestFields({ emails: null, name: undefined });
    assert.deepEqual([fields.has('emails'), fields.carries('emails')], [false, true]);
    assert.deepEqual([fields.has('name'), fields.carries('name')], [false, false]);
    assert.deepEqual([fields.has('toString'), fields.carries('toString')], [false, false]);
    assert.equal(
      fields.readText('emails', () => false, 'text'),
      null,
    );
    fields.refuseInvalid();
  });

  it('are sound until one of them has a problem', () => {
    const fields = new RequestFields({ min: 'a', max: 2 });
    fields.readInteger('min', { min: 0, max: 9 });
    assert.equal(fields.readInteger('max', { min: 0, max: 9 }), 2);
    assert.equal(fields.areSound('max'), true);
    assert.equal(fields.areSound('max', 'min'), false);
  });

  it('are not repeated in a message when they are secret', () => {
    const fields = new RequestFields({ secret: 'swordfish' });
    assert.equal(
      fields.readSecret('secret', () => false, 'longer'),
      null,
    );
    assert.equal(refusalOf(fields).message, 'secret must be longer');
  });

  it('are read by a parser that throws a RangeError for text that it cannot read', () => {
    const fields = new RequestFields({ good: 'PT1S', bad: 'soon' });
    assert.equal(fields.readParsed('good', Temporal.Duration.from, 'a duration')?.seconds, 1);
    assert.equal(fields.readParsed('bad', Temporal.Duration.from, 'a duration'), null);
    assert.equal(refusalOf(fields).message, 'bad must be a duration, not "soon"');
  });

  it('state how many items an array may have', () => {
    const fields = new RequestFields({ names: [], ids: 'x' });
    fields.readArray('names', { min: 1, max: 3 }, 'names');
    fields.readArray('ids', { min: 0, max: Number.POSITIVE_INFINITY }, 'ids');
    assert.deepEqual(
      refusalOf(fields).fields.map(({ message }) => message),
      ['must be an array of 1 to 3 names, not 0', 'must be an array of ids, not "x"'],
    );
  });

  it('rethrow an error of a parser that is not a RangeError', () => {
    const fields = new RequestFields({ name: 'x' });
    const fail = () => {
      throw new TypeError('a bug');
    };
    assert.throws(() => fields.readParsed('name', fail, 'text'), TypeError);
  });
});

describe('an invalid value in a message', () => {
  const table: readonly (readonly [unknown, string])[] = [
    ['Hourly', '"Hourly"'],
    [10.5, '10.5'],
    [null, 'null'],
    [[1], 'an array'],
    [{}, 'an object'],
    ['x'.repeat(64), `"${'x'.repeat(64)}"`],
    ['x'.repeat(65), 'text of 65 characters'],
    ['2024-01-01 25:00:00', '"2024-01-01 25:00:00"'],
    ['12345678901', '"12345678901"'],
    ['123456789012', '"(many digits)"'],
    [5454545454545454, '(many digits)'],
    ['nr 5454-5454 5454.5455!', '"nr (many digits)!"'],
    ['5454 / 5454 / 5454 / 5454', '"(many digits)"'],
    ['5454\t5454\t5454\t5454', '"(many digits)"'],
  ];
  for (const [value, text] of table) {
    it(`is shown as ${text}`, () => {
      assert.equal(showValue(value), text);
    });
  }
});

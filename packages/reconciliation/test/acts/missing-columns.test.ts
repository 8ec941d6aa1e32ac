import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import { refuseMissingColumns } from '../../src/acts/table/decision-table.ts';

test('a table without a column that decisions need is refused with its name, but `with` may be absent', () => {
  const columns = ['id', 'version', 'decision', 'note'];
  const refusalOf = (names: readonly string[]) => {
    try {
      refuseMissingColumns(names);
    } catch (error) {
      if (error instanceof Refusal) return [error.code, error.message];
      throw error;
    }
    return null;
  };
  const must = 'columns must be named in the first row:';
  assert.equal(refusalOf([...columns, 'status']), null);
  for (const column of columns) {
    const others = columns.filter((one) => one !== column);
    assert.deepEqual(refusalOf(others), ['validation_failed', `${must} ${column} is not there`]);
  }
  assert.deepEqual(refusalOf([]), ['validation_failed', `${must} id, version, decision, note are not there`]);
});

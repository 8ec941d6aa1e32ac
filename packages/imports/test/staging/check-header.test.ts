import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FileHeader, FileProblem } from '../../src/index.ts';
import { checkHeader } from '../../src/staging/check-header.ts';

const header: FileHeader = {
  kind: 'header',
  ordinal: 1,
  offset: 7,
  file_id: 'F1',
  series: null,
  sequence: null,
  created_on: null,
  mode: null,
};

describe('a header', () => {
  test('may have no ids, and ids of up to 255 characters', () => {
    for (const file_id of [null, 'F', 'é'.repeat(255)]) {
      assert.equal(checkHeader({ ...header, file_id }).file_id, file_id);
    }
  });

  for (const name of ['file_id', 'series'] as const) {
    test(`with an empty, a long or an unprintable ${name} is refused, and its text is not repeated`, () => {
      for (const text of ['', 'F'.repeat(256), 'F\0', 'F\n1', 'F\ud800']) {
        assert.throws(
          () => checkHeader({ ...header, [name]: text }),
          (problem: unknown) =>
            problem instanceof FileProblem &&
            problem.status === 'refused' &&
            problem.code === 'header_malformed' &&
            problem.offset === 7 &&
            problem.message === `the ${name} must have 1 to 255 characters and no control characters`,
        );
      }
    });
  }
});

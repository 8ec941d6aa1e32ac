import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maskCardNumbers } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { nameStatement } from '../../src/statements/statement-problem.ts';

describe('the name of a statement in a message', () => {
  it('shows its account and its id whole, also where the whole message is masked', () => {
    const digits = fc.stringMatching(/^\d{1,12}$/);
    fc.assert(
      fc.property(digits, fc.option(digits), (account_number, reference) => {
        const name = nameStatement({ as_of: '2026-05-20', account_number, reference });
        assert.ok(name.endsWith(`${reference ?? ''} of account ${account_number}`));
        assert.equal(maskCardNumbers(name), name);
      }),
      propertyParameters(),
    );
  });

  it('shows no number of a card', () => {
    const name = nameStatement({
      as_of: '2026-05-20',
      account_number: '4111111111111111',
      reference: '5555 5555 5555 4444',
    });
    assert.equal(name, 'the statement of 2026-05-20 with the id ************4444 of account ************1111');
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rolesOf } from '@tallystick/access';
import { describeOperations } from '@tallystick/operations';

it('the methods of a company are those that a company may call', () => {
  for (const { area, method } of describeOperations()) {
    assert.equal(rolesOf(area).includes('client'), method.startsWith('company.'), method);
  }
});

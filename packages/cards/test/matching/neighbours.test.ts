import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clearing } from '../../src/index.ts';
import { Neighbourhood } from '../../src/matching/neighbours.ts';
import type { Authorization } from '../../src/records/authorization.ts';
import { asRoot } from '../../src/records/new-authorization.ts';
import { unmatchedClearing } from '../../src/records/new-clearing.ts';
import { cardOf, NetworkWorld } from '../network-world.ts';

const world = new NetworkWorld('2026-11-21T12:00:00Z');
const fields = { net_reference_number: 'MCCABC1231121', merchant_id: 'M', approval_code: 'A00001' };

describe('the neighbours of a clearing are all authorizations of its merchant with its amount', () => {
  const cases: Readonly<Record<string, [is_so: boolean, Partial<Authorization>, Partial<Clearing>]>> = {
    'unless one has its whole reference': [false, {}, {}],
    'unless one has its whole reference, and the clearing no code': [false, {}, { approval_code: null }],
    'when that one is a message, which may be declined': [true, { id: -1, root_id: -1 }, {}],
    'when that one has no approval code yet': [true, { approval_code: null }, {}],
    'when that one has another approval code': [true, { approval_code: 'A00002' }, {}],
    'when a person chose about it': [true, {}, { choices: [] }],
  };
  for (const [name, [is_so, of_root, of_clearing]] of Object.entries(cases)) {
    test(name, () => {
      const neighbourhood = new Neighbourhood();
      const named = { ...asRoot(world.message(fields), cardOf(), 1), ...of_root };
      const fitting = asRoot(world.message({ merchant_id: 'M' }), cardOf(), 2);
      for (const root of [named, fitting]) neighbourhood.keepRoot(root);
      const message = world.clearingMessage(fields);
      const clearing = {
        ...unmatchedClearing(message, cardOf(), { id: 1, now_ms: 0, window_start_ms: 0 }),
        ...of_clearing,
      };
      neighbourhood.keepClearing(clearing);
      const { roots } = neighbourhood.around({ clearings: [clearing] });
      assert.deepEqual(new Set(roots), new Set(is_so ? [named, fitting] : [named]));
    });
  }
});

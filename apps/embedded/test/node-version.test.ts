import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requireNode } from '../src/node-version.ts';

describe('the version of Node', () => {
  it('is accepted from the one that is needed on', () => {
    requireNode(24, '24.0.0');
    requireNode(24, '26.10.0');
    requireNode(24, '100.1.0');
    requireNode(24);
  });

  it('is refused below with a sentence that states both, also where it has fewer digits', () => {
    for (const running of ['23.11.0', '20.20.2', '9.11.2']) {
      assert.throws(() => requireNode(24, running), {
        message: `tallystick needs Node 24 or later, and this is Node ${running}: run it with a newer Node`,
      });
    }
  });
});

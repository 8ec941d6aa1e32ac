import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPhase, Violation } from '../src/index.ts';

it('a phase changes along its arrows, and any other change is a violation that names both phases', () => {
  const phase = createPhase('the pump', 'open', { open: ['closing'], closing: ['closed'], closed: [] });
  assert.ok(phase.is('open'));
  assert.throws(() => phase.enter('closed'), new Violation('the pump is open and cannot become closed'));
  assert.ok(phase.is('open'), 'a refused change changes nothing');
  phase.enter('closing');
  phase.enter('closed');
  assert.ok(phase.is('closed') && !phase.is('closing'));
  for (const next of ['open', 'closing', 'closed'] as const) assert.throws(() => phase.enter(next), Violation);
});

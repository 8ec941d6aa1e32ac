import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '@tallystick/kernel';
import { withinBounds } from '../src/bounds.ts';
import { createLogInAudit } from '../src/pages/log-in-audit.ts';
import type { AuthorisationTx } from '../src/ports.ts';

const period_ms = 300_000;

/** The audit of a process, at a time that the test sets, with what it records. */
function process() {
  const entries: AuditEntry[] = [];
  const state = { now_ms: 0, entries };
  const audit = { record: async (entry: AuditEntry) => void entries.push(entry) };
  const records = {
    run: <Result>(work: (tx: AuthorisationTx) => Promise<Result>) => work({ audit } as unknown as AuthorisationTx),
    nowMs: () => 0,
  };
  const log_ins = createLogInAudit({ cookie_keys: ['k'] }, records, () => state.now_ms);
  const fail = (name: string, source_address: string) =>
    withinBounds({ origin: { request_id: null, source_address } } as never, () => log_ins.failed(name));
  return { state, fail, counts: () => entries.splice(0).map(({ details }) => details.failures) };
}

test('failures of one name and address are one entry in five minutes, and the next one counts them', async () => {
  const { state, fail, counts } = process();
  for (let time = 0; time < 50; time += 1) await fail('alice', '192.0.2.1');
  await fail('alice', '192.0.2.2');
  await fail('bob', '192.0.2.1');
  assert.deepEqual(counts(), [1, 1, 1]);
  state.now_ms = period_ms;
  await fail('alice', '192.0.2.1');
  assert.deepEqual(counts(), [50], 'this one, and 49 without an entry');
  state.now_ms = 2 * period_ms;
  await fail('alice', '192.0.2.1');
  assert.deepEqual(counts(), [1]);
});

test('a flood of made-up names from many addresses makes about a thousand entries in five minutes', async () => {
  const { state, fail, counts } = process();
  for (let at = 0; at < 20_000; at += 1) await fail(`name ${at}`, `192.0.2.${at % 256}`);
  assert.equal(state.entries.at(-1)?.object, 'others');
  assert.equal(counts().length, 1_001);
  await fail('name 0', '192.0.2.0');
  assert.deepEqual(counts(), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '@tallystick/kernel';
import { withinBounds } from '../src/bounds.ts';
import { createLogInAudit } from '../src/pages/log-in-audit.ts';
import type { AuthorisationTx } from '../src/ports.ts';

/** The audit of a process, with what it records. */
function process() {
  const entries: AuditEntry[] = [];
  const state = { is_away: false };
  const audit = {
    async recordAll(some: readonly AuditEntry[]) {
      if (state.is_away) throw new Error('away');
      entries.push(...some);
    },
  };
  const records = {
    run: <Result>(work: (tx: AuthorisationTx) => Promise<Result>) => work({ audit } as unknown as AuthorisationTx),
    nowMs: () => 0,
  };
  const log_ins = createLogInAudit({ cookie_keys: ['k'] }, records);
  const fail = (name: string, source_address: string) =>
    withinBounds({ origin: { request_id: 'r-1', source_address } } as never, () => log_ins.failed(name));
  const written = () =>
    entries.splice(0).map(({ details, source_address, request_id }) => [details.failures, source_address, request_id]);
  return { state, entries, fail, write: log_ins.write, written };
}

test('the first failure of a name and address is an entry, and those after it are the next one', async () => {
  const { fail, write, written } = process();
  for (let time = 0; time < 500; time += 1) await fail('alice', '192.0.2.1');
  await fail('alice', '192.0.2.2');
  await fail('bob', '192.0.2.1');
  assert.deepEqual(written(), [
    [1, '192.0.2.1', 'r-1'],
    [1, '192.0.2.2', 'r-1'],
    [1, '192.0.2.1', 'r-1'],
  ]);
  await write();
  assert.deepEqual(written(), [[499, '192.0.2.1', null]], 'without another failure');
  await write();
  assert.deepEqual(written(), []);
  await fail('alice', '192.0.2.1');
  assert.deepEqual(written(), [[1, '192.0.2.1', 'r-1']]);
});

test('failures that could not be written are in the next entry, with those that came meanwhile', async () => {
  const { state, fail, write, written } = process();
  for (let time = 0; time < 3; time += 1) await fail('alice', '192.0.2.1');
  state.is_away = true;
  await assert.rejects(write(), /away/);
  await fail('alice', '192.0.2.1');
  state.is_away = false;
  const writing = write();
  await fail('alice', '192.0.2.1');
  await writing;
  await write();
  assert.deepEqual(
    written().map(([failures]) => failures),
    [1, 3, 1],
  );
});

test('a first failure that could not be written is in the next entry', async () => {
  const { state, fail, write, written } = process();
  state.is_away = true;
  await assert.rejects(fail('alice', '192.0.2.1'), /away/);
  state.is_away = false;
  await fail('alice', '192.0.2.1');
  await write();
  assert.deepEqual(written(), [[2, '192.0.2.1', null]]);
});

test('a flood of made-up names from many addresses makes about a thousand entries, and as many later', async () => {
  const { entries, fail, write, written } = process();
  for (let time = 0; time < 2; time += 1) {
    for (let at = 0; at < 10_000; at += 1) await fail(`name ${at}`, `192.0.2.${at % 256}`);
  }
  assert.equal(entries.at(-1)?.object, 'others');
  assert.equal(written().length, 1_001);
  await write();
  assert.deepEqual(
    [entries.length, entries.at(-1)?.details, entries.at(-1)?.source_address],
    [1_001, { failures: 17_999 }, null],
  );
});

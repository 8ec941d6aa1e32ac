/**
 * The suites on storage of one process whose transactions run one after the other, as a host may
 * have it. Such storage cannot be checked for some rules, and no rule may wait for ever.
 */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it } from 'node:test';
import {
  type ContractRule,
  casesOf,
  ledger_bounds,
  type Need,
  reconciliationStoreContract,
  reduced_records_contract,
  retention_store_contract,
  runCases,
} from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import { propertyParameters, testAuditMac } from '@tallystick/test-support';
import { type MemoryPersistence, memoryPersistence } from '../src/index.ts';
import { storage_suites } from './storage-suites.ts';
import { store_suites } from './work-suites.ts';

const suites = {
  ...storage_suites,
  ...store_suites,
  // Its sequences take most of the time, and none of its rules waits for a transaction.
  ReconciliationStore: reconciliationStoreContract(propertyParameters({ short: 4, full: 8 })),
  RetentionStore: [...retention_store_contract, ...reduced_records_contract],
  'what a pass does not load': ledger_bounds,
};

const lacks: readonly Need[] = ['concurrent_transactions', 'refused_nesting'];

/** The rules that would not end, by suite. */
const left_out = {
  UnitOfWork: [
    'a transaction or a pass of the ledger within a transaction is a violation',
    'work that only reads sees one state, and does not make a writer wait',
    'work that only reads does not wait for a writer, and sees only committed data',
    'work that only reads does not wait for writers of its own process, and sees what was committed before',
  ],
  Ledger: ['a pass rejects at its deadline while another transaction holds its card, and decides nothing afterwards'],
  DeliveryDesk: ['an event is unrelayed until the transaction that makes its deliveries has committed'],
};

/** Each call begins after the previous one has ended. A call within another waits for itself. */
async function openStorage() {
  const now_ms = Date.UTC(2026, 4, 20, 12);
  const persistence = memoryPersistence({ clock: fixedClock(now_ms), audit_mac: testAuditMac });
  let last: Promise<unknown> = Promise.resolve();
  function oneAtATime<Port extends object>(port: Port, names = Object.keys(port)): Port {
    const queued = names.map((name) => {
      // Bound here, so that the memory does not notice a transaction within a transaction.
      const call = AsyncLocalStorage.bind(port[name as keyof Port] as (...args: unknown[]) => Promise<unknown>);
      const wait = (...args: unknown[]) => {
        const turn = last.then(() => call(...args));
        last = turn.catch(() => {});
        return turn;
      };
      return [name, wait];
    });
    return { ...port, ...Object.fromEntries(queued) };
  }
  return {
    ...persistence,
    unitOfWork: oneAtATime(persistence.unitOfWork),
    ledger: oneAtATime(persistence.ledger, ['pass', 'passDue'] satisfies (keyof MemoryPersistence['ledger'])[]),
    delivery_desk: oneAtATime(persistence.delivery_desk),
    event_horizon: oneAtATime(persistence.event_horizon),
    now_ms,
    audit_mac: testAuditMac,
  };
}

type Subject = Awaited<ReturnType<typeof openStorage>>;

for (const [port, suite] of Object.entries(suites)) {
  const rules: readonly ContractRule<Subject>[] = suite;
  describe(`${port} on storage that runs one transaction at a time`, () => {
    const cases = casesOf(rules, openStorage, { lacks });
    for (const { name, is_left_out, run } of cases) if (!is_left_out) it(name, run);

    it('leaves out the rules that would not end, and names them', () => {
      const expected: readonly string[] = port in left_out ? left_out[port as keyof typeof left_out] : [];
      assert.deepEqual(
        cases.filter(({ is_left_out }) => is_left_out).map(({ name }) => name.replace(/ \(left out without .*/, '')),
        expected,
      );
    });
  });
}

describe('a rule that storage cannot keep', () => {
  const name = left_out.UnitOfWork[1]!;
  const rules = storage_suites.UnitOfWork.filter(({ rule }) => rule === name);

  it('ends at its limit when the storage does not say so, with what it needs', async () => {
    const [failed, ...others] = await runCases(casesOf(rules, openStorage, { limit_ms: 50 }));
    assert.deepEqual(others, []);
    assert.equal(failed?.name, name);
    assert.match(String(failed.error), /did not end within 50 ms: .* needs concurrent_transactions: a transaction/);
  });

  it('is named with its reason when it is left out', async () => {
    const [only, ...others] = casesOf(rules, openStorage, { lacks });
    assert.deepEqual(others, []);
    assert.equal(
      only?.name,
      `${name} (left out without concurrent_transactions: a transaction begins and ends while another one is open)`,
    );
  });
});

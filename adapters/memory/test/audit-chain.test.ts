import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AuditChainStorage, auditChainContract, casesOf } from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import { propertyParameters, testAuditMac } from '@tallystick/test-support';
import { memoryPersistence } from '../src/index.ts';

const now_ms = Date.UTC(2026, 4, 20, 12);

type Tx = Parameters<Parameters<ReturnType<typeof memoryPersistence>['unitOfWork']['run']>[0]>[0];

/** Opens a storage with the replacements of `plant` in every transaction. */
async function openStorage(plant: (tx: Tx) => Partial<Tx> = () => ({})): Promise<AuditChainStorage> {
  const clock = fixedClock(now_ms);
  const persistence = memoryPersistence({ clock, audit_mac: testAuditMac });
  return {
    ...persistence,
    unitOfWork: {
      run: (work) => persistence.unitOfWork.run((tx) => work({ ...tx, ...plant(tx) })),
      read: (work) => persistence.unitOfWork.read((tx) => work({ ...tx, ...plant(tx) })),
    },
    now_ms,
    audit_mac: testAuditMac,
    async replaceAudit({ rows, chain }) {
      const { audit, audit_hashes, audit_chain } = persistence.committed();
      for (const id of audit.keys()) audit.delete(id);
      for (const id of audit_hashes.keys()) audit_hashes.delete(id);
      for (const { id, content_hash, number, link, details, ...entry } of rows) {
        audit.set(id, { ...entry, details: JSON.parse(details) });
        audit_hashes.set(id, { content_hash, number, link });
      }
      if (chain === null) audit_chain.delete(1);
      else audit_chain.set(1, chain);
    },
  };
}

const rules = auditChainContract(propertyParameters({ short: 300, full: 900 }));

describe('AuditChainStore in memory', () => {
  for (const { name, run } of casesOf(rules, openStorage)) it(name, run);
});

/** Adapters with a defect, and the rule that each breaks. */
const breaches: readonly {
  readonly does: string;
  readonly breaks: string;
  readonly plant: (tx: Tx) => Partial<Tx>;
}[] = [
  {
    does: 'passes over an entry that waits',
    breaks: 'the sealer numbers entries in the order of their ids, each once, over several batches',
    plant: ({ audit_chain }) => ({
      audit_chain: { ...audit_chain, unsealed: async (limit) => (await audit_chain.unsealed(limit + 1)).slice(1) },
    }),
  },
  {
    does: 'does not write the head with the seals',
    breaks: 'the sealer numbers entries in the order of their ids, each once, over several batches',
    plant: ({ audit_chain }) => ({
      audit_chain: { ...audit_chain, seal: async (seals) => audit_chain.seal(seals, (await audit_chain.read())!) },
    }),
  },
  {
    does: 'records an entry with the time of its transaction instead of its own',
    breaks: 'entries commit with the hash of their content, in the audit log and in a pass, and wait for the sealer',
    plant: ({ audit }) => ({ audit: { ...audit, record: (entry) => audit.record(entry, now_ms) } }),
  },
  {
    does: 'reads no entry whose number was removed after its time',
    breaks: 'any single change, removal or insertion is found, and the entry is named',
    plant: ({ audit_chain }) => ({
      audit_chain: {
        ...audit_chain,
        async sealedAfter(after, limit) {
          const { removed_number = 0 } = (await audit_chain.read()) ?? {};
          return (await audit_chain.sealedAfter(after, limit)).filter(({ number }) => number > removed_number);
        },
      },
    }),
  },
  {
    does: 'reports rows as purged that it keeps',
    breaks: 'a purge removes the correct beginning of the chain, and stops before an entry that is wrong',
    plant: ({ retention }) => ({
      retention: { ...retention, remove: async (_kind, _bounds, rows) => rows.length },
    }),
  },
];

describe('the suite of AuditChainStore catches an adapter that', () => {
  for (const { does, breaks, plant } of breaches) {
    it(does, async () => {
      const found = rules.find(({ rule }) => rule === breaks);
      assert.ok(found !== undefined, `the suite has the rule "${breaks}"`);
      await assert.rejects(found.check(() => openStorage(plant)));
    });
  }
});

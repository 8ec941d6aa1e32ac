import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type AuditChainStorage, type AuditTables, auditChainContract, casesOf } from '@tallystick/harness';
import { sealAuditLog, verifyAuditLog } from '@tallystick/kernel';
import { changeRows, propertyParameters, testAuditMac } from '@tallystick/test-support';
import type { Persistence } from '../../src/index.ts';
import { noon_ms, onEveryDatabase } from './fixture.ts';

/** The statements that replace all rows, on both databases. */
function replacing({ rows, chain }: AuditTables): string {
  const tables: readonly [string, readonly object[]][] = [
    ['tallystick_audit_entries', rows],
    ['tallystick_audit_chain', chain === null ? [] : [{ id: 1, ...chain }]],
  ];
  const inserts = tables.flatMap(([table, records]) => [
    `delete from ${table}`,
    ...records.map((record) => {
      const columns = Object.keys(record).map((column) => `"${column}"`);
      return `insert into ${table} (${columns}) values (${Object.values(record).map(literal)})`;
    }),
  ]);
  // The unique index would refuse what another tool may write.
  return ['drop index if exists tallystick_audit_entries_number', ...inserts].join(';\n');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

onEveryDatabase('the contract of AuditChainStore', (fixture) => {
  const asStorage = ({ unitOfWork, ledger, close }: Persistence): AuditChainStorage => ({
    unitOfWork,
    ledger,
    close,
    now_ms: noon_ms,
    audit_mac: testAuditMac,
    another: async () => asStorage(await fixture().another()),
    replaceAudit: (tables) => changeRows(fixture().database, replacing(tables)),
  });
  const rules = auditChainContract(propertyParameters({ short: 60, full: 180 }));
  for (const { name, run } of casesOf(rules, async () => asStorage(fixture().persistence))) it(name, run);
});

onEveryDatabase('a new installation', (fixture) => {
  it('accepts no audit entry without a hash', async () => {
    const { unitOfWork } = fixture().persistence;
    await changeRows(
      fixture().database,
      `insert into tallystick_audit_entries (actor, action, "object", details, at_ms) values ('key:1', 'a', 'b', '{}', 5)`,
    );
    await sealAuditLog({ unitOfWork, mac: testAuditMac });
    const { finding } = await verifyAuditLog({ unitOfWork, mac: testAuditMac });
    assert.deepEqual([finding?.kind, finding?.id], ['inserted', 1]);
  });
});

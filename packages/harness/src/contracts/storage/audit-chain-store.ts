import { type LedgerChanges, no_changes } from '@tallystick/cards';
import {
  type AuditChainStore,
  type AuditEntry,
  type AuditMac,
  type AuditRow,
  type AuditVerification,
  acceptUnhashedEntries,
  assert,
  audit_batch_max,
  auditContentHash,
  type RetentionStore,
  sealAuditLog,
  signAuditChain,
  type UnitOfWork,
  verifyAuditLog,
} from '@tallystick/kernel';
import fc from 'fast-check';
import { assertEqual, assertRejects, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, type PropertyRuns, rule } from '../rule.ts';
import { type AuditTables, tamperingWith } from './audit-tampering.ts';
import type { StorageTx, StorageUnderTest } from './storage.ts';

export interface AuditChainStorage extends StorageUnderTest {
  readonly unitOfWork: UnitOfWork<
    StorageTx & { readonly audit_chain: AuditChainStore; readonly retention: RetentionStore }
  >;
  readonly audit_mac: AuditMac;
  /**
   * Replaces all entries of the audit log and the row of its chain, as someone could who can write
   * to the database. Two entries may have one number.
   */
  replaceAudit(tables: AuditTables): Promise<void>;
}

function entry(place: number): AuditEntry {
  return {
    company_id: place % 3 === 0 ? null : place,
    actor: `key:${place}`,
    action: 'thing.made',
    object: `thing:${place}`,
    request_id: place % 2 === 0 ? null : `r-${place}`,
    source_address: place % 2 === 0 ? '2001:db8::1' : null,
    details: { place, text: 'é "quoted" 𝄞 \u0001', list: [1, null, { a: 1.5 }] },
  };
}

async function record({ unitOfWork, now_ms }: AuditChainStorage, count: number): Promise<void> {
  for (let place = 0; place < count; place += 1) {
    await unitOfWork.run((tx) => tx.audit.record(entry(place), now_ms + place));
  }
}

function seal({ unitOfWork, audit_mac }: AuditChainStorage) {
  return sealAuditLog({ unitOfWork, mac: audit_mac });
}

function verify(
  { unitOfWork, audit_mac }: AuditChainStorage,
  options: Parameters<typeof verifyAuditLog>[1] = {},
): Promise<AuditVerification> {
  return verifyAuditLog({ unitOfWork, mac: audit_mac }, options);
}

/** The sealed entries and the chain. */
async function tablesOf({ unitOfWork }: AuditChainStorage): Promise<AuditTables> {
  return await unitOfWork.read(async ({ audit_chain }) => {
    const rows: AuditRow[] = [];
    for (let after: { number: number; id: number } | null = null; ; ) {
      const batch: Awaited<ReturnType<AuditChainStore['sealedAfter']>> = await audit_chain.sealedAfter(after, 3);
      rows.push(...batch);
      const last = batch.at(-1);
      if (last === undefined) return { rows, chain: await audit_chain.read() };
      after = { number: last.number, id: last.id };
    }
  });
}

/** An empty log, as a new installation has it. */
async function empty(storage: AuditChainStorage): Promise<void> {
  const chain = { number: 0, link: '', removed_number: 0, removed_link: '', accepted_number: 0, mac: null };
  await storage.replaceAudit({ rows: [], chain });
}

function unhashed(id: number, at_ms: number): AuditRow {
  const { details, ...content } = entry(id);
  return { ...content, id, at_ms, details: JSON.stringify(details), content_hash: null, number: null, link: null };
}

export function auditChainContract(runs: PropertyRuns = { numRuns: 50 }): readonly ContractRule<AuditChainStorage>[] {
  return [
    rule(
      'entries commit with the hash of their content, in the audit log and in a pass, and wait for the sealer',
      async (here) => {
        await empty(here);
        await record(here, 2);
        const changes: LedgerChanges = {
          ...no_changes,
          audit_entries: [2, 3].map((at) => ({ ...entry(at), at_ms: 7 })),
        };
        await here.ledger.pass([], () => ({ changes, result: null }));
        const waiting = await here.unitOfWork.read((tx) => tx.audit_chain.unsealed(10));
        assertEqual(
          waiting.map(({ actor, details, at_ms }) => ({ actor, details, at_ms })),
          [0, 1, 2, 3].map((place) => ({
            actor: `key:${place}`,
            details: JSON.stringify(entry(place).details),
            at_ms: place < 2 ? here.now_ms + place : 7,
          })),
          'the entries',
        );
        for (const row of waiting) {
          assertEqual(row.content_hash, auditContentHash(here.audit_mac, row), `the hash of entry ${row.id}`);
          assertEqual([row.number, row.link], [null, null], 'the place of an entry that waits');
        }
        const counted = await here.unitOfWork.read((tx) => tx.audit_chain.countUnsealed());
        assertEqual(counted, { count: 4, oldest_at_ms: here.now_ms }, 'what waits');
      },
    ),
    rule('the sealer numbers entries in the order of their ids, each once, over several batches', async (here) => {
      await empty(here);
      assertEqual(await here.unitOfWork.read((tx) => tx.audit_chain.isWaiting()), false, 'nothing waits');
      assertEqual(await seal(here), { sealed: 0, finding: null }, 'an empty log');
      const count = audit_batch_max + 3;
      const at_ms = here.now_ms;
      await here.unitOfWork.run(async (tx) => {
        for (let place = 0; place < count; place += 1) await tx.audit.record(entry(place), at_ms);
      });
      assertEqual(await seal(here), { sealed: count, finding: null }, 'the first run');
      await record(here, 2);
      assertEqual(await seal(here), { sealed: 2, finding: null }, 'the second run');
      assertEqual(await seal(here), { sealed: 0, finding: null }, 'the third run');
      const { rows, chain } = await tablesOf(here);
      assertEqual(
        rows.map(({ number }) => number),
        Array.from({ length: count + 2 }, (_, place) => place + 1),
        'the numbers',
      );
      assert(
        rows.every(({ id }, place) => place === 0 || id > rows[place - 1]!.id),
        'numbers are in the order of ids',
      );
      assertEqual([chain?.number, chain?.link], [count + 2, rows.at(-1)?.link], 'the head');
      assertEqual((await here.unitOfWork.read((tx) => tx.audit_chain.countUnsealed())).count, 0, 'what waits');
      const { checked, accepted, finding, last } = await verify(here);
      assertEqual([checked, accepted, finding], [count + 2, 0, null], 'the verification');
      assertEqual(last, { number: chain!.number, link: chain!.link }, 'its end');
    }),
    rule('two sealers at the same time number each entry once', async (here) => {
      const there = await anotherOf(here);
      await empty(here);
      for (let round = 0; round < 4; round += 1) {
        await record(here, 5);
        const outcomes = await Promise.all([seal(here), seal(there), record(there, 3)]);
        assertEqual([outcomes[0].finding, outcomes[1].finding], [null, null], 'the findings');
      }
      await seal(there);
      assertEqual((await verify(here)).checked, 32, 'the entries');
      assertEqual((await verify(here)).finding, null, 'the finding');
    }),
    rule('an entry is sealed only once', async (here) => {
      await empty(here);
      await record(here, 1);
      await seal(here);
      const { rows, chain } = await tablesOf(here);
      const { id, content_hash } = rows[0]!;
      const again = here.unitOfWork.run(async ({ audit_chain }) => {
        await audit_chain.lock();
        await audit_chain.seal([{ id, content_hash: content_hash!, number: 2, link: 'x' }], chain!);
      });
      await assertRejects(again, (error) => String(error).includes('sealed already'), 'a second seal');
      assertEqual((await verify(here)).finding, null, 'the finding');
    }),
    rule('any single change, removal or insertion is found, and the entry is named', async (here) => {
      await empty(here);
      await record(here, 7);
      await seal(here);
      // Also when the oldest entries of the log were purged.
      const bounds = { before_ms: here.now_ms + 2, now_ms: here.now_ms };
      const { rows: due } = await here.unitOfWork.read((tx) => tx.retention.due('audit_entries', bounds, 0));
      assertEqual(await here.unitOfWork.run((tx) => tx.retention.remove('audit_entries', bounds, due)), 2, 'purged');
      const tables = await tablesOf(here);
      assertEqual((await verify(here)).finding, null, 'before any change');
      try {
        const property = fc.asyncProperty(
          tamperingWith(here.audit_mac, tables),
          async ({ does, tables: to, finding }) => {
            await here.replaceAudit(to);
            const found = (await verify(here)).finding;
            const named = found === null ? null : { kind: found.kind, number: found.number, id: found.id };
            assertEqual(named, finding, does);
          },
        );
        await fc.assert(property, { ...runs, endOnFailure: true });
      } finally {
        await here.replaceAudit(tables);
      }
      assertEqual((await verify(here)).finding, null, 'after all changes are undone');
    }),
    rule('an entry that is inserted without a place is sealed and found; a person may accept it', async (here) => {
      const forgeries: readonly Partial<AuditRow>[] = [{}, { content_hash: '0'.repeat(64) }];
      for (const forgery of forgeries) {
        await empty(here);
        await record(here, 2);
        await seal(here);
        const { rows, chain } = await tablesOf(here);
        const id = rows.at(-1)!.id + 1_000;
        await here.replaceAudit({ rows: [...rows, { ...unhashed(id, here.now_ms), ...forgery }], chain });
        await seal(here);
        const { checked, finding } = await verify(here);
        assertEqual([checked, finding?.kind, finding?.id, finding?.number], [2, 'inserted', id, 3], 'the finding');
        const accept = (through: number) =>
          acceptUnhashedEntries(
            { unitOfWork: here.unitOfWork, mac: here.audit_mac },
            { actor: 'command', request_id: null, now_ms: here.now_ms },
            { through, note: 'a rollback' },
          );
        assertEqual((await refusalOf(accept(4), 'above the newest')).code, 'validation_failed', 'above the newest');
        await accept(3);
        assertEqual((await refusalOf(accept(3), 'again')).code, 'validation_failed', 'again');
        await seal(here);
        assertEqual([(await verify(here)).checked, (await verify(here)).finding], [4, null], 'accepted');
        const { items } = await here.unitOfWork.read((tx) =>
          tx.audit.list({ action: 'audit_log.accepted' }, { limit: 1 }),
        );
        assertEqual(items[0]?.details, { after: 0, through: 3, note: 'a rollback' }, 'its audit entry');
      }
    }),
    rule('nothing is sealed on a head that was altered or removed, and nothing is purged', async (here) => {
      await empty(here);
      await record(here, 3);
      await seal(here);
      const tables = await tablesOf(here);
      const bounds = { before_ms: here.now_ms + 100, now_ms: here.now_ms };
      for (const chain of [null, { ...tables.chain!, number: 1 }, { ...tables.chain!, mac: null, number: 0 }]) {
        await here.replaceAudit({ ...tables, chain });
        await record(here, 1);
        const { sealed, finding } = await seal(here);
        assertEqual([sealed, finding?.kind], [0, chain === null ? 'head_removed' : 'head_altered'], 'the seal');
        assertEqual((await verify(here)).finding, finding, 'the finding');
        const { rows } = await here.unitOfWork.read((tx) => tx.retention.due('audit_entries', bounds, 0));
        assertEqual(await here.unitOfWork.run((tx) => tx.retention.remove('audit_entries', bounds, rows)), 0, 'purged');
      }
      await here.replaceAudit(tables);
    }),
    rule(
      'a purge removes the correct beginning of the chain, and stops before an entry that is wrong',
      async (here) => {
        await empty(here);
        await record(here, 6);
        await seal(here);
        await record(here, 1);
        const bounds = { before_ms: here.now_ms + 5, now_ms: here.now_ms };
        const purge = async () => {
          const { rows } = await here.unitOfWork.read((tx) => tx.retention.due('audit_entries', bounds, 0));
          return await here.unitOfWork.run((tx) => tx.retention.remove('audit_entries', bounds, rows));
        };
        const tables = await tablesOf(here);
        const wrong = tables.rows.with(3, { ...tables.rows[3]!, actor: 'x' });
        await here.replaceAudit({ ...tables, rows: wrong });
        assertEqual([await purge(), await purge()], [3, 0], 'before the wrong entry');
        const { removed_number, finding } = await verify(here);
        assertEqual([removed_number, finding?.number, finding?.kind], [3, 4, 'changed'], 'what is found');
        const purged = await tablesOf(here);
        await here.replaceAudit({ ...purged, rows: purged.rows.filter(({ number }) => number !== 4) });
        assertEqual([await purge(), (await verify(here)).finding?.number], [0, 4], 'before a missing entry');
        await here.replaceAudit({ ...tables, rows: tables.rows.slice(3), chain: purged.chain });
        assertEqual([await purge(), (await verify(here)).finding], [2, null], 'the entries that are correct and old');
        assertEqual((await verify(here)).removed_number, 5, 'the removed entries');
        const { chain } = await tablesOf(here);
        await here.replaceAudit({ rows: tables.rows.slice(4), chain });
        assertEqual((await verify(here)).finding?.kind, 'inserted', 'a purged entry that is put back');
      },
    ),
    rule('a check goes on behind what a purge removes meanwhile', async (here) => {
      await empty(here);
      const count = audit_batch_max + 20;
      await here.unitOfWork.run(async (tx) => {
        for (let place = 0; place < count; place += 1) await tx.audit.record(entry(place), here.now_ms + place);
      });
      await seal(here);
      const { rows } = await tablesOf(here);
      const noted = (number: number) => ({ number, link: rows[number - 1]!.link! });
      const purge = async (left: number) => {
        const bounds = { before_ms: here.now_ms + count - left, now_ms: here.now_ms };
        const due = await here.unitOfWork.read((tx) => tx.retention.due('audit_entries', bounds, 0));
        await here.unitOfWork.run((tx) => tx.retention.remove('audit_entries', bounds, due.rows));
      };
      let reads = 0;
      const unitOfWork: AuditChainStorage['unitOfWork'] = {
        ...here.unitOfWork,
        async read(work) {
          reads += 1;
          if (reads === 2) await purge(5);
          return await here.unitOfWork.read(work);
        },
      };
      const { checked, removed_number, finding } = await verify({ ...here, unitOfWork });
      assertEqual([checked, removed_number, finding], [audit_batch_max + 5, count - 5, null], 'the check');
      assertEqual((await verify(here, { known: noted(count - 5) })).finding, null, 'the last removed entry is known');
      const other = { number: count - 5, link: noted(1).link };
      assertEqual((await verify(here, { known: other })).finding?.number, count - 5, 'with another link');
      const gone = await refusalOf(verify(here, { known: noted(count - 6) }), 'an older one');
      assertEqual(gone.code, 'validation_failed', 'an older one');
    }),
    rule(
      'a noted head shows that log and head were put back; a trusted entry is where a check begins',
      async (here) => {
        await empty(here);
        await record(here, 3);
        await seal(here);
        const early = await tablesOf(here);
        await record(here, 2);
        await seal(here);
        const { last } = await verify(here);
        assertEqual((await verify(here, { known: last })).finding, null, 'the noted head');
        const other = { ...last, link: '0'.repeat(64) };
        assertEqual((await verify(here, { known: other })).finding?.number, 5, 'another link');
        const { checked } = await verify(here, { after: 3 });
        assertEqual(checked, 2, 'after the third');
        assertEqual((await refusalOf(verify(here, { after: 6 }), 'unknown')).code, 'not_found', 'after an unknown one');
        const tables = await tablesOf(here);
        await here.replaceAudit({ ...tables, rows: tables.rows.with(0, { ...tables.rows[0]!, actor: 'x' }) });
        assertEqual((await verify(here, { after: 1 })).finding, null, 'after the wrong one');
        await here.replaceAudit(early);
        assertEqual((await verify(here)).finding, null, 'a log that was put back is correct in itself');
        const { finding } = await verify(here, { known: last });
        assertEqual([finding?.kind, finding?.number], ['removed', 4], 'with the noted head');
        await here.replaceAudit({ ...early, chain: signAuditChain(() => 'x', early.chain!) });
        assertEqual((await verify(here)).finding?.kind, 'head_altered', 'a head of another key');
        await here.replaceAudit(early);
      },
    ),
  ];
}

import { type AuthorisationRecord, grant_model, interaction_model } from '@tallystick/consents';
import { Refusal } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import type { StorageUnderTest } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

/** A name that no other rule uses. */
function uniqueName(prefix: string): string {
  return `${prefix} ${uniqueNumber()} of authorisation`;
}

function newRecord(changes: Partial<AuthorisationRecord> = {}): AuthorisationRecord {
  return {
    model: 'AccessToken',
    id_hash: uniqueName('hash'),
    payload_sealed: new Uint8Array([1, 2, 3]),
    client_id: null,
    consent_id: null,
    user_id: null,
    grant_id: null,
    expires_at_ms: null,
    ends_by: 'service',
    consumed_at_ms: null,
    ...changes,
  };
}

/** The store of a process. Each call runs in a separate transaction. */
function recordsOf({ unitOfWork }: StorageUnderTest) {
  return {
    put: (record: AuthorisationRecord) => unitOfWork.run((tx) => tx.authorisation.put(record)),
    putNew: (record: AuthorisationRecord) => unitOfWork.run((tx) => tx.authorisation.putNew(record)),
    find: ({ model, id_hash }: AuthorisationRecord) => unitOfWork.read((tx) => tx.authorisation.find(model, id_hash)),
    consume: ({ model, id_hash }: AuthorisationRecord, now_ms: number) =>
      unitOfWork.run((tx) => tx.authorisation.consume(model, id_hash, now_ms)),
    purge: (before_ms: number, limit: number, machine_ms = before_ms) =>
      unitOfWork.run((tx) => tx.authorisation.purge({ service: before_ms, machine: machine_ms }, limit)),
  };
}

/** Asserts which of the records are left, on another process. */
async function assertLeft(
  storage: StorageUnderTest,
  records: readonly AuthorisationRecord[],
  left: readonly AuthorisationRecord[],
  what: string,
): Promise<void> {
  const found = await Promise.all(records.map((record) => recordsOf(storage).find(record)));
  const expected = records.map((record) => (left.includes(record) ? record : null));
  assertEqual(found, expected, what);
}

export const authorisation_store_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule('a record is found by its model and the hash of its id, as it was put', async (here) => {
    const there = await anotherOf(here);
    const record = newRecord({
      client_id: uniqueName('client'),
      consent_id: uniqueName('consent'),
      user_id: 'alice',
      grant_id: uniqueName('grant'),
      expires_at_ms: 1_800_000_000_123,
      consumed_at_ms: 5,
    });
    await recordsOf(here).put(record);
    assertEqual(await recordsOf(there).find(record), record, 'the record');
    assertEqual(await recordsOf(there).find({ ...record, model: 'Grant' }), null, 'of another model');
    assertEqual(await recordsOf(there).find(newRecord()), null, 'by another id');
  }),
  rule('a record that is put again is replaced, and its use stays recorded', async (here) => {
    const { put, find, consume } = recordsOf(here);
    const record = newRecord({ expires_at_ms: 10 });
    await put(record);
    const changed = {
      ...record,
      payload_sealed: new Uint8Array([9]),
      client_id: uniqueName('client'),
      expires_at_ms: 20,
    };
    await put(changed);
    assertEqual(await find(record), changed, 'replaced');
    assertEqual(await consume(record, 7), true, 'used');
    await put(record);
    assertEqual(await find(record), { ...record, consumed_at_ms: 7 }, 'put after the use');
  }),
  rule('exactly one of several racing insertions inserts, and an expired record also counts', async (here) => {
    const there = await anotherOf(here);
    for (let round = 0; round < 3; round += 1) {
      const record = newRecord({ expires_at_ms: 1 });
      const racing = Array.from({ length: 8 }, (_, at) => recordsOf(at % 2 === 0 ? here : there).putNew(record));
      assertEqual((await Promise.all(racing)).filter(Boolean).length, 1, 'how many inserted');
      assertEqual(await recordsOf(there).putNew(record), false, 'afterwards');
      assertEqual(await recordsOf(there).find(record), record, 'the record');
    }
  }),
  rule('exactly one of several racing uses uses the record', async (here) => {
    const there = await anotherOf(here);
    for (let round = 0; round < 3; round += 1) {
      const record = newRecord();
      await recordsOf(here).put(record);
      const racing = Array.from({ length: 8 }, (_, at) =>
        recordsOf(at % 2 === 0 ? here : there).consume(record, at + 1),
      );
      const used = await Promise.all(racing);
      assertEqual(used.filter(Boolean).length, 1, 'how many used it');
      assertEqual((await recordsOf(there).find(record))?.consumed_at_ms, used.indexOf(true) + 1, 'when');
    }
    assertEqual(await recordsOf(here).consume(newRecord(), 1), false, 'an unknown record');
  }),
  rule('a use in a transaction that rolls back does not count', async (here) => {
    const { put, consume } = recordsOf(here);
    const record = newRecord();
    await put(record);
    const rolled_back = here.unitOfWork.run(async (tx) => {
      await tx.authorisation.consume(record.model, record.id_hash, 1);
      throw new Refusal('not_found', 'no grant');
    });
    await refusalOf(rolled_back, 'the transaction');
    assertEqual(await consume(record, 2), true, 'used afterwards');
  }),
  rule('records end by id, by grant, by consent and by client, on every process, and others stay', async (here) => {
    const there = await anotherOf(here);
    const links = () => ({
      client_id: uniqueName('client'),
      consent_id: uniqueName('consent'),
      grant_id: uniqueName('grant'),
    });
    const [its, other] = [links(), links()];
    const grant = newRecord({ ...its, model: 'Grant', id_hash: its.grant_id, grant_id: null });
    const token = newRecord(its);
    const refresh_token = newRecord({ ...its, model: 'RefreshToken' });
    const of_other = newRecord(other);
    const all = [grant, token, refresh_token, of_other];
    const putAll = async () => {
      for (const record of all) await recordsOf(here).put(record);
    };

    await putAll();
    await here.unitOfWork.run((tx) => tx.authorisation.end(token.model, token.id_hash));
    await assertLeft(there, all, [grant, refresh_token, of_other], 'after one ended');
    await putAll();
    await here.unitOfWork.run((tx) => tx.authorisation.endByGrant(its.grant_id));
    await assertLeft(there, all, [grant, of_other], 'after a grant ended');
    await putAll();
    await here.unitOfWork.run((tx) => tx.authorisation.endByConsent(its.consent_id));
    await assertLeft(there, all, [of_other], 'after a consent ended');
    await putAll();
    await here.unitOfWork.run((tx) => tx.authorisation.endByClient(its.client_id));
    await assertLeft(there, all, [of_other], 'after a client ended');
    assertEqual(await recordsOf(there).consume(token, 1), false, 'using an ended record');
  }),
  rule('the grants of a consent end with the last one that is left', async (here) => {
    const there = await anotherOf(here);
    const consent_id = uniqueName('consent');
    const end = () => there.unitOfWork.read((tx) => tx.authorisation.grantsEnd(consent_id));
    const grants = [10, 20].map((expires_at_ms) => newRecord({ model: grant_model, consent_id, expires_at_ms }));
    const others = [
      newRecord({ consent_id, expires_at_ms: 100 }),
      newRecord({ model: grant_model, consent_id: uniqueName('consent'), expires_at_ms: 100 }),
    ];
    for (const other of others) await recordsOf(here).put(other);
    assertEqual(await end(), null, 'before');
    for (const grant of grants) await recordsOf(here).put(grant);
    assertEqual(await end(), 20, 'of two');
    await here.unitOfWork.run((tx) => tx.authorisation.end(grant_model, grants[1]!.id_hash));
    assertEqual(await end(), 10, 'of one');
    await here.unitOfWork.run((tx) => tx.authorisation.end(grant_model, grants[0]!.id_hash));
    assertEqual(await end(), null, 'of none');
  }),
  rule('an interaction stays when its consent ends, and ends with its client', async (here) => {
    const there = await anotherOf(here);
    const links = { client_id: uniqueName('client'), consent_id: uniqueName('consent') };
    const interaction = newRecord({ ...links, model: interaction_model });
    const grant = newRecord({ ...links, model: 'Grant' });
    for (const record of [interaction, grant]) await recordsOf(here).put(record);
    await here.unitOfWork.run((tx) => tx.authorisation.endByConsent(links.consent_id));
    await assertLeft(there, [interaction, grant], [interaction], 'after the consent ended');
    await here.unitOfWork.run((tx) => tx.authorisation.endByClient(links.client_id));
    await assertLeft(there, [interaction, grant], [], 'after the client ended');
  }),
  rule(
    'records that ended before the instant are purged, at most the limit, and those without an end stay',
    async (here) => {
      const { put, find, purge } = recordsOf(here);
      await purge(Number.MAX_SAFE_INTEGER, 10_000);
      const [first, second, third, endless] = [1_000, 1_000, 1_000, null].map((expires_at_ms) =>
        newRecord({ expires_at_ms }),
      ) as [AuthorisationRecord, AuthorisationRecord, AuthorisationRecord, AuthorisationRecord];
      for (const record of [first, second, third, endless]) await put(record);
      assertEqual(await purge(1_000, 9), 0, 'at the instant itself');
      assertEqual(await purge(1_001, 2), 2, 'two of three');
      assertEqual(await purge(1_001, 2), 1, 'the last');
      await assertLeft(here, [first, second, third, endless], [endless], 'what is left');
      const remembered = newRecord({ expires_at_ms: 1_000, ends_by: 'machine' });
      await put(remembered);
      assertEqual(await purge(Number.MAX_SAFE_INTEGER, 9, 1_000), 0, 'one that ends by the other clock');
      assertEqual(await purge(0, 9, 1_001), 1, 'the same, when its clock is there');
      assertEqual(await purge(Number.MAX_SAFE_INTEGER, 9), 0, 'a record without an end');
      assertEqual((await find(endless))?.id_hash, endless.id_hash, 'the record without an end');
    },
  ),
  rule('all records are listed in id order to be sealed again, and only their content is replaced', async (here) => {
    const there = await anotherOf(here);
    const records = [newRecord(), newRecord({ client_id: 'client', expires_at_ms: 99 }), newRecord()];
    for (const record of records) await recordsOf(here).put(record);
    const listed: { readonly id: number; readonly id_hash: string }[] = [];
    for (let after_id: number | undefined = 0; after_id !== undefined; ) {
      const from_id: number = after_id;
      const page = await here.unitOfWork.run((tx) => tx.authorisation.listSealed(from_id, 2));
      assertEqual(page.length <= 2, true, 'the limit');
      listed.push(...page);
      after_id = page.at(-1)?.id;
    }
    const hashes = records.map(({ id_hash }) => id_hash);
    const its = listed.filter(({ id_hash }) => hashes.includes(id_hash));
    assertEqual(
      its.map(({ id_hash }) => id_hash),
      hashes,
      'in order',
    );
    const sealed = new Uint8Array([7, 7]);
    await here.unitOfWork.run((tx) => tx.authorisation.replaceSealed(its[1]!.id, sealed));
    assertEqual(await recordsOf(there).find(records[1]!), { ...records[1]!, payload_sealed: sealed }, 'replaced');
    assertEqual(await recordsOf(there).find(records[0]!), records[0]!, 'another');
  }),
];

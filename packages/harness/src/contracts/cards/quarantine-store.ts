import {
  type AppliedRecord,
  no_changes,
  type QuarantinedRecord,
  type QuarantineFilter,
  type RefusedRecord,
} from '@tallystick/cards';
import { assert, toHex } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { everyPage, type StorageUnderTest, sealedNumber } from '../storage/storage.ts';
import { uniqueHash } from '../unique.ts';

/** A refused message that no other rule has. */
export function refused(fields: Partial<RefusedRecord> = {}): RefusedRecord {
  return {
    identity_sha256: uniqueHash(),
    source: 'http',
    import_id: null,
    ordinal: null,
    position: null,
    reason: 'unknown_card',
    explanation: 'there is no virtual card 7 – "é😀"',
    excerpt: { vcn_id: 7, merchant_name: 'Joe\'s "Diner" é😀', partial: false },
    message_sealed: new Uint8Array([0, 255, 7]),
    count: 1,
    first_seen_at_ms: 1_000,
    last_seen_at_ms: 1_000,
    request_id: 'r-1',
    ...fields,
  };
}

async function keep(
  { ledger }: Pick<StorageUnderTest, 'ledger'>,
  ...quarantined: readonly RefusedRecord[]
): Promise<void> {
  await ledger.pass([], () => ({ changes: { ...no_changes, quarantined }, result: null }));
}

/** The records of these messages, in their order. */
async function recordsOf(
  { unitOfWork }: StorageUnderTest,
  ...messages: readonly RefusedRecord[]
): Promise<readonly QuarantinedRecord[]> {
  const all = await unitOfWork.read((tx) => everyPage((page) => tx.quarantine.list({}, page), 100));
  return messages.map(({ identity_sha256 }) => {
    const found = all.filter((record) => toHex(record.identity_sha256) === toHex(identity_sha256));
    assert(found.length === 1, `a message has ${found.length} records`);
    return found[0]!;
  });
}

/** The record, applied as a clearing that was not recorded before. */
export function appliedAs(id: number, clearing_id: number | null): AppliedRecord {
  return { id, clearing_id, is_duplicate: false, is_matched: false, is_break: false };
}

const fresh = { status: 'quarantined', applied_at_ms: null, clearing_id: null } as const;

export const quarantine_store_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule('a refused message is read as the pass wrote it', async (storage) => {
    const of_file = { source: 'file', import_id: 5, ordinal: 0, position: 80, request_id: null } as const;
    const written = [refused(), refused({ ...of_file, reason: 'other_billing_currency', excerpt: {} })];
    await keep(storage, ...written);
    const records = await recordsOf(await anotherOf(storage), ...written);
    for (const [at, record] of records.entries()) {
      assertEqual(record, { ...written[at]!, ...fresh, id: record.id }, 'the record');
      const found = await storage.unitOfWork.read(({ quarantine }) => quarantine.find(record.id));
      assertEqual(found, record, 'by its id');
    }
    const unknown = await storage.unitOfWork.read(({ quarantine }) => quarantine.find(999_999_999));
    assertEqual(unknown, null, 'an unknown record');
  }),
  rule('a message that comes again is counted on its record, with the last reason and time', async (storage) => {
    const first = refused();
    await keep(storage, first);
    const [before] = await recordsOf(storage, first);
    const again = { reason: 'other_billing_currency', explanation: 'must be USD', last_seen_at_ms: 2_000 } as const;
    await keep(storage, {
      ...first,
      ...again,
      first_seen_at_ms: 2_000,
      count: 3,
      message_sealed: new Uint8Array([9]),
    });
    assertEqual(await recordsOf(storage, first), [{ ...before!, ...again, count: 4 }], 'the record');
  }),
  rule('racing copies of a message become one record that counts them all', async (storage) => {
    const other = await anotherOf(storage);
    const message = refused();
    const copies = Array.from({ length: 24 }, (_, at) => keep(at % 2 === 0 ? storage : other, message));
    await Promise.all(copies);
    const [record] = await recordsOf(storage, message);
    assertEqual(record?.count, copies.length, 'the count');
  }),
  rule('records are listed newest first by status and reason, on pages that omit none', async (storage) => {
    const written = Array.from({ length: 5 }, (_, at) =>
      refused({ reason: at % 2 === 0 ? 'unknown_card' : 'transaction_of_another_card' }),
    );
    for (const message of written) await keep(storage, message);
    const records = await recordsOf(storage, ...written);
    await storage.unitOfWork.run(({ quarantine }) => quarantine.apply(appliedAs(records[0]!.id, 11), 3_000));
    const ids = new Set(records.map(({ id }) => id));
    const listed = async (filter: QuarantineFilter) => {
      const all = await storage.unitOfWork.read((tx) => everyPage((page) => tx.quarantine.list(filter, page), 2));
      return all.filter(({ id }) => ids.has(id)).map(({ id }) => records.findIndex((record) => record.id === id));
    };
    assertEqual(await listed({}), [4, 3, 2, 1, 0], 'all');
    assertEqual(await listed({ status: 'quarantined' }), [4, 3, 2, 1], 'by status');
    assertEqual(await listed({ reason: 'unknown_card' }), [4, 2, 0], 'by reason');
    assertEqual(await listed({ status: 'applied', reason: 'unknown_card' }), [0], 'by both');
  }),
  rule('a record is applied once, and then it is not open', async (storage) => {
    const message = refused();
    await keep(storage, message);
    const [record] = await recordsOf(storage, message);
    const countOpen = () => storage.unitOfWork.read(({ quarantine }) => quarantine.countOpen());
    const open_before = await countOpen();
    const other = await anotherOf(storage);
    const applied = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        (at % 2 === 0 ? storage : other).unitOfWork.run(({ quarantine }) =>
          quarantine.apply(appliedAs(record!.id, 20 + at), 3_000),
        ),
      ),
    );
    assertEqual(applied.filter(Boolean).length, 1, 'how many applied it');
    const [after] = await recordsOf(storage, message);
    const clearing_id = 20 + applied.indexOf(true);
    assertEqual(after, { ...record!, status: 'applied', clearing_id, applied_at_ms: 3_000 }, 'the record');
    assertEqual(await countOpen(), open_before - 1, 'the open records');
    const unknown = await storage.unitOfWork.run(({ quarantine }) => quarantine.apply(appliedAs(999_999_999, 1), 1));
    assertEqual(unknown, false, 'an unknown record');
  }),
  rule(
    'records are read in batches in ascending order of id, and their sealed message is replaced',
    async (storage) => {
      const written = [refused(), refused(), refused()];
      for (const message of written) await keep(storage, message);
      const [first, second, third] = await recordsOf(storage, ...written);
      await storage.unitOfWork.run(async ({ quarantine }) => {
        assertEqual(await quarantine.listAfter(first!.id - 1, 2), [first, second], 'a batch');
        assertEqual(await quarantine.listAfter(third!.id, 2), [], 'the last batch');
        await quarantine.reseal(second!.id, new Uint8Array([9, 9]));
        const resealed = { ...second!, message_sealed: new Uint8Array([9, 9]) };
        assertEqual(await quarantine.find(second!.id), resealed, 'the record');
        assertEqual(await quarantine.find(third!.id), third, 'another record');
      });
    },
  ),
  rule('a message for an unknown number is kept until it is purged', async (storage) => {
    const purge = () => storage.unitOfWork.run((tx) => tx.unknown_numbers.purge(storage.now_ms + 1, 100));
    while ((await purge()) > 0);
    const unknown = {
      number_index: sealedNumber().number_index,
      last4: '1234',
      message: { mcc: '5812', merchant_name: 'é"\\' },
      recorded_at_ms: storage.now_ms,
      request_id: null,
    };
    await storage.ledger.pass([], () => ({ changes: { ...no_changes, unknown_numbers: [unknown] }, result: null }));
    const early = await storage.unitOfWork.run((tx) => tx.unknown_numbers.purge(storage.now_ms, 100));
    assertEqual([early, await purge(), await purge()], [0, 1, 0], 'how many are purged');
  }),
];

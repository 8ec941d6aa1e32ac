import type { AccessTx, IdempotencyRequest } from '@tallystick/access';
import { assert, Refusal, toHex } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { companyRow, type SharedStorage } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

export type IdempotencyStorage = SharedStorage<Pick<AccessTx, 'idempotency' | 'companies'>>;

const noon_ms = Date.UTC(2026, 4, 20, 12);
const machine_start_ms = 5_000_000;

/** A request with a key and a token that no other request has. */
function request(changes: Partial<IdempotencyRequest> = {}): IdempotencyRequest {
  const drawn = uniqueNumber();
  return {
    scope: 'key 17',
    key: `idempotency-${drawn}`,
    token: `token-${drawn}`,
    request_sha256: new Uint8Array(32).fill(1),
    now_ms: noon_ms,
    keep_ms: 86_400_000,
    machine_ms: machine_start_ms,
    lease_until_machine_ms: machine_start_ms + 30_000,
    ...changes,
  };
}

/** The store of a process. Each call runs in a separate transaction. */
function recordsOf({ unitOfWork }: IdempotencyStorage) {
  return {
    /** `claimed`, `in_progress`, `mismatch`, or `answered` with the answer in hexadecimal. */
    async claim(asked: IdempotencyRequest): Promise<string> {
      const claim = await unitOfWork.run((tx) => tx.idempotency.claim(asked));
      return claim.kind === 'answered' ? `answered ${toHex(Uint8Array.from(claim.answer))}` : claim.kind;
    },
    complete: (asked: IdempotencyRequest) =>
      unitOfWork.run((tx) => tx.idempotency.complete(asked, new Uint8Array([4, 2]))),
    release: (asked: IdempotencyRequest) => unitOfWork.run((tx) => tx.idempotency.release(asked)),
    purge: (before_ms: number, machine_ms: number, limit: number) =>
      unitOfWork.run((tx) => tx.idempotency.purge(before_ms, machine_ms, limit)),
  };
}

async function assertLost(completing: Promise<unknown>, what: string): Promise<void> {
  assertEqual((await refusalOf(completing, what)).code, 'idempotency_in_progress', what);
}

export const idempotency_store_contract: readonly ContractRule<IdempotencyStorage>[] = [
  rule('exactly one of 32 racing requests claims a key', async (here) => {
    const there = await anotherOf(here);
    for (let round = 0; round < 5; round += 1) {
      const { key } = request();
      const claims = Array.from({ length: 32 }, (_, at) =>
        recordsOf(at % 3 === 0 ? there : here).claim(request({ key })),
      );
      const kinds = (await Promise.all(claims)).toSorted();
      assertEqual(kinds, ['claimed', ...Array.from({ length: 31 }, () => 'in_progress')], 'the claims');
    }
  }),
  rule('the same request gets the first answer, and another request is a mismatch', async (storage) => {
    const { claim, complete } = recordsOf(storage);
    const first = request();
    assertEqual(await claim(first), 'claimed', 'the first');
    assertEqual(await claim({ ...first, token: 'other' }), 'in_progress', 'another owner');
    assertEqual(await claim(first), 'claimed', 'the same owner');
    const different = { ...first, token: 'other', request_sha256: new Uint8Array(32).fill(2) };
    assertEqual(await claim(different), 'mismatch', 'another request');
    await complete(first);
    assertEqual(await claim({ ...first, token: 'other' }), 'answered 0402', 'another owner, answered');
    assertEqual(await claim(first), 'answered 0402', 'the same owner, answered');
    assertEqual(await claim(different), 'mismatch', 'another request, answered');
    assertEqual(await claim({ ...first, scope: 'key 18' }), 'claimed', 'another scope');
  }),
  rule('a key is free for every claim when the lease has expired in machine time, and not before', async (storage) => {
    const { claim, complete } = recordsOf(storage);
    const first = request({ lease_until_machine_ms: machine_start_ms + 1_000 });
    await claim(first);
    // The service's clock is frozen meanwhile.
    const later = (after_ms: number) => {
      const machine_ms = machine_start_ms + after_ms;
      return { ...first, token: 'other', machine_ms, lease_until_machine_ms: machine_ms + 60_000 };
    };
    assertEqual(await claim(later(999)), 'in_progress', 'a millisecond before');
    assertEqual(await claim(later(1_000)), 'claimed', 'after it has expired');
    const again = { ...first, machine_ms: machine_start_ms + 2_000 };
    assertEqual(await claim(again), 'in_progress', 'the first owner');
    await assertLost(complete(first), 'completing with a lost lease');
    await complete(later(1_000));
  }),
  rule(
    'a claim does not depend on moves of the service’s clock, and is not purged while its request is in progress',
    async (storage) => {
      const { claim, complete, purge } = recordsOf(storage);
      const first = request();
      await claim(first);
      const far_ms = noon_ms + 10 * first.keep_ms;
      const run_out_ms = first.lease_until_machine_ms;
      const other = { ...first, token: 'other', now_ms: far_ms };
      assertEqual(await claim({ ...other, machine_ms: run_out_ms - 1 }), 'in_progress', 'another owner');
      const different = { ...other, machine_ms: run_out_ms - 1, request_sha256: new Uint8Array(32).fill(2) };
      assertEqual(await claim(different), 'mismatch', 'another request');
      await purge(far_ms, run_out_ms - 1, 1_000);
      await complete(first);
      assertEqual(await claim(other), 'claimed', 'after keep_ms');
      assert((await purge(far_ms + 1, run_out_ms, 1_000)) > 0, 'nothing was purged');
      await assertLost(complete(other), 'completing a purged record');
    },
  ),
  rule('an expired lease belongs to its owner until another claim takes it', async (storage) => {
    const { claim, complete } = recordsOf(storage);
    const first = request();
    await claim(first);
    await complete(first);
    const machine_ms = first.lease_until_machine_ms + 10;
    assertEqual(await claim({ ...first, token: 'other', machine_ms }), 'answered 0402', 'the answer');
  }),
  rule('a record is forgotten after keep_ms, answered or not', async (storage) => {
    const { claim, complete } = recordsOf(storage);
    const first = request();
    await claim(first);
    await complete(first);
    const another = { ...first, token: 'other', request_sha256: new Uint8Array(32).fill(3) };
    const at = (now_ms: number) => claim({ ...another, now_ms });
    assertEqual(await at(noon_ms + first.keep_ms - 1), 'mismatch', 'a millisecond before');
    assertEqual(await at(noon_ms + first.keep_ms), 'claimed', 'after keep_ms');
    await assertLost(complete(first), 'completing a record that gave way');

    const unanswered = request();
    await claim(unanswered);
    const late = { ...unanswered, token: 'other', request_sha256: new Uint8Array(32).fill(3) };
    const run_out = { machine_ms: unanswered.lease_until_machine_ms, now_ms: noon_ms + unanswered.keep_ms };
    assertEqual(await claim({ ...late, ...run_out }), 'claimed', 'unanswered');
  }),
  rule('an answer of a transaction that rolls back is not kept', async (here) => {
    const { claim, complete } = recordsOf(here);
    const first = request();
    await claim(first);
    const rolled_back = here.unitOfWork.run(async (tx) => {
      await tx.idempotency.complete(first, new Uint8Array([1]));
      throw new Refusal('not_found', 'no');
    });
    await refusalOf(rolled_back, 'the transaction');
    await complete(first);
    assertEqual(await claim(first), 'answered 0402', 'the answer');
  }),
  rule('one of two owners completes, and only its work commits', async (here) => {
    const there = await anotherOf(here);
    const companies = async () =>
      (await here.unitOfWork.read((tx) => tx.companies.list({ limit: 1 }))).items[0]?.id ?? 0;
    for (let round = 0; round < 5; round += 1) {
      const first = request({ lease_until_machine_ms: 0 });
      const second = { ...first, token: `second-${round}` };
      await recordsOf(here).claim(first);
      const before = await companies();
      const taking = recordsOf(there).claim(second);
      const company = companyRow({ created_at_ms: noon_ms });
      const completing = here.unitOfWork.run(async (tx) => {
        await tx.companies.insert(company);
        await tx.idempotency.complete(first, new Uint8Array([1]));
      });
      const [taken, completed] = await Promise.allSettled([taking, completing]);
      assert(taken.status === 'fulfilled', 'the claim failed');
      const is_completed = completed.status === 'fulfilled';
      if (!is_completed) assert(completed.reason instanceof Refusal, `not refused: ${completed.reason}`);
      assertEqual((await companies()) > before, is_completed, 'whether the work committed');
      assertEqual(taken.value, is_completed ? 'answered 01' : 'claimed', 'the claim');
    }
  }),
  rule('a key is released by its owner only, and only while it is unanswered', async (storage) => {
    const { claim, complete, release } = recordsOf(storage);
    const first = request();
    const other = { ...first, token: 'other' };
    await claim(first);
    await release(other);
    assertEqual(await claim(other), 'in_progress', 'released by another');
    await release(first);
    assertEqual(await claim(other), 'claimed', 'released by its owner');
    await complete(other);
    await release(other);
    assertEqual(await claim(first), 'answered 0402', 'released after the answer');
  }),
  rule('answers are read once each, in batches, and replaced by the same answer sealed again', async (here) => {
    const { claim, complete } = recordsOf(here);
    const answered = [request({ scope: 'key 2' }), request(), request()];
    for (const one of [...answered, request()]) await claim(one);
    for (const one of answered) await complete(one);
    const read: string[] = [];
    for (let after = { scope: '', key: '' }; ; ) {
      const batch = await here.unitOfWork.run(async ({ idempotency }) => {
        const records = await idempotency.answersAfter(after, 2);
        for (const record of records) {
          await idempotency.resealAnswer({ ...record, answer_sealed: new Uint8Array([6, 6]) });
        }
        return records;
      });
      read.push(...batch.map(({ key }) => key));
      const last = batch.at(-1);
      if (last === undefined) break;
      after = last;
    }
    assertEqual(new Set(read).size, read.length, 'the records read');
    for (const one of answered) {
      assert(read.includes(one.key), `not read: ${one.key}`);
      assertEqual(await claim(one), 'answered 0606', 'the replaced answer');
    }
  }),
  rule('records are purged after their lease has expired, the oldest first, at most the limit', async (storage) => {
    const { claim, purge } = recordsOf(storage);
    await purge(4, machine_start_ms, 1_000);
    const old = [3, 1, 2].map((now_ms) => request({ now_ms, lease_until_machine_ms: 7 }));
    for (const one of old) await claim(one);
    assertEqual(await purge(4, 6, 2), 0, 'before the lease runs out');
    assertEqual(await purge(4, 7, 2), 2, 'the two oldest');
    assertEqual(await claim({ ...old[0]!, token: 'other', machine_ms: 6 }), 'in_progress', 'the youngest');
    assertEqual(await claim({ ...old[1]!, token: 'other', now_ms: 4, machine_ms: 6 }), 'claimed', 'the oldest');
    assertEqual(await purge(4, 7, 100), 1, 'the rest');
    assertEqual(await purge(4, 7, 100), 0, 'none is left');
  }),
];

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ApiKey, IdempotencyClaim, IdempotencyRequest } from '@tallystick/access';
import { Refusal } from '@tallystick/kernel';
import { makeCompany, noon_ms, onEveryDatabase } from './fixture.ts';

const hex = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('hex'));
const comparable = (key: ApiKey) => ({
  ...key,
  secret_sha256: hex(key.secret_sha256),
  signing_secret_sealed: hex(key.signing_secret_sealed),
});

onEveryDatabase('the stores of companies and keys', (fixture) => {
  it('give companies back, newest first, on pages that leave none out', async () => {
    const made = await fixture().run(async (tx) => {
      const companies = [];
      for (const name of ['A', 'é', 'C', 'D', 'E']) companies.push(await makeCompany(tx, name));
      return companies.toReversed();
    });
    await fixture().run(async (tx) => {
      const first = await tx.companies.list({ limit: 2 });
      const second = await tx.companies.list({ limit: 3, after: first.next! });
      assert.deepEqual([...first.items, ...second.items], made);
      assert.equal(second.next, null);
      assert.deepEqual((await tx.companies.list({ limit: 2, offset: 4 })).items, made.slice(4));
      assert.deepEqual(await tx.companies.find(made[0]!.id), made[0]);
      assert.equal(await tx.companies.find(999_999), null);
    });
  });

  it('give a key back as it was inserted; a revocation lasts, with its first instant', async () => {
    await fixture().run(async (tx) => {
      const company = await makeCompany(tx);
      const details: Omit<ApiKey, 'id'> = {
        company_id: company.id,
        role: 'client',
        environment: 'test',
        name: 'shop',
        secret_sha256: new Uint8Array(32).fill(7),
        signing_secret_sealed: new Uint8Array([0, 1, 255]),
        rate_limit_per_minute: 60,
        created_at_ms: noon_ms,
        revoked_at_ms: null,
      };
      const key = await tx.api_keys.insert(details);
      assert.deepEqual(comparable(key), comparable({ ...details, id: key.id }));
      assert.deepEqual(comparable((await tx.api_keys.find(key.id))!), comparable(key));
      const operator = await tx.api_keys.insert({
        ...details,
        company_id: null,
        role: 'operator',
        signing_secret_sealed: null,
      });
      const ids = async (filter: { company_id?: number }) =>
        (await tx.api_keys.list(filter, { limit: 5 })).items.map(({ id }) => id);
      assert.deepEqual(await ids({}), [operator.id, key.id]);
      assert.deepEqual(await ids({ company_id: company.id }), [key.id]);

      assert.equal(await tx.api_keys.revoke(key.id, noon_ms + 1), true);
      assert.equal(await tx.api_keys.revoke(key.id, noon_ms + 2), true);
      assert.equal(await tx.api_keys.revoke(999_999, noon_ms), false);
      assert.equal((await tx.api_keys.find(key.id))?.revoked_at_ms, noon_ms + 1);

      assert.deepEqual(
        (await tx.api_keys.withSigningSecret(0, 5)).map(({ id }) => id),
        [key.id],
      );
      assert.deepEqual(await tx.api_keys.withSigningSecret(key.id, 5), []);
      await tx.api_keys.reseal(key.id, new Uint8Array([9]));
      assert.equal(hex((await tx.api_keys.find(key.id))!.signing_secret_sealed), '09');
    });
  });
});

onEveryDatabase('the records of idempotency keys', (fixture) => {
  let drawn = 0;
  const machine_start_ms = 5_000_000;
  const request = (changes: Partial<IdempotencyRequest> = {}): IdempotencyRequest => {
    drawn += 1;
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
  };
  const claim = (asked: IdempotencyRequest) => fixture().run((tx) => tx.idempotency.claim(asked));
  const complete = (asked: IdempotencyRequest, answer = new Uint8Array([4, 2])) =>
    fixture().run((tx) => tx.idempotency.complete(asked, answer));
  const told = (found: IdempotencyClaim) => (found.kind === 'answered' ? `answered ${hex(found.answer)}` : found.kind);

  it('are claimed by exactly one of 32 that race for them', async () => {
    const processes = [fixture().persistence, await fixture().another(), await fixture().another()];
    for (let round = 0; round < 5; round += 1) {
      const { key } = request();
      const claims = await Promise.all(
        Array.from({ length: 32 }, (_, at) =>
          processes[at % processes.length]!.unitOfWork.run((tx) => tx.idempotency.claim(request({ key }))),
        ),
      );
      const kinds = claims.map(({ kind }) => kind).toSorted();
      assert.deepEqual(kinds, ['claimed', ...Array.from({ length: 31 }, () => 'in_progress')]);
    }
  });

  it('give the first answer to the same request, and tell another one apart', async () => {
    const first = request();
    assert.equal(told(await claim(first)), 'claimed');
    assert.equal(told(await claim({ ...first, token: 'other' })), 'in_progress');
    assert.equal(told(await claim(first)), 'claimed');
    const different = { ...first, token: 'other', request_sha256: new Uint8Array(32).fill(2) };
    assert.equal(told(await claim(different)), 'mismatch');
    await complete(first);
    assert.equal(told(await claim({ ...first, token: 'other' })), 'answered 0402');
    assert.equal(told(await claim(first)), 'answered 0402');
    assert.equal(told(await claim(different)), 'mismatch');
    assert.equal(told(await claim({ ...first, scope: 'key 18' })), 'claimed');
  });

  it('are free again once the lease has run out on the machine’s time, by the measure of who claimed, and not before', async () => {
    const first = request({ lease_until_machine_ms: machine_start_ms + 1_000 });
    await claim(first);
    // The service's clock stands still meanwhile.
    const later = (after_ms: number) => {
      const machine_ms = machine_start_ms + after_ms;
      return { ...first, token: 'other', machine_ms, lease_until_machine_ms: machine_ms + 60_000 };
    };
    assert.equal(told(await claim(later(999))), 'in_progress');
    assert.equal(told(await claim(later(1_000))), 'claimed');
    assert.equal(told(await claim({ ...first, machine_ms: machine_start_ms + 2_000 })), 'in_progress');
    await assert.rejects(
      complete(first),
      (error) => error instanceof Refusal && error.code === 'idempotency_in_progress',
    );
    await complete(later(1_000));
  });

  it('stay claimed however far the service’s clock is moved, and are not purged: the request is in progress', async () => {
    const first = request();
    await claim(first);
    const far_ms = noon_ms + 10 * first.keep_ms;
    const run_out_ms = first.lease_until_machine_ms;
    const other = { ...first, token: 'other', now_ms: far_ms };
    assert.equal(told(await claim({ ...other, machine_ms: run_out_ms - 1 })), 'in_progress');
    const purge = (machine_ms: number) => fixture().run((tx) => tx.idempotency.purge(far_ms + 1, machine_ms, 100));
    await purge(run_out_ms - 1);
    await complete(first);
    // Its answer counts from the claim, by the service's clock.
    assert.equal(told(await claim(other)), 'claimed');
    assert.ok((await purge(run_out_ms)) > 0);
    await assert.rejects(complete(other), Refusal);
  });

  it('are still their owner’s when the lease has run out and nobody took them', async () => {
    const first = request();
    await claim(first);
    await complete(first);
    const machine_ms = first.lease_until_machine_ms + 10;
    assert.equal(told(await claim({ ...first, token: 'other', machine_ms })), 'answered 0402');
  });

  it('are forgotten after `keep_ms`, answered or not', async () => {
    const first = request();
    await claim(first);
    await complete(first);
    const another = { ...first, token: 'other', request_sha256: new Uint8Array(32).fill(3) };
    assert.equal(told(await claim({ ...another, now_ms: noon_ms + first.keep_ms - 1 })), 'mismatch');
    assert.equal(told(await claim({ ...another, now_ms: noon_ms + first.keep_ms })), 'claimed');
    await assert.rejects(complete(first), Refusal);
  });

  it('keep no answer of a transaction that does not commit', async () => {
    const first = request();
    await claim(first);
    const lost = fixture().run(async (tx) => {
      await tx.idempotency.complete(first, new Uint8Array([1]));
      throw new Refusal('not_found', 'no');
    });
    await assert.rejects(lost);
    await complete(first);
    assert.equal(told(await claim(first)), 'answered 0402');
  });

  it('are completed by one of two owners, whose work alone commits', async () => {
    const other = await fixture().another();
    for (let round = 0; round < 5; round += 1) {
      const first = request({ lease_until_machine_ms: 0 });
      const second = { ...first, token: `second-${round}` };
      await claim(first);
      const before = (await fixture().run((tx) => tx.companies.list({ limit: 100 }))).items.length;
      const taking = other.unitOfWork.run((tx) => tx.idempotency.claim(second));
      const completing = fixture().run(async (tx) => {
        await makeCompany(tx, `made ${round}`);
        await tx.idempotency.complete(first, new Uint8Array([1]));
      });
      const [taken, completed] = await Promise.allSettled([taking, completing]);
      assert(taken.status === 'fulfilled');
      const after = (await fixture().run((tx) => tx.companies.list({ limit: 100 }))).items.length;
      assert.equal(after - before, completed.status === 'fulfilled' ? 1 : 0);
      assert.equal(taken.value.kind, completed.status === 'fulfilled' ? 'answered' : 'claimed');
    }
  });

  it('are given back by their owner alone, and only while unanswered', async () => {
    const first = request();
    await claim(first);
    await fixture().run((tx) => tx.idempotency.release({ ...first, token: 'other' }));
    assert.equal(told(await claim({ ...first, token: 'other' })), 'in_progress');
    await fixture().run((tx) => tx.idempotency.release(first));
    assert.equal(told(await claim({ ...first, token: 'other' })), 'claimed');
    await complete({ ...first, token: 'other' });
    await fixture().run((tx) => tx.idempotency.release({ ...first, token: 'other' }));
    assert.equal(told(await claim(first)), 'answered 0402');
  });

  it('are purged oldest first, as many as asked', async () => {
    const old = [3, 1, 2].map((now_ms) => request({ now_ms, lease_until_machine_ms: 7 }));
    for (const one of old) await claim(one);
    assert.equal(await fixture().run((tx) => tx.idempotency.purge(4, 6, 2)), 0);
    assert.equal(await fixture().run((tx) => tx.idempotency.purge(4, 7, 2)), 2);
    assert.equal(told(await claim({ ...old[0]!, token: 'other', machine_ms: 6 })), 'in_progress');
    assert.equal(told(await claim({ ...old[1]!, token: 'other', now_ms: 4, machine_ms: 6 })), 'claimed');
    assert.equal(await fixture().run((tx) => tx.idempotency.purge(4, 7, 100)), 1);
    assert.equal(await fixture().run((tx) => tx.idempotency.purge(4, 7, 100)), 0);
  });
});

import type { AccessTx, ApiKey } from '@tallystick/access';
import { assert } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { newCompany, type SharedStorage } from '../storage/storage.ts';

export type ApiKeyStorage = SharedStorage<Pick<AccessTx, 'api_keys' | 'companies'>>;

const noon_ms = Date.UTC(2026, 4, 20, 12);

function keyOf(company_id: number, changes: Partial<ApiKey> = {}): Omit<ApiKey, 'id'> {
  return {
    company_id,
    role: 'client',
    environment: 'test',
    name: 'shop',
    secret_sha256: new Uint8Array(32).fill(7),
    signing_secret_sealed: new Uint8Array([0, 1, 255]),
    rate_limit_per_minute: 60,
    created_at_ms: noon_ms,
    revoked_at_ms: null,
    expires_at_ms: null,
    last_used_at_ms: null,
    ...changes,
  };
}

export const api_key_store_contract: readonly ContractRule<ApiKeyStorage>[] = [
  rule('a key is read as it was inserted', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    const details = keyOf(company_id);
    const key = await here.unitOfWork.run((tx) => tx.api_keys.insert(details));
    assertEqual(key, { ...details, id: key.id }, 'the inserted key');
    await there.unitOfWork.read(async ({ api_keys }) => {
      assertEqual(await api_keys.find(key.id), key, 'the key');
      assertEqual(await api_keys.find(999_999_999), null, 'an unknown key');
    });
  }),
  rule('keys are found by many ids in one read, without those that do not exist', async (here) => {
    const company_id = await newCompany(here);
    await here.unitOfWork.run(async ({ api_keys }) => {
      const first = await api_keys.insert(keyOf(company_id));
      await api_keys.insert(keyOf(company_id));
      const third = await api_keys.insert(keyOf(company_id));
      const found = (await api_keys.findByIds([999_999_999, third.id, first.id])).toSorted((a, b) => a.id - b.id);
      assertEqual(found, [first, third], 'the keys');
      assertEqual(await api_keys.findByIds([]), [], 'no key');
    });
  }),
  rule('keys are listed newest first, of one company or of all, including keys without a company', async (here) => {
    const company_id = await newCompany(here);
    await here.unitOfWork.run(async ({ api_keys }) => {
      const first = await api_keys.insert(keyOf(company_id));
      const operator = await api_keys.insert(
        keyOf(company_id, { company_id: null, role: 'operator', signing_secret_sealed: null }),
      );
      const second = await api_keys.insert(keyOf(company_id));
      const ids = async (filter: { readonly company_id?: number }) =>
        (await api_keys.list(filter, { limit: 3 })).items.map(({ id }) => id);
      assertEqual(await ids({}), [second.id, operator.id, first.id], 'all');
      assertEqual(await ids({ company_id }), [second.id, first.id], 'of the company');
      const page = await api_keys.list({ company_id }, { limit: 1 });
      assert(page.next !== null, 'the first page has no cursor');
      const rest = await api_keys.list({ company_id }, { limit: 1, after: page.next });
      assertEqual(rest, { items: [first], next: null }, 'the second page');
    });
  }),
  rule('a revocation keeps its first instant', async (here) => {
    const company_id = await newCompany(here);
    await here.unitOfWork.run(async ({ api_keys }) => {
      const key = await api_keys.insert(keyOf(company_id));
      const other = await api_keys.insert(keyOf(company_id));
      assertEqual(await api_keys.revoke(key.id, noon_ms + 1), true, 'the first revocation');
      assertEqual(await api_keys.revoke(key.id, noon_ms + 2), true, 'the second revocation');
      assertEqual(await api_keys.revoke(999_999_999, noon_ms), false, 'of an unknown key');
      assertEqual(await api_keys.find(key.id), { ...key, revoked_at_ms: noon_ms + 1 }, 'the key');
      assertEqual(await api_keys.find(other.id), other, 'another key');
    });
  }),
  rule('an update writes what may change, and the last use that is stored never goes back', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    const [key, other] = await here.unitOfWork.run(async ({ api_keys }) => [
      await api_keys.insert(keyOf(company_id)),
      await api_keys.insert(keyOf(company_id)),
    ]);
    const changes = { name: 'till', rate_limit_per_minute: null, expires_at_ms: noon_ms + 9 };
    await here.unitOfWork.run(async ({ api_keys }) => {
      assertEqual(await api_keys.find(key!.id, { for_update: true }), key, 'the locked key');
      await api_keys.update({ ...key!, ...changes, role: 'bank', created_at_ms: 1 });
    });
    for (const last_used_at_ms of [noon_ms + 5, noon_ms + 4]) {
      await there.unitOfWork.run(({ api_keys }) => api_keys.recordUses([{ id: key!.id, last_used_at_ms }]));
    }
    await here.unitOfWork.read(async ({ api_keys }) => {
      const expected = { ...key!, ...changes, last_used_at_ms: noon_ms + 5 };
      assertEqual(await api_keys.find(key!.id), expected, 'the key');
      assertEqual(await api_keys.find(other!.id), other, 'another key');
    });
  }),
  rule(
    'keys with a signing secret are read in batches in ascending order of id, also revoked ones, and their secrets are replaced',
    async (here) => {
      const company_id = await newCompany(here);
      await here.unitOfWork.run(async ({ api_keys }) => {
        const first = await api_keys.insert(keyOf(company_id, { revoked_at_ms: noon_ms }));
        await api_keys.insert(keyOf(company_id, { signing_secret_sealed: null }));
        const second = await api_keys.insert(keyOf(company_id));
        const third = await api_keys.insert(keyOf(company_id));
        const after = (id: number, limit: number) => api_keys.withSigningSecret(id, limit);
        assertEqual(await after(first.id - 1, 2), [first, second], 'a batch');
        assertEqual(await after(second.id, 2), [third], 'the next batch');
        assertEqual(await after(third.id, 2), [], 'the last batch');
        await api_keys.reseal(first.id, new Uint8Array([9]));
        const resealed = await api_keys.find(first.id);
        assertEqual(resealed, { ...first, signing_secret_sealed: new Uint8Array([9]) }, 'the key');
        assertEqual(await api_keys.find(second.id), second, 'another key');
      });
    },
  ),
];

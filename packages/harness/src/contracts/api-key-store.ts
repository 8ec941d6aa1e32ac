import type { AccessTx, ApiKey } from '@tallystick/access';
import { assert, type UnitOfWork } from '@tallystick/kernel';
import { assertSame } from './assertions.ts';
import type { ContractRule, TwoProcesses } from './contract-rule.ts';
import { newCompany } from './webhook-storage.ts';

/** What the contract of `ApiKeyStore` needs of a process. */
export interface ApiKeyStorage {
  readonly unitOfWork: UnitOfWork<Pick<AccessTx, 'api_keys' | 'companies'>>;
}

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
    ...changes,
  };
}

/** What every adapter of `ApiKeyStore` promises. */
export const api_key_store_contract: readonly ContractRule<TwoProcesses<ApiKeyStorage>>[] = [
  {
    rule: 'a key is read as it was inserted',
    async check(open) {
      const { here, there } = await open();
      const company_id = await newCompany(here);
      const details = keyOf(company_id);
      const key = await here.unitOfWork.run((tx) => tx.api_keys.insert(details));
      assertSame('the inserted key', key, { ...details, id: key.id });
      await there.unitOfWork.read(async ({ api_keys }) => {
        assertSame('the key', await api_keys.find(key.id), key);
        assertSame('an unknown key', await api_keys.find(999_999_999), null);
      });
    },
  },
  {
    rule: 'keys are listed newest first, of one company or of all, with those of no company',
    async check(open) {
      const { here } = await open();
      const company_id = await newCompany(here);
      await here.unitOfWork.run(async ({ api_keys }) => {
        const first = await api_keys.insert(keyOf(company_id));
        const operator = await api_keys.insert(
          keyOf(company_id, { company_id: null, role: 'operator', signing_secret_sealed: null }),
        );
        const second = await api_keys.insert(keyOf(company_id));
        const ids = async (filter: { readonly company_id?: number }) =>
          (await api_keys.list(filter, { limit: 3 })).items.map(({ id }) => id);
        assertSame('all', await ids({}), [second.id, operator.id, first.id]);
        assertSame('of the company', await ids({ company_id }), [second.id, first.id]);
        const page = await api_keys.list({ company_id }, { limit: 1 });
        assert(page.next !== null, 'the first page has no cursor');
        const rest = await api_keys.list({ company_id }, { limit: 1, after: page.next });
        assertSame('the second page', rest, { items: [first], next: null });
      });
    },
  },
  {
    rule: 'a revocation keeps its first instant',
    async check(open) {
      const { here } = await open();
      const company_id = await newCompany(here);
      await here.unitOfWork.run(async ({ api_keys }) => {
        const key = await api_keys.insert(keyOf(company_id));
        const other = await api_keys.insert(keyOf(company_id));
        assertSame('the first revocation', await api_keys.revoke(key.id, noon_ms + 1), true);
        assertSame('the second revocation', await api_keys.revoke(key.id, noon_ms + 2), true);
        assertSame('of an unknown key', await api_keys.revoke(999_999_999, noon_ms), false);
        assertSame('the key', await api_keys.find(key.id), { ...key, revoked_at_ms: noon_ms + 1 });
        assertSame('another key', await api_keys.find(other.id), other);
      });
    },
  },
  {
    rule: 'keys with a signing secret are read in batches by rising ids, revoked ones too, and their secrets replaced',
    async check(open) {
      const { here } = await open();
      const company_id = await newCompany(here);
      await here.unitOfWork.run(async ({ api_keys }) => {
        const first = await api_keys.insert(keyOf(company_id, { revoked_at_ms: noon_ms }));
        await api_keys.insert(keyOf(company_id, { signing_secret_sealed: null }));
        const second = await api_keys.insert(keyOf(company_id));
        const third = await api_keys.insert(keyOf(company_id));
        const after = (id: number, limit: number) => api_keys.withSigningSecret(id, limit);
        assertSame('a batch', await after(first.id - 1, 2), [first, second]);
        assertSame('the next batch', await after(second.id, 2), [third]);
        assertSame('the last batch', await after(third.id, 2), []);
        await api_keys.reseal(first.id, new Uint8Array([9]));
        const resealed = await api_keys.find(first.id);
        assertSame('the key', resealed, { ...first, signing_secret_sealed: new Uint8Array([9]) });
        assertSame('another key', await api_keys.find(second.id), second);
      });
    },
  },
];

import { type ApiKeyStore, type CompanyStore, refuseTakenNumber } from '@tallystick/access';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function companyStore({ companies }: State): CompanyStore {
  return {
    async insert(company) {
      const is_taken = companies.values().some(({ customer_number }) => customer_number === company.customer_number);
      if (is_taken) throw refuseTakenNumber(company.customer_number);
      return companies.insert(company);
    },
    async update({ id, customer_number: _fixed, created_at_ms: _kept, ...changed }) {
      companies.change(id, changed);
    },
    async find(id) {
      return companies.get(id) ?? null;
    },
    async findByIds(ids) {
      return companies.values().filter(({ id }) => ids.includes(id));
    },
    async list(page) {
      return newestFirst('companies', companies.values(), page);
    },
  };
}

export function apiKeyStore({ api_keys, companies }: State): ApiKeyStore {
  return {
    async insert(key) {
      if (key.company_id !== null) companies.assertHas(key.company_id, 'company');
      return api_keys.insert(key);
    },

    async find(id) {
      return api_keys.get(id) ?? null;
    },

    async findByIds(ids) {
      return ids.flatMap((id) => api_keys.get(id) ?? []);
    },

    async update({ id, name, rate_limit_per_minute, expires_at_ms }) {
      api_keys.change(id, { name, rate_limit_per_minute, expires_at_ms });
    },

    async recordUses(uses) {
      for (const { id, last_used_at_ms } of uses) {
        const stored_ms = api_keys.get(id)?.last_used_at_ms ?? 0;
        if ((last_used_at_ms ?? 0) > stored_ms) api_keys.change(id, { last_used_at_ms });
      }
    },

    async list({ company_id }, page) {
      const listed = api_keys.values().filter((key) => company_id === undefined || key.company_id === company_id);
      return newestFirst('api_keys', listed, page);
    },

    async revoke(id, at_ms) {
      const key = api_keys.get(id);
      if (key === undefined) return false;
      api_keys.set(id, { ...key, revoked_at_ms: key.revoked_at_ms ?? at_ms });
      return true;
    },

    async withSigningSecret(after_id, limit) {
      const signed = api_keys.values().filter((key) => key.id > after_id && key.signing_secret_sealed !== null);
      return signed.sort((a, b) => a.id - b.id).slice(0, limit);
    },

    async reseal(id, signing_secret_sealed) {
      api_keys.change(id, { signing_secret_sealed });
    },
  };
}

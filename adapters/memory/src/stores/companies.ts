import { type CompanyStore, refuseTakenNumber } from '@tallystick/access';
import { newestFirst } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';

/** Companies. */
export function companyStore({ companies }: State): CompanyStore {
  return {
    async insert(company) {
      const is_taken = companies.values().some(({ customer_number }) => customer_number === company.customer_number);
      if (is_taken) throw refuseTakenNumber(company.customer_number);
      const id = companies.nextId();
      return companies.set(id, { ...company, id });
    },
    async update({ id, customer_number: _fixed, created_at_ms: _kept, ...changed }) {
      const company = companies.get(id);
      if (company !== undefined) companies.set(id, { ...company, ...changed });
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

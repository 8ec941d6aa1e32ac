import type { CompanyStore } from '@tallystick/access';
import { newestFirst } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';

/** Companies. */
export function companyStore({ companies }: State): CompanyStore {
  return {
    async insert(company) {
      const id = companies.nextId();
      return companies.set(id, { ...company, id });
    },
    async update({ id, name, full_details_in_mail, hold_days }) {
      const company = companies.get(id);
      if (company !== undefined) companies.set(id, { ...company, name, full_details_in_mail, hold_days });
    },
    async find(id) {
      return companies.get(id) ?? null;
    },
    async list(page) {
      return newestFirst('companies', companies.values(), page);
    },
  };
}

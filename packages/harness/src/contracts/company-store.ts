import type { AccessTx, Company } from '@tallystick/access';
import { assert, type UnitOfWork } from '@tallystick/kernel';
import type { ContractRule } from './contract-rule.ts';
import { assertEqual } from './equality.ts';
import { twoProcesses } from './two-processes.ts';

/** The parts of a process that the contract of `CompanyStore` needs. */
export interface CompanyStorage {
  readonly unitOfWork: UnitOfWork<Pick<AccessTx, 'companies'>>;
  /**
   * The same storage as another process sees it. Storage that lives in one process returns itself.
   */
  another(): Promise<CompanyStorage>;
}

function newCompany(name: string): Omit<Company, 'id'> {
  return { name, customer_number: `CN ${name}`, full_details_in_mail: false, hold_days: null, created_at_ms: 7 };
}

/** The contract of every adapter of `CompanyStore`. */
export const company_store_contract: readonly ContractRule<CompanyStorage>[] = [
  {
    rule: 'companies are read as they were inserted, newest first, on pages that omit none',
    async check(open) {
      const { here, there } = await twoProcesses(open);
      const made = await here.unitOfWork.run(async ({ companies }) => {
        const inserted: Company[] = [];
        for (const name of ['A', 'é', 'C', 'D', 'E']) {
          const company = await companies.insert(newCompany(name));
          assertEqual(company, { ...newCompany(name), id: company.id }, 'the inserted company');
          inserted.unshift(company);
        }
        return inserted;
      });
      await there.unitOfWork.read(async ({ companies }) => {
        const first = await companies.list({ limit: 2 });
        assert(first.next !== null, 'the first page has no cursor');
        const second = await companies.list({ limit: 3, after: first.next });
        assertEqual([...first.items, ...second.items], made, 'two pages');
        assertEqual((await companies.list({ limit: 1, offset: 4 })).items, made.slice(4), 'with an offset');
        assertEqual(await companies.find(made[0]!.id), made[0], 'one company');
        assertEqual(await companies.find(999_999_999), null, 'an unknown company');
      });
    },
  },
  {
    rule: 'an update writes the name, whether mails carry full details and how long holds last, and nothing of other companies',
    async check(open) {
      const here = await open();
      const [one, other] = await here.unitOfWork.run(async ({ companies }) => [
        await companies.insert(newCompany('one')),
        await companies.insert(newCompany('other')),
      ]);
      assert(one !== undefined, 'no company');
      for (const hold_days of [7, 'never', null] as const) {
        const changed = { ...one, name: 'renamed', full_details_in_mail: true, hold_days };
        await here.unitOfWork.run(({ companies }) => companies.update(changed));
        const { items } = await here.unitOfWork.read(({ companies }) => companies.list({ limit: 2 }));
        assertEqual(items, [other, changed], 'the companies');
      }
    },
  },
];

import type { AccessTx, Company } from '@tallystick/access';
import { assert } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { companyRow, type SharedStorage } from '../storage/storage.ts';

export type CompanyStorage = SharedStorage<Pick<AccessTx, 'companies'>>;

async function assertTaken(insert: Promise<unknown>): Promise<void> {
  const { code, fields } = await refusalOf(insert, 'a taken customer number');
  assertEqual([code, fields.map(({ path }) => path)], ['validation_failed', ['customer_number']], 'the refusal');
}

export const company_store_contract: readonly ContractRule<CompanyStorage>[] = [
  rule('companies are read as they were inserted, newest first, on pages that omit none', async (here) => {
    const there = await anotherOf(here);
    const made = await here.unitOfWork.run(async ({ companies }) => {
      const inserted: Company[] = [];
      for (const name of ['A', 'é', 'C', 'D', 'E']) {
        const row = companyRow({ name, created_at_ms: 7 });
        const company = await companies.insert(row);
        assertEqual(company, { ...row, id: company.id }, 'the inserted company');
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
      const wanted = [made[3]!.id, 999_999_999, made[1]!.id];
      const found = (await companies.findByIds(wanted)).toSorted((a, b) => b.id - a.id);
      assertEqual(found, [made[1], made[3]], 'two at once');
      assertEqual(await companies.findByIds([]), [], 'no company');
    });
  }),
  rule('an update writes the fields that may change, and nothing of other companies', async (here) => {
    const [one, other] = await here.unitOfWork.run(async ({ companies }) => [
      await companies.insert(companyRow({ name: 'one' })),
      await companies.insert(companyRow({ name: 'other' })),
    ]);
    assert(one !== undefined, 'no company');
    for (const hold_days of [7, 'never', null] as const) {
      const state = { status: 'closed', rate_limit_per_minute: 60 } as const;
      const changed = { ...one, ...state, name: 'renamed', full_details_in_mail: true, hold_days };
      await here.unitOfWork.run(({ companies }) => companies.update(changed));
      const { items } = await here.unitOfWork.read(({ companies }) => companies.list({ limit: 2 }));
      assertEqual(items, [other, changed], 'the companies');
    }
  }),
  rule('the customer number of another company, also of a closed one, is refused', async (here) => {
    const first = companyRow({ name: 'first', status: 'closed' });
    await here.unitOfWork.run(({ companies }) => companies.insert(first));
    const again = here.unitOfWork.run(({ companies }) => companies.insert({ ...first, name: 'second' }));
    await assertTaken(again);
    const { items } = await here.unitOfWork.read(({ companies }) => companies.list({ limit: 1 }));
    assertEqual(items[0]?.name, 'first', 'the newest company');
  }),
  rule('of racing inserts of one customer number exactly one succeeds, and the others are refused', async (here) => {
    const there = await anotherOf(here);
    for (let round = 0; round < 5; round += 1) {
      const row = companyRow();
      const inserts = [here, there, here, there].map(({ unitOfWork }) =>
        unitOfWork.run(({ companies }) => companies.insert(row)),
      );
      const settled = await Promise.allSettled(inserts);
      const refused = inserts.filter((_, place) => settled[place]?.status === 'rejected');
      assertEqual(refused.length, inserts.length - 1, 'the number of refused inserts');
      for (const insert of refused) await assertTaken(insert);
    }
  }),
  rule('a company that is held for update is changed by one transaction at a time', async (here) => {
    const there = await anotherOf(here);
    const { id } = await here.unitOfWork.run(({ companies }) => companies.insert(companyRow()));
    const raise = ({ unitOfWork }: CompanyStorage) =>
      unitOfWork.run(async ({ companies }) => {
        const company = await companies.find(id, { for_update: true });
        assert(company !== null, 'the company is missing');
        const rate_limit_per_minute = (company.rate_limit_per_minute ?? 0) + 1;
        await companies.update({ ...company, rate_limit_per_minute });
      });
    await Promise.all([here, there, here, there, here, there].map(raise));
    const changed = await here.unitOfWork.read(({ companies }) => companies.find(id));
    assertEqual(changed?.rate_limit_per_minute, 6, 'the number of changes');
  }),
];

import { assert, Refusal } from '@tallystick/kernel';
import { default_template_ids, type PurchaseTemplate, templateStateOf } from '@tallystick/templates';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { type CardStorage, everyPage, idsOf, makeCompany, rising } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

function newTemplate(company_id: number, changes: Partial<PurchaseTemplate> = {}): Omit<PurchaseTemplate, 'id'> {
  const drawn = uniqueNumber();
  return {
    company_id,
    name: `Restaurants ${drawn}`,
    description: 'Where one eats',
    mcc_list: ['5812', '5813'],
    mcc_rule: 'ALLOW',
    merchant_controls: {
      merchant_ids: { allow: ['M1'], deny: null },
      merchant_names: { allow: ['*Café*'], deny: null },
      countries: { allow: null, deny: ['FRA'] },
      card_present: 'required',
    },
    required_control: 'VELOCITY',
    status: 'PENDING',
    transaction_key: `key-${drawn}`,
    copy_from_template: '1',
    customer_number: '1',
    environment: 'sandbox',
    created_at_ms: 7_000,
    updated_at_ms: 7_000,
    deleted_at_ms: null,
    completes_at_ms: 12_000,
    version: 1,
    ...changes,
  };
}

/**
 * The contract of every adapter of `TemplateStore`. Other rules may leave templates that are due
 * from 1,000 on.
 */
export const template_store_contract: readonly ContractRule<CardStorage>[] = [
  rule('every company has the shared defaults, which allow every MCC', async ({ unitOfWork }) => {
    await unitOfWork.run(async (tx) => {
      const { id } = await makeCompany(tx);
      for (const [control, default_id] of Object.entries(default_template_ids)) {
        const shared = await tx.templates.find(id, default_id);
        assert(shared !== null, `there is no default for ${control}`);
        const { company_id, required_control, mcc_rule, mcc_list, status } = shared;
        assertEqual(
          [company_id, required_control, mcc_rule, mcc_list, status],
          [null, control, 'DENY', [], 'ACTIVE'],
          `the default for ${control}`,
        );
      }
      assertEqual(idsOf((await tx.templates.list(id, {}, { limit: 5 })).items), [2, 1], 'the list of a new company');
    });
  }),
  rule('a template is read as it was inserted and updated, by its company only', async ({ unitOfWork }) => {
    await unitOfWork.run(async (tx) => {
      const [mine, other] = [await makeCompany(tx), await makeCompany(tx)];
      const fresh = newTemplate(mine.id);
      const inserted = await tx.templates.insert(fresh);
      assertEqual(inserted, { ...fresh, id: inserted.id }, 'what was inserted');
      assert(inserted.id > 2, 'the id of a shared default was used again');
      assertEqual(await tx.templates.find(mine.id, inserted.id), inserted, 'what its company finds');
      assertEqual(await tx.templates.find(other.id, inserted.id), null, 'what another company finds');
      const active = { ...inserted, status: 'ACTIVE', completes_at_ms: null, updated_at_ms: 7_001 } as const;
      await tx.templates.update(active);
      assertEqual(await tx.templates.find(mine.id, inserted.id), active, 'after the update');
      const { transaction_key } = inserted;
      const byKey = async (company_id: number) =>
        (await tx.templates.list(company_id, { transaction_key }, { limit: 5 })).items;
      assertEqual(await byKey(mine.id), [active], 'the list by transaction key');
      assertEqual(await byKey(other.id), [], 'the same list of another company');
      const all = (await tx.templates.list(mine.id, {}, { limit: 5 })).items;
      assertEqual(idsOf(all), [active.id, 2, 1], 'the list');
    });
  }),
  rule('a list contains each template once, newest first, on pages of any size', async ({ unitOfWork }) => {
    await unitOfWork.run(async (tx) => {
      const { id } = await makeCompany(tx);
      const made: number[] = [];
      for (let at = 0; at < 7; at += 1) made.push((await tx.templates.insert(newTemplate(id))).id);
      const expected = [...made.toReversed(), 2, 1];
      const found = await everyPage((page) => tx.templates.list(id, {}, page), 4);
      assertEqual(idsOf(found), expected, 'all pages');
      const skipped = await tx.templates.list(id, {}, { limit: 2, offset: 3 });
      assertEqual(idsOf(skipped.items), expected.slice(3, 5), 'a page after an offset');
    });
  }),
  rule('a deleted template is not found, and its name is free again', async ({ unitOfWork }) => {
    await unitOfWork.run(async (tx) => {
      const { id } = await makeCompany(tx);
      const first = await tx.templates.insert(newTemplate(id, { name: 'Taken' }));
      assertEqual(await tx.templates.nameTaken(id, 'Taken'), true, 'the name');
      assertEqual(await tx.templates.nameTaken(id, 'taken'), false, 'the name in other letters');
      await tx.templates.update({ ...first, deleted_at_ms: 7_002 });
      assertEqual(await tx.templates.find(id, first.id), null, 'the deleted template');
      assertEqual(await tx.templates.claim(first.id), null, 'the claim of the deleted template');
      assertEqual(await tx.templates.nameTaken(id, 'Taken'), false, 'the name of the deleted template');
      const list = await tx.templates.list(id, {}, { limit: 5 });
      assertEqual(idsOf(list.items), [2, 1], 'the list');
      await tx.templates.insert(newTemplate(id, { name: 'Taken' }));
    });
  }),
  rule(
    'one of several racing inserts of one name in a company succeeds; the others are refused with the path of the name',
    async (storage) => {
      const processes = [storage, await anotherOf(storage)];
      const [mine, other] = await storage.unitOfWork.run(async (tx) => [await makeCompany(tx), await makeCompany(tx)]);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, (_, at) =>
          processes[at % 2]!.unitOfWork.run(async (tx) => {
            await tx.templates.nameTaken(mine!.id, 'Same');
            return await tx.templates.insert(newTemplate(mine!.id, { name: 'Same' }));
          }),
        ),
      );
      assertEqual(outcomes.filter(({ status }) => status === 'fulfilled').length, 1, 'how many succeed');
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        const error: unknown = outcome.reason;
        assert(error instanceof Refusal, `an insert rejected with ${String(error)}`);
        assertEqual([error.code, error.fields[0]?.path], ['validation_failed', 'name'], 'the refusal');
      }
      await storage.unitOfWork.run((tx) => tx.templates.insert(newTemplate(other!.id, { name: 'Same' })));
    },
  ),
  rule('one of many racing claims gets each due template, and none gets one early', async (storage) => {
    const processes = [storage, await anotherOf(storage)];
    const ids = await storage.unitOfWork.run(async (tx) => {
      const { id } = await makeCompany(tx);
      const made: number[] = [];
      for (let at = 0; at < 10; at += 1) {
        made.push((await tx.templates.insert(newTemplate(id, { completes_at_ms: at }))).id);
      }
      return made;
    });
    const complete = (at: number) =>
      processes[at % 2]!.unitOfWork.run(async (tx) => {
        const due = await tx.templates.claimDue(8, 2);
        assert(due.length <= 2, 'more were claimed than the limit');
        for (const one of due) await tx.templates.update({ ...one, status: 'ACTIVE', completes_at_ms: null });
        return idsOf(due);
      });
    const claimed: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (const batch of await Promise.all([0, 1, 2, 3].map(complete))) claimed.push(...batch);
    }
    assertEqual(rising(claimed), ids.slice(0, 9), 'the claimed templates');
    await storage.unitOfWork.run(async (tx) => {
      assertEqual(await tx.templates.claim(ids[0]!), null, 'the claim of a complete one');
      assertEqual((await tx.templates.claim(ids[9]!))?.status, 'PENDING', 'the claim of a pending one');
      assertEqual(await tx.templates.claim(999_999), null, 'the claim of an unknown one');
    });
  }),
  rule(
    'the versions of a template are read newest first, below a number, without those of others',
    async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const { id } = await makeCompany(tx);
        const [one, other] = [await tx.templates.insert(newTemplate(id)), await tx.templates.insert(newTemplate(id))];
        const version = { ended_at_ms: 8_000, ended_by: 'key:1', request_id: null, state: templateStateOf(one) };
        const kept = [1, 2, 3].map((number) => ({ ...version, template_id: one.id, version: number }));
        for (const ended of kept) await tx.templates.keepVersion(ended);
        await tx.templates.keepVersion({ ...version, template_id: other.id, version: 2 });
        assertEqual(await tx.templates.versionsBelow(one.id, 4, 2), [kept[2], kept[1]], 'the newest two');
        assertEqual(await tx.templates.versionsBelow(one.id, 3, 5), [kept[1], kept[0]], 'those below 3');
        assertEqual(await tx.templates.versionsBelow(one.id, 1, 5), [], 'those below the first');
      });
    },
  ),
];

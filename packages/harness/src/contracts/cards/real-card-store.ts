import { assert } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { type CardStorage, everyPage, idsOf, makeCard, makeCompany, newRealCard } from '../storage/storage.ts';

export const real_card_store_contract: readonly ContractRule<CardStorage>[] = [
  rule('a real card is read as it was inserted, by its company only', async ({ unitOfWork }) => {
    await unitOfWork.run(async (tx) => {
      const [mine, other] = [await makeCompany(tx), await makeCompany(tx)];
      const details = newRealCard(mine.id, { network_data_names: ['Purchase Type'], velocity_enabled: false });
      const inserted = await tx.real_cards.insert(details);
      assertEqual(inserted, { ...details, id: inserted.id }, 'what was inserted');
      assertEqual(await tx.real_cards.find(mine.id, inserted.id), inserted, 'what its company finds');
      assertEqual(await tx.real_cards.find(other.id, inserted.id), null, 'what another company finds');
      assertEqual(await tx.real_cards.findDefault(mine.id), null, 'the default of the company');
      assertEqual((await tx.real_cards.list(mine.id, { limit: 5 })).items, [inserted], 'its list');
      assertEqual((await tx.real_cards.list(other.id, { limit: 5 })).items, [], 'the list of another company');
    });
  }),
  rule(
    'a list contains each real card once, newest first; without a company it contains the cards of all companies',
    async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const [mine, other] = [await makeCompany(tx), await makeCompany(tx)];
        const made: number[] = [];
        for (let at = 0; at < 6; at += 1) {
          made.unshift((await tx.real_cards.insert(newRealCard(at < 4 ? mine.id : other.id))).id);
        }
        assertEqual(
          idsOf(await everyPage((page) => tx.real_cards.list(mine.id, page), 3)),
          made.slice(2),
          'the cards of one company',
        );
        assertEqual(idsOf((await tx.real_cards.list(null, { limit: 6 })).items), made, 'the cards of all');
      });
    },
  ),
  rule('a company has one default, the last one that was set, also after concurrent changes', async (storage) => {
    const processes = [storage, await anotherOf(storage)];
    const { id } = await storage.unitOfWork.run((tx) => makeCompany(tx));
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        processes[at % 2]!.unitOfWork.run((tx) => tx.real_cards.insert(newRealCard(id, { is_default: true }))),
      ),
    );
    await storage.unitOfWork.run(async (tx) => {
      const { items } = await tx.real_cards.list(id, { limit: 20 });
      assertEqual(items.length, made.length, 'how many were inserted');
      const defaults = items.filter(({ is_default }) => is_default);
      assertEqual(defaults.length, 1, 'how many are the default');
      assertEqual(await tx.real_cards.findDefault(id), defaults[0], 'the default');
      const next = await tx.real_cards.insert(newRealCard(id, { is_default: true }));
      assertEqual((await tx.real_cards.findDefault(id))?.id, next.id, 'the default after another insert');
      const other = await makeCompany(tx);
      assert((await tx.real_cards.findDefault(other.id)) === null, 'the default of one company is that of another');
    });
  }),
  rule(
    'the cards of each real card are counted, and those of all companies in an account range',
    async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const counts: (readonly [id: number, account_range: string, cards: number])[] = [];
        const before = await tx.real_cards.countIssued('4775');
        for (const [account_range, cards] of [
          ['477512', 2],
          ['4775123456', 1],
          ['477599', 0],
        ] as const) {
          const company_id = (await makeCompany(tx)).id;
          const { id } = await tx.real_cards.insert(newRealCard(company_id, { account_range }));
          for (let at = 0; at < cards; at += 1) await makeCard(tx, { company_id, rcn_id: id });
          counts.push([id, account_range, cards]);
        }
        const usage = await tx.real_cards.usage();
        const made = usage.filter(({ id }) => counts.some(([one]) => one === id));
        assertEqual(
          made.map(({ id, account_range, cards }) => [id, account_range, cards]),
          counts,
          'the cards of each',
        );
        assertEqual(await tx.real_cards.countIssued('477512'), 3, 'in a range that contains another');
        assertEqual(await tx.real_cards.countIssued('4775123456'), 1, 'in the range within it');
        assertEqual(await tx.real_cards.countIssued('4775'), before + 3, 'in all of them');
      });
    },
  ),
];

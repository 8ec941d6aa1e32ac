import { assert, Fault, machine_timers, money, Refusal, Violation } from '@tallystick/kernel';
import { assertEqual, assertRejects } from '../assertions.ts';
import { anotherOf, type ContractRule, rule, ruleThatNeeds } from '../rule.ts';
import { type CardStorage, type CardStores, makeCard, makeCompany, makeOwner, newRealCard } from './storage.ts';

export const unit_of_work_contract: readonly ContractRule<CardStorage>[] = [
  rule('everything that was written is visible once the work has resolved', async ({ unitOfWork }) => {
    const company = await unitOfWork.run((tx) => makeCompany(tx, 'Kept'));
    assertEqual(await unitOfWork.read((tx) => tx.companies.find(company.id)), company, 'the company');
  }),
  rule('nothing is written when the work rejects; a refusal and a violation pass through', async ({ unitOfWork }) => {
    for (const error of [new Refusal('not_found', 'no'), new Violation('bug')]) {
      let id = 0;
      const work = unitOfWork.run(async (tx) => {
        id = (await makeCompany(tx, 'Dropped')).id;
        throw error;
      });
      await assertRejects(work, (thrown) => thrown === error, error.name);
      assertEqual(await unitOfWork.run((tx) => tx.companies.find(id)), null, 'the company');
    }
  }),
  rule('an error of the storage arrives as a fault, without the values that were written', async ({ unitOfWork }) => {
    const card = newRealCard(999_999, { alias: 'secret-looking-name' });
    const isExpected = (error: unknown) =>
      error instanceof Fault && !error.retryable && !/secret-looking-name|999999/.test(error.message);
    await assertRejects(
      unitOfWork.run((tx) => tx.real_cards.insert(card)),
      isExpected,
      'a real card of an unknown company',
    );
  }),
  rule('failed work does not affect the next work', async ({ unitOfWork }) => {
    const failed = unitOfWork.run(async () => {
      throw new Refusal('not_found', 'no');
    });
    await assertRejects(failed, (error) => error instanceof Refusal, 'the work that fails');
    assertEqual((await unitOfWork.run((tx) => makeCompany(tx, 'After'))).name, 'After', 'the next work');
  }),
  ruleThatNeeds(
    'refused_nesting',
    'a transaction or a pass of the ledger within a transaction is a violation',
    async ({ unitOfWork, ledger }) => {
      const pass = () =>
        ledger.pass([], () => {
          throw new Error('the fold was called');
        });
      const inner = { run: () => unitOfWork.run(async () => 1), read: () => unitOfWork.read(async () => 1), pass };
      for (const [name, work] of Object.entries(inner)) {
        await assertRejects(unitOfWork.run<unknown>(work), (error) => error instanceof Violation, `${name} in a run`);
        await assertRejects(unitOfWork.read<unknown>(work), (error) => error instanceof Violation, `${name} in a read`);
      }
    },
  ),
  rule('a write in work that only reads is an error, and is not stored', async ({ unitOfWork }) => {
    const card = await unitOfWork.run(async (tx) => makeCard(tx, await makeOwner(tx)));
    const { id, company_id, rcn_id } = card;
    const changed = { ...card, total_card_amount: money(5) };
    const writes: ((tx: CardStores) => Promise<unknown>)[] = [
      (tx) => makeCard(tx, { company_id, rcn_id }),
      async (tx) => {
        await tx.cards.find(company_id, id, { for_update: true });
        await tx.cards.update(changed);
      },
    ];
    for (const write of writes) await assertRejects(unitOfWork.read(write), () => true, 'a write');
    const found = await unitOfWork.read((tx) => tx.cards.list(company_id, {}, { limit: 10 }));
    assertEqual(found.items, [card], 'the cards of the company');
  }),
  ruleThatNeeds(
    'concurrent_transactions',
    'work that only reads sees one state, and does not make a writer wait',
    async (storage) => {
      const other = await anotherOf(storage);
      const [begun, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const reading = storage.unitOfWork.read(async (tx) => {
        const before = await tx.companies.list({ limit: 100 });
        begun.resolve();
        await written.promise;
        return [before, await tx.companies.list({ limit: 100 })] as const;
      });
      await begun.promise;
      await other.unitOfWork.run((tx) => makeCompany(tx, 'Meanwhile'));
      written.resolve();
      const [before, after] = await reading;
      assertEqual(after, before, 'the companies, read twice');
      const { items } = await storage.unitOfWork.read((tx) => tx.companies.list({ limit: 1 }));
      assertEqual(items[0]?.name, 'Meanwhile', 'the newest company afterwards');
    },
  ),
  ruleThatNeeds(
    'concurrent_transactions',
    'work that only reads does not wait for a writer, and sees only committed data',
    async (storage) => {
      const other = await anotherOf(storage);
      const [written, read] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
      const writing = storage.unitOfWork.run(async (tx) => {
        written.resolve((await makeCompany(tx, 'Not yet')).id);
        await read.promise;
      });
      const id = await written.promise;
      const found = await other.unitOfWork.read((tx) => tx.companies.find(id));
      read.resolve();
      await writing;
      assertEqual(found, null, 'the company before its commit');
    },
  ),
  ruleThatNeeds(
    'concurrent_transactions',
    'work that only reads does not wait for writers of its own process, and sees what was committed before',
    async ({ unitOfWork }) => {
      const before = await unitOfWork.run((tx) => makeCompany(tx, 'Before'));
      const written = Promise.withResolvers<number>();
      let is_read = false;
      const writing = unitOfWork.run(async (tx) => {
        const { id } = await makeCompany(tx, 'Not yet');
        written.resolve(id);
        // Ends also when the reader waits for it.
        for (let turn = 0; !is_read && turn < 100_000; turn += 1) await machine_timers.nextTurn();
      });
      const waiting = unitOfWork.run((tx) => makeCompany(tx, 'Waiting'));
      const id = await written.promise;
      const found = await unitOfWork.read(async (tx) => [
        await tx.companies.find(before.id),
        await tx.companies.find(id),
      ]);
      is_read = true;
      await Promise.all([writing, waiting]);
      assertEqual(found, [before, null], 'the company that was committed before, and the one of the writer');
    },
  ),
  rule('no update is lost when many processes read for update, then write', async (storage) => {
    const processes = [storage, await anotherOf(storage), await anotherOf(storage)];
    const { id, company_id } = await storage.unitOfWork.run(async (tx) =>
      makeCard(tx, await makeOwner(tx), { total_card_amount: money(1) }),
    );
    const add = (at: number) =>
      processes[at % processes.length]!.unitOfWork.run(async ({ cards }) => {
        const card = (await cards.find(company_id, id, { for_update: true }))!;
        await cards.update({ ...card, total_card_amount: money(card.total_card_amount + 1) });
      });
    await Promise.all(Array.from({ length: 60 }, (_, at) => add(at)));
    const card = await storage.unitOfWork.read(({ cards }) => cards.find(company_id, id));
    assertEqual(card?.total_card_amount, 61, 'the sum of 60 additions to 1');
  }),
  {
    rule: 'an open transaction ends before its process closes, and none begins afterwards',
    async check(open) {
      for (const fails of [false, true]) {
        const closing = await anotherOf(await open());
        const opened = Promise.withResolvers<void>();
        const work = closing.unitOfWork.run(async (tx) => {
          opened.resolve();
          for (let at = 0; at < 5; at += 1) await makeCompany(tx, 'Closing');
          if (fails) throw new Refusal('not_found', 'no');
        });
        await opened.promise;
        const [outcome] = await Promise.all([Promise.allSettled([work]), closing.close(), closing.close()]);
        assertEqual(outcome[0].status, fails ? 'rejected' : 'fulfilled', 'the open transaction');
        await assertRejects(
          closing.unitOfWork.run((tx) => makeCompany(tx)),
          () => true,
          'a transaction after the end',
        );
      }
    },
  },
  rule('two concurrent works of one process both commit', async ({ unitOfWork }) => {
    const names = ['one', 'two', 'three'];
    const made = await Promise.all(names.map((name) => unitOfWork.run((tx) => makeCompany(tx, name))));
    assert(new Set(made.map(({ id }) => id)).size === names.length, 'two companies have one id');
    for (const company of made) {
      assertEqual(await unitOfWork.read((tx) => tx.companies.find(company.id)), company, company.name);
    }
  }),
];

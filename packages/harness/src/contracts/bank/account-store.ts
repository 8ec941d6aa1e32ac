import type { Account, LineKey, ReferencedKey, ReportedPlace, Statement, StatementLine } from '@tallystick/accounts';
import { money, type PageRequest, page_limit_max } from '@tallystick/kernel';
import { assertEqual, assertRejects, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { everyPage, idsOf, makeCompany, rising, type StorageTx, type StorageUnderTest } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

/** An account with a number that no other has. */
export function newAccount(company_id: number, changes: Partial<Account> = {}): Omit<Account, 'id'> {
  return {
    company_id,
    number: `acct${uniqueNumber()}`,
    currency: 'USD',
    kind: 'deposit',
    name: null,
    created_at_ms: 0,
    first_statement: null,
    last_statement: null,
    ...changes,
  };
}

type Owned = Pick<Account, 'id' | 'company_id'>;

export function newStatement({ id, company_id }: Owned, changes: Partial<Statement> = {}): Omit<Statement, 'id'> {
  return {
    account_id: id,
    company_id,
    as_of: '2026-05-20',
    position: 0,
    reference: null,
    opening_balance: money(1_000),
    closing_balance: money(-500),
    first_booking_date: null,
    covers_from: null,
    import_id: null,
    recorded_at_ms: 5,
    ...changes,
  };
}

/** A line of the account, of no statement. */
export function newLine({ id, company_id }: Owned, changes: Partial<StatementLine> = {}): Omit<StatementLine, 'id'> {
  return {
    account_id: id,
    company_id,
    currency: 'USD',
    statement_id: null,
    place: null,
    occurrence: 1,
    bank_reference: null,
    booking_date: '2026-05-20',
    value_date: '2026-05-21',
    amount: money(-1_500),
    bai_code: '821',
    text: 'a "line" – é😀',
    acquirer_reference: null,
    balance_after: null,
    standing: null,
    recorded_at_ms: 5,
    ...changes,
  };
}

async function makeAccount(tx: Pick<StorageTx, 'accounts' | 'companies'>): Promise<Account> {
  return await tx.accounts.insert(newAccount((await makeCompany(tx)).id));
}

function linesOf({ accounts }: Pick<StorageTx, 'accounts'>, { id }: Owned, limit: number, dates = {}) {
  return everyPage((page: PageRequest) => accounts.listLines(id, dates, page), limit);
}

export const account_store_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule('an account is read as it was inserted, by id and by number, and its ends change', async (storage) => {
    const account = await storage.unitOfWork.run(async (tx) => {
      const { id } = await makeCompany(tx);
      const details = newAccount(id, { name: 'Travel – é😀', kind: 'card', currency: 'JPY', created_at_ms: 7 });
      const inserted = await tx.accounts.insert(details);
      assertEqual(inserted, { ...details, id: inserted.id }, 'what was inserted');
      return inserted;
    });
    const ends = {
      first_statement: { as_of: '2026-05-19', balance: money(-(10 ** 14)) },
      last_statement: { as_of: '2026-05-20', balance: money(10 ** 14) },
    };
    await storage.unitOfWork.run((tx) => tx.accounts.updateEnds({ id: account.id, ...ends }));
    await (await anotherOf(storage)).unitOfWork.run(async ({ accounts }) => {
      assertEqual(await accounts.find(account.id), { ...account, ...ends }, 'by id');
      assertEqual(await accounts.findByNumber(account.number), { ...account, ...ends }, 'by number');
      assertEqual(await accounts.lockByNumber(account.number), { ...account, ...ends }, 'locked');
      assertEqual(await accounts.find(999_999_999), null, 'by an unknown id');
      assertEqual(await accounts.findByNumber(account.number.toUpperCase()), null, 'by an unknown number');
      assertEqual(await accounts.lockByNumber('none'), null, 'locked by an unknown number');
    });
  }),
  rule('a number belongs to one account, also when two processes insert it at once', async (storage) => {
    const { id } = await storage.unitOfWork.run((tx) => makeCompany(tx));
    const wanted = newAccount(id);
    const processes = [storage, await anotherOf(storage)];
    const results = await Promise.allSettled(
      processes.map(({ unitOfWork }) => unitOfWork.run((tx) => tx.accounts.insert(wanted))),
    );
    assertEqual(rising(results.map(({ status }) => Number(status === 'fulfilled'))), [0, 1], 'how many were inserted');
    const again = storage.unitOfWork.run((tx) => tx.accounts.insert(wanted));
    assertEqual((await refusalOf(again, 'a taken number')).code, 'conflict', 'the refusal');
  }),
  rule('accounts are listed newest first, of one company or of all, on pages that omit none', async (storage) => {
    await storage.unitOfWork.run(async (tx) => {
      const [mine, other] = [await makeCompany(tx), await makeCompany(tx)];
      const made: number[] = [];
      for (let at = 0; at < 6; at += 1) {
        made.unshift((await tx.accounts.insert(newAccount(at < 4 ? mine.id : other.id))).id);
      }
      const its = await everyPage((page) => tx.accounts.list({ company_id: mine.id }, page), 3);
      assertEqual(idsOf(its), made.slice(2), 'those of one company');
      assertEqual(idsOf((await tx.accounts.list({}, { limit: 6 })).items), made, 'those of all');
    });
  }),
  rule(
    'the first account of a company, kind and currency stays the first one, however many are opened',
    async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const [mine, other] = [await makeCompany(tx), await makeCompany(tx)];
        const wanted = { company_id: mine.id, kind: 'card', currency: 'EUR' } as const;
        const { accounts } = tx;
        assertEqual(await accounts.findFirst(wanted), null, 'without an account');
        await accounts.insert(newAccount(other.id, { kind: 'card', currency: 'EUR' }));
        await accounts.insert(newAccount(mine.id, { kind: 'deposit', currency: 'EUR' }));
        await accounts.insert(newAccount(mine.id, { kind: 'card', currency: 'USD' }));
        assertEqual(await accounts.findFirst(wanted), null, 'without such an account');
        const first = await accounts.insert(newAccount(mine.id, wanted));
        for (let at = 0; at < page_limit_max; at += 1) await accounts.insert(newAccount(mine.id, wanted));
        assertEqual(await accounts.findFirst(wanted), first, 'the first one');
      });
    },
  ),
  rule('statements are read in the order of their chain, with the neighbours of a date', async (storage) => {
    const account = await storage.unitOfWork.run(makeAccount);
    const other = await storage.unitOfWork.run(makeAccount);
    const wanted = [
      newStatement(account, { as_of: '2026-05-20', position: 0, reference: 'B/1', import_id: 7 }),
      newStatement(account, { as_of: '2026-05-20', position: 1 }),
      newStatement(account, { as_of: '2026-05-18', opening_balance: money(-7) }),
      newStatement(account, { as_of: '2026-05-20', position: -1 }),
      newStatement(account, { as_of: '2026-05-22', position: 3 }),
      newStatement(account, { as_of: '2026-05-22', position: 2 }),
    ];
    await storage.unitOfWork.run(async ({ accounts }) => {
      await accounts.insertStatements([...wanted, newStatement(other, { as_of: '2026-05-21' })]);
      await accounts.insertStatements([]);
    });
    await storage.unitOfWork.read(async ({ accounts }) => {
      const of_day = await accounts.statementsOf(account.id, '2026-05-20');
      const [first, second] = [wanted[3]!, wanted[0]!];
      assertEqual(of_day.map(withoutId), [first, second, wanted[1]!], 'those of a day');
      assertEqual(await accounts.statementsOf(account.id, '2026-05-21'), [], 'those of another day');
      const before = async (as_of: string) => withoutId(await accounts.statementBefore(account.id, as_of));
      const after = async (as_of: string) => withoutId(await accounts.statementAfter(account.id, as_of));
      assertEqual(await before('2026-05-18'), null, 'before the first');
      assertEqual(await before('2026-05-20'), wanted[2], 'before a day');
      assertEqual(await before('2026-05-22'), wanted[1], 'the last before a day');
      assertEqual(await before('9999-12-31'), wanted[4], 'the last of all');
      const opening = async (as_of: string, balance: number) =>
        withoutId(await accounts.statementOpening(account.id, as_of, money(balance)));
      assertEqual(await opening('2026-05-22', 1_000), wanted[1], 'the last one that opens with a balance');
      assertEqual(await opening('2026-05-20', 1_000), null, 'none that opens with it before a date');
      assertEqual(await opening('9999-12-31', -7), wanted[2], 'the only one that opens with a balance');
      assertEqual(await after('2026-05-22'), null, 'after the last');
      assertEqual(await after('2026-05-20'), wanted[5], 'the first after a day');
      assertEqual(await after(''), wanted[2], 'the first of all');
    });
  }),
  rule('two statements of an account and a date have two positions', async (storage) => {
    const account = await storage.unitOfWork.run(makeAccount);
    const insert = () => storage.unitOfWork.run((tx) => tx.accounts.insertStatements([newStatement(account)]));
    await insert();
    await assertRejects(insert(), () => true, 'the same position');
  }),
  rule('lines are recorded once, by bank reference or by place, and known ones stay as they are', async (storage) => {
    const account = await storage.unitOfWork.run(makeAccount);
    const other = await storage.unitOfWork.run(makeAccount);
    const [statement, later] = await storage.unitOfWork.run(async ({ accounts }) => {
      await accounts.insertStatements([newStatement(account), newStatement(account, { position: 1 })]);
      return await accounts.statementsOf(account.id, '2026-05-20');
    });
    const of = (place: number, changes: Partial<StatementLine> = {}) =>
      newLine(account, { statement_id: statement!.id, place, ...changes });
    const record = (lines: readonly Omit<StatementLine, 'id'>[]) =>
      storage.unitOfWork.run(({ accounts }) => accounts.recordLines(lines));
    const first = [
      of(1, { bank_reference: 'R "1" 😀', amount: money(-(10 ** 12)), acquirer_reference: '1'.repeat(23) }),
      of(2),
      newLine(account, { bank_reference: 'R2', text: '' }),
      newLine(other, { bank_reference: 'R2' }),
    ];
    const keysOf = (lines: readonly LineKey[]) =>
      lines
        .map(({ account_id, bank_reference, booking_date, amount, bai_code, occurrence, statement_id, place }) =>
          JSON.stringify([account_id, bank_reference, booking_date, amount, bai_code, occurrence, statement_id, place]),
        )
        .toSorted();
    assertEqual(keysOf(await record(first)), keysOf(first), 'the new ones');
    assertEqual(await record([]), [], 'none');
    const changed = { amount: money(5), text: 'another' };
    const again = [
      newLine(account, { bank_reference: 'R2', text: 'another', statement_id: later!.id, place: 9 }),
      of(2, changed),
      of(1, { bank_reference: 'R9', ...changed }),
      of(3),
      newLine(account, { statement_id: later!.id, place: 2 }),
      newLine(account, { bank_reference: 'R3' }),
      newLine(account, { bank_reference: 'R3' }),
      newLine(account),
      newLine(account),
    ];
    const added = [again[3]!, again[4]!, again[5]!, again[7]!, again[8]!];
    assertEqual(keysOf(await record(again)), keysOf(added), 'the new ones of the second time');
    const ofLater = { ...first[2]!, statement_id: later!.id, place: 9 };
    await (await anotherOf(storage)).unitOfWork.read(async (tx) => {
      const { accounts } = tx;
      const listed = await linesOf(tx, account, 2);
      assertEqual(
        listed.map(withoutId).toReversed(),
        [first[0], first[1], ofLater, again[3], again[4], again[5], again[7], again[8]],
        'the lines in the order of their ids',
      );
      const [account_id, statement_id] = [account.id, statement!.id];
      const references = ['R "1" 😀', 'R2', 'r2', 'R9'].map((bank_reference) => ({ account_id, bank_reference }));
      const by_reference = await accounts.linesByReference(references);
      assertEqual(rising(idsOf(by_reference)), [listed[7]!.id, listed[5]!.id], 'by reference');
      assertEqual(await accounts.linesByReference([]), [], 'by no reference');
      assertEqual(await accounts.lastPlace(statement_id), 3, 'the last place');
      assertEqual(await accounts.lastPlace(999_999_999), 0, 'the last place of no line');
    });
  }),
  rule(
    'lines that the bank reported by itself differ where a statement covers their date and does not have them',
    async (storage) => {
      const [account, other] = await storage.unitOfWork.run(async (tx) => [
        await makeAccount(tx),
        await makeAccount(tx),
      ]);
      const wanted = [
        newStatement(account, { as_of: '2026-05-12', covers_from: '2026-05-10' }),
        newStatement(account, { as_of: '2026-05-14' }),
        newStatement(account, { as_of: '2026-05-14', position: 1 }),
        newStatement(account, { as_of: '2026-05-16' }),
      ];
      const chain = await storage.unitOfWork.run(async ({ accounts }) => {
        await accounts.insertStatements(wanted);
        return await accounts.statementsBetween(account.id, '2026-05-12', '2026-05-16');
      });
      assertEqual(chain.map(withoutId), wanted, 'the statements between two dates, both included');
      const dates = Array.from({ length: 9 }, (_, at) => `2026-05-${String(at + 9).padStart(2, '0')}`);
      const report = (owner: Owned, references: readonly string[]) =>
        storage.unitOfWork.run(({ accounts }) =>
          accounts.recordLines(
            references.map((bank_reference) =>
              newLine(owner, { bank_reference, booking_date: `2026-05-${bank_reference.slice(-2)}` }),
            ),
          ),
        );
      const references = dates.map((date) => `R${date.slice(-2)}`);
      await report(account, references);
      await report(other, references);
      const compareAll = async (owner: Owned, limit = 100): Promise<number> => {
        const dates = { account_id: owner.id, from: '2026-05-01', to: '2026-05-31' };
        let [transactions, place]: [number, ReportedPlace | null] = [0, null];
        do {
          const after: ReportedPlace | null = place;
          place = await storage.unitOfWork.run(
            async ({ accounts }): Promise<ReportedPlace | null> => accounts.compareReported(dates, after, limit),
          );
          transactions += 1;
        } while (place !== null);
        return transactions;
      };
      const differing = (owner: Owned) =>
        storage.unitOfWork.read(async (tx) =>
          (await linesOf(tx, owner, 50))
            .filter(({ standing }) => standing === 'differs')
            .map(({ booking_date }) => Number(booking_date.slice(-2)))
            .toSorted((a, b) => a - b),
        );
      assertEqual([await compareAll(account, 2), await compareAll(other)], [5, 1], 'some at a time');
      assertEqual(await differing(account), [10, 11, 12], 'where only the first statement covers');
      assertEqual(await differing(other), [], 'on an account without statements');
      await storage.unitOfWork.run(({ accounts }) =>
        accounts.updateCoverage([
          { id: chain[0]!.id, covers_from: '2026-05-12' },
          { id: chain[1]!.id, covers_from: '2026-05-13' },
          { id: chain[3]!.id, covers_from: '2026-05-16' },
        ]),
      );
      const only = { account_id: account.id, from: '2026-05-14', to: '2026-05-14' };
      await storage.unitOfWork.run(({ accounts }) => accounts.compareReported(only, null, 100));
      assertEqual(await differing(account), [10, 11, 12, 14], 'of one day');
      const places = [account, other].flatMap(({ id }) =>
        dates.map((booking_date) => ({ account_id: id, booking_date })),
      );
      const covered = await storage.unitOfWork.read(({ accounts }) => accounts.areCovered(places));
      assertEqual(
        places.filter((_, at) => covered[at]).map(({ booking_date }) => Number(booking_date.slice(-2))),
        [12, 13, 14, 16],
        'the covered dates',
      );
      await compareAll(account);
      assertEqual(await differing(account), [12, 13, 14, 16], 'where statements cover, between holes');
      const stated = newLine(account, {
        bank_reference: 'R13',
        booking_date: '2026-05-13',
        statement_id: chain[2]!.id,
      });
      await storage.unitOfWork.run(({ accounts }) => accounts.recordLines([{ ...stated, place: 1 }]));
      assertEqual(await differing(account), [12, 14, 16], 'without the one that a statement has after all');
      await compareAll(account);
      assertEqual(await differing(account), [12, 14, 16], 'which a statement has');
      const shown = await storage.unitOfWork.read(({ bank }) => bank.transactionsOf(account.id, {}, { limit: 20 }));
      assertEqual(
        shown.items.map(({ booking_date }) => Number(booking_date.slice(-2))),
        [17, 15, 13, 11, 10, 9],
        'the transactions that people see',
      );
    },
  ),
  rule(
    'a bank reference has several lines, which differ in date, amount, code or occurrence, and one of no statement',
    async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const { accounts } = tx;
        const [account, other] = [await makeAccount(tx), await makeAccount(tx)];
        await accounts.insertStatements([newStatement(account)]);
        const [statement] = await accounts.statementsOf(account.id, '2026-05-20');
        let place = 0;
        const stated = (changes: Partial<StatementLine>) => {
          place += 1;
          return newLine(account, { bank_reference: 'R', statement_id: statement!.id, place, ...changes });
        };
        const different = [
          stated({}),
          stated({ booking_date: '2026-05-21' }),
          stated({ amount: money(1_500) }),
          stated({ bai_code: '825' }),
          stated({ occurrence: 2 }),
          stated({ bank_reference: 'r' }),
          newLine(account, { bank_reference: 'R', amount: money(3) }),
          newLine(other, { bank_reference: 'R' }),
        ];
        const refused = [
          stated({ value_date: '2026-05-30', text: 'another' }),
          newLine(account, { bank_reference: 'R' }),
          newLine(account, { bank_reference: 'R', amount: money(4) }),
        ];
        assertEqual((await accounts.recordLines([...different, ...refused])).length, different.length, 'the new ones');
        const [first, second] = different as unknown as readonly [ReferencedKey, ReferencedKey];
        const missing = { ...first, occurrence: 3 };
        const by_key = await accounts.linesByKey([second, missing, first]);
        assertEqual(rising(by_key.map((line) => line.place!)), [1, 2], 'by key');
        assertEqual(await accounts.linesByKey([]), [], 'by no key');
        const reference = { account_id: account.id, bank_reference: 'R' };
        const unknown = [
          { account_id: account.id, bank_reference: 'R ' },
          { account_id: other.id, bank_reference: 'r' },
        ];
        const by_reference = await accounts.linesByReference([...unknown, reference]);
        const reported = by_reference.map(({ amount }) => amount as number);
        assertEqual(reported, [3], 'by reference: the one that the bank reported');
      });
    },
  ),
  rule(
    'lines without a bank reference are counted by account, booking date, amount and code',
    async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const { accounts } = tx;
        const [account, other] = [await makeAccount(tx), await makeAccount(tx)];
        const content = { booking_date: '2026-05-20', amount: money(-(10 ** 12)), bai_code: '824' };
        await accounts.recordLines([
          newLine(account, content),
          newLine(account, { ...content, value_date: '2026-05-30', text: 'another' }),
          newLine(account, { ...content, bai_code: '821' }),
          newLine(account, { ...content, amount: money(10 ** 12) }),
          newLine(account, { ...content, booking_date: '2026-05-21' }),
          newLine(account, { ...content, bank_reference: 'R' }),
          newLine(other, content),
        ]);
        const contents = [{ ...content, bai_code: '821' }, content, { ...content, amount: money(1) }, content];
        assertEqual(await accounts.countUnreferenced(account.id, contents), [1, 2, 0, 2], 'how many of each');
        assertEqual(await accounts.countUnreferenced(account.id, []), [], 'of none');
      });
    },
  ),
  rule(
    'of two processes that lock an account, the second one sees the lines that the first one recorded',
    async (storage) => {
      const account = await storage.unitOfWork.run(makeAccount);
      const later = await storage.unitOfWork.run(makeAccount);
      const reference = { account_id: account.id, bank_reference: 'R' };
      const processes = [storage, await anotherOf(storage)];
      await Promise.all(
        processes.map(({ unitOfWork }, at) =>
          unitOfWork.run(async ({ accounts }) => {
            await accounts.lockAll(at === 0 ? [later.id, account.id] : [account.id, later.id, account.id]);
            if ((await accounts.linesByReference([reference])).length > 0) return;
            const place = { statement_id: 1, place: at, amount: money(at) };
            await accounts.recordLines([newLine(account, { ...reference, ...place })]);
          }),
        ),
      );
      await storage.unitOfWork.run(async ({ accounts }) => {
        await accounts.lockAll([]);
        assertEqual((await accounts.linesByReference([reference])).length, 1, 'how many were recorded');
      });
    },
  ),
  rule('a thousand lines are recorded at once, and no process records one of them a second time', async (storage) => {
    const account = await storage.unitOfWork.run(makeAccount);
    const lines = Array.from({ length: 1_000 }, (_, at) => newLine(account, { bank_reference: `N${at}` }));
    const processes = [storage, await anotherOf(storage)];
    const recorded = await Promise.all(
      processes.map(({ unitOfWork }) => unitOfWork.run(({ accounts }) => accounts.recordLines(lines))),
    );
    assertEqual(rising(recorded.map(({ length }) => length)), [0, 1_000], 'how many each process recorded');
  }),
  rule(
    'the lines of an account are listed by booking date, newest first, within dates, on pages that omit none',
    async (storage) => {
      await storage.unitOfWork.run(async (tx) => {
        const [account, other] = [await makeAccount(tx), await makeAccount(tx)];
        const days = ['2026-05-20', '2026-05-18', '2026-05-20', '2026-05-19', '2026-05-20', '2026-05-21'];
        await tx.accounts.recordLines(days.map((booking_date) => newLine(account, { booking_date })));
        await tx.accounts.recordLines([newLine(other)]);
        const all = await linesOf(tx, account, 2);
        assertEqual(
          all.map(({ booking_date }) => booking_date),
          days.toSorted().toReversed(),
          'the dates',
        );
        const of_day = all.filter(({ booking_date }) => booking_date === '2026-05-20');
        assertEqual(idsOf(of_day), rising(idsOf(of_day)).toReversed(), 'the lines of one date');
        const within = await linesOf(tx, account, 1, { from: '2026-05-19', to: '2026-05-20' });
        assertEqual(idsOf(within), idsOf(all.slice(1, 5)), 'those within dates');
        assertEqual(
          (await tx.accounts.listLines(account.id, {}, { limit: 2, offset: 4 })).items,
          all.slice(4),
          'skipped',
        );
        const foreign = tx.accounts.listLines(account.id, {}, { limit: 2, after: 'none' });
        assertEqual((await refusalOf(foreign, 'no cursor')).code, 'invalid_query', 'the refusal');
      });
    },
  ),
];

function withoutId<Row extends { readonly id: number }>(row: Row | null): Omit<Row, 'id'> | null {
  if (row === null) return null;
  const { id: _, ...fields } = row;
  return fields;
}

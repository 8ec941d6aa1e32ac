import type { StatementLine } from '@tallystick/accounts';
import { money } from '@tallystick/kernel';
import { type Item, itemIdOf, noItemChanges } from '@tallystick/reconciliation';
import { assertEqual } from '../assertions.ts';
import { newAccount, newLine, newStatement } from '../bank/account-store.ts';
import type { ContractRule } from '../rule.ts';
import { makeCompany, rising, type StorageUnderTest } from '../storage/storage.ts';
import { newItem } from './new-item.ts';
import { newPeriod } from './new-period.ts';

const day = '2026-05-20';

/** Lines that the bank reported by itself and that differ from their statement. */
export const bank_lines_contract: readonly ContractRule<StorageUnderTest>[] = [
  {
    rule: 'a line that differs is read with the line of a statement, is kept and let go, and enters the inbox each time',
    async check(open) {
      const world = await BankLines.on(await open());
      const [card, other, agreeing] = await world.report(['R', {}], ['N', { bai_code: '475' }], ['Q', {}]);
      await world.take();
      await world.state(['Q', {}]);
      assertEqual(await world.take(), [], 'what changes for a line that a statement has');
      await world.compare();
      assertEqual(await world.take(), rising([card!, other!]), 'the lines that differ');
      assertEqual(await world.read([card!, other!]), ['differs null', 'differs null'], 'without another line');
      const before = await world.state(['R', { booking_date: '2026-05-19' }]);
      assertEqual(await world.take(), rising([card!, ...before]), 'a line with the reference of one that differs');
      assertEqual(await world.read([card!]), [`differs ${before[0]}`], 'an earlier line');
      const later = { booking_date: '2026-05-21' };
      const after = await world.state(
        ['R', { ...later, amount: money(-1_000) }],
        ['R', { ...later, amount: money(-1_501) }],
      );
      assertEqual(await world.read([card!]), [`differs ${after[1]}`], 'the nearest of the later lines');
      const same = await world.state(['R', { amount: money(1) }], ['N', { amount: money(1), bai_code: '142' }]);
      assertEqual(
        await world.read([card!, other!]),
        same.map((id) => `differs ${id}`),
        'lines of the same date',
      );
      await world.take();
      await world.keep([card!, other!, agreeing!], true, world.company_id + 1_000_000);
      assertEqual(await world.take(), [], 'what another company keeps');
      await world.keep([card!, other!, agreeing!], true);
      assertEqual(await world.read([card!, other!, agreeing!]), ['kept null', 'kept null', 'null null'], 'kept');
      assertEqual(await world.take(), rising([card!, other!]), 'the lines that were kept');
      await world.compare();
      assertEqual(await world.take(), [], 'a kept line stays so');
      assertEqual(
        await world.walked([card!, other!, agreeing!]),
        [card!, other!, agreeing!],
        'lines that have an item',
      );
      await world.keep([other!], false);
      assertEqual(await world.read([other!]), [`differs ${same[1]}`], 'let go');
      assertEqual(await world.walked([other!]), [other!], 'a line of no card that differs');
      await world.state(['N', { bai_code: '475' }]);
      assertEqual(await world.read([other!]), ['null null'], 'of a statement after all');
      assertEqual(await world.walked([other!]), [], 'a line of no card that a statement has');
    },
  },
  {
    rule: 'closing a period keeps the lines of its items as they are, and reopening compares them again',
    async check(open) {
      const world = await BankLines.on(await open());
      const { company_id, storage } = world;
      const [matched, differing, kept, open_id] = await world.report(['M', {}], ['D', {}], ['K', {}], ['O', {}]);
      await world.compare();
      await world.keep([kept!], true);
      const items = [matched!, differing!, kept!, open_id!].map((id, at): Item => {
        const status = (['matched', 'accepted', 'matched', 'break'] as const)[at]!;
        const kind = at % 2 === 0 ? null : 'bank_line_differs';
        const own_id = itemIdOf({ kind: 'line', id });
        return newItem({ company_id, id: own_id, status, kind, line_ids: [id], period_date: day });
      });
      const period = await storage.unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        await reconciliation.write({ ...noItemChanges(company_id), inserted: items });
        const made = await reconciliation.insertPeriod(newPeriod(company_id, day));
        await reconciliation.freeze(made, items.slice(0, 3));
        return made;
      });
      const all = [matched!, differing!, kept!, open_id!];
      const frozen = ['frozen null', 'differs null', 'kept null', 'differs null'];
      assertEqual(await world.read(all), frozen, 'in the closed period');
      await world.compare();
      assertEqual(await world.read(all), frozen, 'a frozen line stays so');
      await storage.unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        assertEqual((await reconciliation.unfreeze(period, 10)).length, 3, 'the items that change again');
      });
      assertEqual(await world.read(all), ['differs null', ...frozen.slice(1)], 'once it is reopened');
    },
  },
];

type Named = readonly [bank_reference: string, changes: Partial<StatementLine>];

/** An account with a statement of one day, and what the bank reports beside it. */
class BankLines {
  readonly storage: StorageUnderTest;
  readonly company_id: number;
  readonly #account_id: number;
  readonly #statement_id: number;
  #place = 0;

  private constructor(storage: StorageUnderTest, company_id: number, account_id: number, statement_id: number) {
    this.storage = storage;
    this.company_id = company_id;
    this.#account_id = account_id;
    this.#statement_id = statement_id;
  }

  static async on(storage: StorageUnderTest): Promise<BankLines> {
    return await storage.unitOfWork.run(async (tx) => {
      const company = await makeCompany(tx);
      const account = await tx.accounts.insert(newAccount(company.id));
      const [statement] = await tx.accounts.insertStatements([newStatement(account, { as_of: day, covers_from: day })]);
      return new BankLines(storage, company.id, account.id, statement!.id);
    });
  }

  /** Lines that the bank reports. Returns their ids. */
  report(...lines: readonly Named[]): Promise<readonly number[]> {
    return this.#record(lines, () => ({}));
  }

  /** Lines of the statement. Returns their ids. */
  state(...lines: readonly Named[]): Promise<readonly number[]> {
    return this.#record(lines, () => {
      this.#place += 1;
      return { statement_id: this.#statement_id, place: this.#place };
    });
  }

  async #record(lines: readonly Named[], placeOf: () => Partial<StatementLine>): Promise<readonly number[]> {
    const owner = { id: this.#account_id, company_id: this.company_id };
    const rows = lines.map(([bank_reference, changes]) => ({
      ...newLine(owner, { booking_date: day, bank_reference, ...changes, ...placeOf() }),
      bank_reference,
    }));
    return await this.storage.unitOfWork.run(async ({ accounts }) => {
      await accounts.recordLines(rows);
      const found = await accounts.linesByKey(rows);
      return rows.map((row) => found.find((one) => isOf(one, row))!.id);
    });
  }

  async compare(): Promise<void> {
    const dates = { account_id: this.#account_id, from: day, to: day };
    await this.storage.unitOfWork.run(({ accounts }) => accounts.compareReported(dates, null, 100));
  }

  keep(line_ids: readonly number[], is_kept: boolean, company_id: number = this.company_id): Promise<void> {
    return this.storage.unitOfWork.run(({ reconciliation }) => reconciliation.keepLines(company_id, line_ids, is_kept));
  }

  /** Takes the lines in the inbox. Returns their ids, ascending. */
  async take(): Promise<readonly number[]> {
    const taken = await this.storage.unitOfWork.run(async ({ reconciliation }) => {
      await reconciliation.lockCompany(this.company_id);
      return await reconciliation.takeArrivals(this.company_id, 100);
    });
    return rising(taken.records.map(({ id }) => id));
  }

  /** How lines stand, and the line of the statement, in the order of the ids. */
  async read(ids: readonly number[]): Promise<readonly string[]> {
    const lines = await this.storage.unitOfWork.read((tx) => tx.reconciliation.lines(this.company_id, ids));
    return ids.map((id) => {
      const { standing, statement_line_id } = lines.find((line) => line.id === id)!;
      return `${standing} ${statement_line_id}`;
    });
  }

  /** Which of these a walk over all lines that can have an item finds. */
  async walked(ids: readonly number[]): Promise<readonly number[]> {
    const found = await this.storage.unitOfWork.read((tx) =>
      tx.reconciliation.recordsAfter(this.company_id, 'line', 0, 100),
    );
    return ids.filter((id) => found.includes(id));
  }
}

function isOf(one: StatementLine, row: Omit<StatementLine, 'id'>): boolean {
  return (['bank_reference', 'booking_date', 'amount', 'bai_code'] as const).every((name) => one[name] === row[name]);
}

import { money } from '@tallystick/kernel';
import { type LineFilter, type StatedLine, statementKeyOf } from '@tallystick/reconciliation';
import { assertEqual } from '../assertions.ts';
import { newAccount, newLine } from '../bank/account-store.ts';
import type { ContractRule } from '../rule.ts';
import { everyPage, makeCompany, type StorageUnderTest } from '../storage/storage.ts';

const codes = ['821', '825', '495', '165'];
const whole = '75432101234567890123456';
const short = statementKeyOf(whole, 'bin+sequence')!;
const references = [null, whole, short, '11112222333344445', '75432109999567890123456'];

const filters: readonly LineFilter[] = [
  {},
  { booking_date: { from: '2026-05-03' } },
  { booking_date: { from: '2026-05-03', to: '2026-05-04' } },
  { bai_code: '825' },
  { bai_code: '999' },
  { amount: { from: -4, to: -2 } },
  { amount: { to: -7 } },
  { amount: { from: 100 } },
  { amount: { from: -5 }, bai_code: '165', booking_date: { to: '2026-05-04' } },
  { reference: whole },
  { reference: short },
  { reference: '11112222333344445' },
  { reference: 'BANK 3' },
  { reference: 'BANK 3', bai_code: '165' },
  { reference: short, amount: { from: -3 } },
  { reference: 'none' },
  { text: 'öl 3' },
  { text: 'SHELL', bai_code: '165' },
  { text: 'ÖL' },
];

/**
 * Whether a line fits, but for the account; with the statement key that installations have by
 * default.
 */
function fits(line: StatedLine, { booking_date, amount, reference, bai_code, text }: LineFilter): boolean {
  const isWithin = <Value extends string | number>(value: Value, { from, to }: { from?: Value; to?: Value } = {}) =>
    value >= (from ?? value) && value <= (to ?? value);
  const keys = [line.bank_reference, statementKeyOf(line.acquirer_reference, 'bin+sequence')];
  return (
    isWithin(line.booking_date, booking_date) &&
    isWithin(line.amount as number, amount) &&
    (bai_code ?? line.bai_code) === line.bai_code &&
    (text === undefined || lowered(line.text).includes(lowered(text))) &&
    (reference === undefined || keys.includes(reference) || keys.includes(statementKeyOf(reference, 'bin+sequence')))
  );
}

const lowered = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The rules of lists of statement lines. */
export const reconciliation_lines_contract: readonly ContractRule<StorageUnderTest>[] = [
  {
    rule: 'lines are listed newest first by each filter and by several, on pages that omit none',
    async check(open) {
      const { unitOfWork } = await open();
      const [company, other] = await unitOfWork.run(async (tx) => [await makeCompany(tx), await makeCompany(tx)]);
      const accounts = await unitOfWork.run((tx) =>
        Promise.all([company!, company!, other!].map(({ id }) => tx.accounts.insert(newAccount(id)))),
      );
      await unitOfWork.run(async (tx) => {
        for (const account of accounts) {
          const lines = Array.from({ length: 40 }, (_, at) =>
            newLine(account, {
              amount: money(3 - (at % 11)),
              booking_date: `2026-05-0${1 + (at % 6)}`,
              bai_code: codes[at % codes.length]!,
              bank_reference: at % 3 === 0 ? null : `BANK ${at}`,
              acquirer_reference: references[at % references.length]!,
              balance_after: at % 2 === 0 ? null : money(at),
              text: `Shell öl ${at % 4}`,
            }),
          );
          await tx.accounts.recordLines(lines);
        }
      });
      const all = await unitOfWork.read((tx) =>
        everyPage((page) => tx.reconciliation_reports.listLines(company!.id, {}, page), 7),
      );
      assertEqual(all.length, 80, 'the lines of both accounts');
      const numbers = accounts.map(({ number }) => number);
      for (const account_id of [undefined, numbers[1]!, numbers[2]!]) {
        for (const plain of filters) {
          const filter = account_id === undefined ? plain : { ...plain, account_id };
          const expected = all
            .filter((line) => (account_id ?? line.account_number) === line.account_number && fits(line, plain))
            .sort((a, b) =>
              a.booking_date === b.booking_date ? b.id - a.id : a.booking_date < b.booking_date ? 1 : -1,
            );
          const found = await unitOfWork.read((tx) =>
            everyPage((page) => tx.reconciliation_reports.listLines(company!.id, filter, page), 4),
          );
          assertEqual(found, expected, JSON.stringify(filter));
          const { items: second } = await unitOfWork.read((tx) =>
            tx.reconciliation_reports.listLines(company!.id, filter, { limit: 3, offset: 2 }),
          );
          assertEqual(second, expected.slice(2, 5), `${JSON.stringify(filter)} with an offset`);
        }
      }
      await unitOfWork.read(async ({ reconciliation_reports: reports }) => {
        const ids = all.map(({ id }) => id);
        const byId = (lines: readonly StatedLine[]) => lines.toSorted((a, b) => a.id - b.id);
        assertEqual(byId(await reports.linesById(company!.id, ids)), byId(all), 'by their ids');
        assertEqual(await reports.linesById(other!.id, ids), [], 'of another company');
      });
    },
  },
];

import { type Account, account_kinds, listAccounts, openAccount } from '@tallystick/accounts';
import { refuseNumbersOfCards } from '@tallystick/cards';
import { presentAccount } from '@tallystick/operations';
import { formatList } from '../terminal-text.ts';
import { type Command, call, companyFilter, idOf, readItems, requireOptions } from './command.ts';

export const account_commands: readonly Command[] = [
  {
    name: 'account create',
    summary: 'Opens an account of a company, which statement files can name',
    options: {
      company: 'id of the company',
      number:
        'its number, 1 to 34 letters and digits, as statements name it; blanks, points, hyphens and slashes are left out; of a card account it begins with ceid',
      currency: 'its currency, for example EUR',
      kind: account_kinds.join(' or '),
      name: 'its name; none if absent',
    },
    async run(services, given) {
      const { company, ...required } = requireOptions(given, 'company', 'number', 'currency', 'kind');
      const request = {
        ...required,
        company_id: idOf('--company', company),
        name: given.values.get('name') ?? null,
      };
      const { unitOfWork } = await services.persistence();
      const vault = services.vault().card_vault;
      const account = await unitOfWork.run(async (tx) => {
        const opened = await openAccount(tx, call(services), request);
        await refuseNumbersOfCards(tx, { vault }, { number: opened.number });
        return opened;
      });
      return { data: presentAccount(account), text: `Account ${account.number} of company ${account.company_id}` };
    },
  },
  {
    name: 'account list',
    summary: 'Lists accounts, newest first, with the ends of their statements',
    options: { company: 'only of this company' },
    async run(services, given) {
      const filter = companyFilter(given);
      const { unitOfWork } = await services.persistence();
      const accounts = await readItems((page) => unitOfWork.read((tx) => listAccounts(tx, filter, page)));
      return {
        data: accounts.map(presentAccount),
        text: formatList(
          'There are no accounts.',
          ['number', 'company', 'kind', 'currency', 'statements from', 'to', 'name'],
          accounts.map(rowOf),
        ),
      };
    },
  },
];

function rowOf({ number, company_id, kind, currency, first_statement, last_statement, name }: Account) {
  const dates = [first_statement?.as_of ?? null, last_statement?.as_of ?? null];
  return [number, company_id, kind, currency, ...dates, name ?? ''];
}

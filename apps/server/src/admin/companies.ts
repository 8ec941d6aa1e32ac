import {
  company_statuses,
  createCompany,
  hold_days_max,
  listCompanies,
  rate_limit_max,
  updateCompany,
} from '@tallystick/access';
import { createRealCard, hold_days_default, type RealCard, refuseNumbersOfCards } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import { presentCompany } from '@tallystick/operations';
import { formatTable, wrapText } from '../terminal-text.ts';
import {
  type Command,
  call,
  idOf,
  type ParsedWords,
  readChoice,
  readItems,
  readOptionalId,
  requireChange,
  requireOptions,
  UsageError,
} from './command.ts';

export const company_commands: readonly Command[] = [
  {
    name: 'company create',
    summary: 'Creates a company',
    options: { name: 'its name', 'customer-number': "the bank's own number of it" },
    may_create_database: true,
    async run(services, given) {
      const { name, 'customer-number': customer_number } = requireOptions(given, 'name', 'customer-number');
      const request = { name, customer_number };
      const { unitOfWork } = await services.persistence();
      const vault = services.vault().card_vault;
      const company = await unitOfWork.run(async (tx) => {
        const created = await createCompany(tx, call(services), request);
        await refuseNumbersOfCards(tx, { vault }, { customer_number: created.customer_number });
        return created;
      });
      return { data: presentCompany(company), text: `Company ${company.id}: ${company.name}` };
    },
  },
  {
    name: 'company update',
    argument: 'id',
    summary: 'Changes the name of a company, its status, its holds, its mails and its rate limit',
    options: {
      name: 'its new name',
      status: 'closed: its keys are refused within two seconds, and its cards decline; active: both work again',
      'rate-limit': `requests per minute of all its keys together: 1 to ${rate_limit_max}, or none`,
      'full-details-in-mail': 'on: with number and code in plain text; off: only with the one-time link',
      'hold-days': `after how many days its later holds end: 1 to ${hold_days_max}, never, or default (${hold_days_default})`,
    },
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const name = given.values.get('name');
      const status = readChoice(given, 'status', company_statuses);
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(status === undefined ? {} : { status }),
        ...readRateLimit(given),
        ...readMailDetails(given),
        ...readHoldDays(given),
      };
      requireChange(change);
      const { unitOfWork } = await services.persistence();
      const company = await unitOfWork.run((tx) => updateCompany(tx, call(services), id, change));
      const carries = company.full_details_in_mail ? 'number, code and the one-time link' : 'only the one-time link';
      const { hold_days, rate_limit_per_minute } = company;
      const limit =
        rate_limit_per_minute === null
          ? 'have no common limit'
          : `may send ${rate_limit_per_minute} requests a minute together`;
      const ends = hold_days === 'never' ? 'never end' : `end after ${hold_days ?? hold_days_default} days`;
      const text = [
        `Company ${id}: ${company.name} (${company.status})`,
        `Mails about its cards contain ${carries}. Its holds without aging velocity ${ends}.`,
        `Its keys ${limit}.`,
      ].join('\n');
      return { data: presentCompany(company), text: wrapText(text) };
    },
  },
  {
    name: 'company list',
    summary: 'Lists all companies, newest first',
    async run(services) {
      const { unitOfWork } = await services.persistence();
      const companies = await readItems((page) => unitOfWork.run((tx) => listCompanies(tx, page)));
      return {
        data: companies.map(presentCompany),
        text: formatTable(
          ['id', 'customer number', 'status', 'name'],
          companies.map(({ id, customer_number, status, name }) => [id, customer_number, status, name]),
        ),
      };
    },
  },
  {
    name: 'realcard create',
    summary: 'Creates a real card to which a company can tie virtual cards',
    options: {
      company: 'id of the company',
      alias: 'its name',
      currency: 'its billing currency, for example EUR',
      'account-range': 'the 6 to 12 leading digits of its virtual card numbers',
      'network-data': 'its network_data names, separated by commas; any if absent',
    },
    flags: { default: "make it the company's default", 'without-velocity': 'its program has no velocity control' },
    async run(services, given) {
      const required = requireOptions(given, 'company', 'alias', 'currency', 'account-range');
      const request = {
        alias: required.alias,
        billing_currency: required.currency,
        account_range: required['account-range'],
        velocity_enabled: !given.flags.has('without-velocity'),
        network_data_names: given.values.get('network-data')?.split(',') ?? null,
        is_default: given.flags.has('default') ? true : null,
      };
      const company_id = idOf('--company', required.company);
      const { unitOfWork } = await services.persistence();
      const card = await unitOfWork.run(async (tx) => {
        if ((await tx.companies.find(company_id)) === null) throw new Error(`There is no company ${company_id}.`);
        return await createRealCard(tx, { ...call(services), company_id }, request);
      });
      return { data: realCardData(card), text: `Real card ${card.id}: ${card.alias}` };
    },
  },
  {
    name: 'realcard list',
    summary: 'Lists real cards, newest first',
    options: { company: 'only of this company' },
    async run(services, given) {
      const company_id = readOptionalId(given, 'company') ?? null;
      const { unitOfWork } = await services.persistence();
      const cards = await readItems((page) => unitOfWork.run((tx) => tx.real_cards.list(company_id, page)));
      return {
        data: cards.map(realCardData),
        text: formatTable(
          ['id', 'company', 'currency', 'range', 'default', 'alias'],
          cards.map(({ id, company_id, billing_currency, account_range, is_default, alias }) => {
            return [id, company_id, billing_currency, account_range, is_default, alias];
          }),
        ),
      };
    },
  },
];

function readRateLimit({ values }: ParsedWords): { readonly rate_limit_per_minute?: number | null } {
  const wanted = values.get('rate-limit');
  if (wanted === undefined) return {};
  if (wanted === 'none') return { rate_limit_per_minute: null };
  return { rate_limit_per_minute: idOf('--rate-limit', wanted) };
}

function readMailDetails({ values }: ParsedWords): { readonly full_details_in_mail?: boolean } {
  const wanted = values.get('full-details-in-mail');
  if (wanted === undefined) return {};
  if (wanted !== 'on' && wanted !== 'off') throw new UsageError('--full-details-in-mail must be on or off');
  return { full_details_in_mail: wanted === 'on' };
}

function readHoldDays({ values }: ParsedWords): { readonly hold_days?: number | string | null } {
  const wanted = values.get('hold-days');
  if (wanted === undefined) return {};
  if (wanted === 'default') return { hold_days: null };
  if (wanted === 'never') return { hold_days: wanted };
  const days = /^\d{1,3}$/.test(wanted) ? Number(wanted) : 0;
  if (days < 1 || days > hold_days_max) {
    throw new UsageError(`--hold-days ${wanted} must be 1 to ${hold_days_max}, never, or default`);
  }
  return { hold_days: days };
}

function realCardData({ created_at_ms, ...card }: RealCard): Readonly<Record<string, unknown>> {
  return { ...card, created_at: toInstantText(created_at_ms) };
}

import {
  apiKeyResource,
  companyResource,
  createCompany,
  createKey,
  listCompanies,
  listKeys,
  type OperatorCall,
  type Role,
  resealSigningSecrets,
  revokeKey,
  roles,
  updateCompany,
} from '@tallystick/access';
import { createRealCard, type RealCard, resealMailbox, rotateKeys } from '@tallystick/cards';
import { resealWebhookSecrets } from '@tallystick/events';
import {
  type Clock,
  drawSharedSecret,
  instantText,
  type Page,
  type PageRequest,
  page_limit_max,
} from '@tallystick/kernel';
import type { Persistence } from '@tallystick/mikro-orm';
import { completeTemplate, templateItem } from '@tallystick/templates';
import { createKeyRingText, type KeyRing, type Vault } from '@tallystick/vault';
import type { Config } from './config.ts';
import { replaceSandboxKeys } from './keys-file.ts';
import { databaseShown } from './start-problem.ts';

/** The words of the command line are wrong: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What a command may ask for; opened when it does. */
export interface AdminServices {
  config(): Config;
  keyRing(): KeyRing;
  vault(): Vault;
  clock(): Clock;
  /** Migrated. Throws a sentence for the operator when it cannot be opened. */
  persistence(): Promise<Persistence>;
}

/** What was written behind the command. */
export interface Given {
  readonly values: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
  /** The one word that is no option; empty when the command takes none. */
  readonly argument: string;
}

export interface Command {
  /** Its words: `key create`. */
  readonly name: string;
  readonly summary: string;
  /** The name of the one word that it takes besides options. */
  readonly argument?: string;
  readonly options: Readonly<Record<string, string>>;
  readonly flags: Readonly<Record<string, string>>;
  /** `data` is for `--json`, `text` for people. */
  run(services: AdminServices, given: Given): Promise<{ readonly data: unknown; readonly text: string }>;
}

export const commands: readonly Command[] = [
  {
    name: 'migrate',
    summary: 'Brings the database up to date; the server does the same when it starts',
    options: {},
    flags: {},
    async run(services) {
      await services.persistence();
      const database = databaseShown(services.config().database_url);
      return { data: { database, migrated: true }, text: `${database} is up to date.` };
    },
  },
  {
    name: 'company create',
    summary: 'Makes a company',
    options: { name: 'its name', 'customer-number': "the bank's own number of it" },
    flags: {},
    async run(services, given) {
      const request = { name: required(given, 'name'), customer_number: required(given, 'customer-number') };
      const { unitOfWork } = await services.persistence();
      const company = await unitOfWork.run((tx) => createCompany(tx, call(services), request));
      return { data: companyResource(company), text: `Company ${company.id}: ${company.name}` };
    },
  },
  {
    name: 'company update',
    argument: 'id',
    summary: 'Changes what a company wants in the mails about its cards',
    options: { 'full-details-in-mail': 'on: with number and code in clear; off: with the one-time link alone' },
    flags: {},
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const wanted = required(given, 'full-details-in-mail');
      if (wanted !== 'on' && wanted !== 'off') throw new UsageError('--full-details-in-mail must be on or off');
      const change = { full_details_in_mail: wanted === 'on' };
      const { unitOfWork } = await services.persistence();
      const company = await unitOfWork.run((tx) => updateCompany(tx, call(services), id, change));
      const carries = company.full_details_in_mail ? 'number, code and the one-time link' : 'the one-time link alone';
      return { data: companyResource(company), text: `Mails about the cards of company ${id} carry ${carries}.` };
    },
  },
  {
    name: 'company list',
    summary: 'Lists all companies, newest first',
    options: {},
    flags: {},
    async run(services) {
      const { unitOfWork } = await services.persistence();
      const companies = await everyPage((page) => unitOfWork.run((tx) => listCompanies(tx, page)));
      return {
        data: companies.map(companyResource),
        text: table(
          ['id', 'customer number', 'name'],
          companies.map(({ id, customer_number, name }) => [String(id), customer_number, name]),
        ),
      };
    },
  },
  {
    name: 'realcard create',
    summary: 'Makes a real card that a company can tie virtual cards to',
    options: {
      company: 'id of the company',
      alias: 'its name',
      currency: 'its billing currency, as EUR',
      'account-range': 'the 6 to 12 leading digits of the numbers of its virtual cards',
      'network-data': 'the network_data names that it knows, with commas between; any when absent',
    },
    flags: { default: "make it the company's default", 'without-velocity': 'its program has no velocity control' },
    async run(services, given) {
      const request = {
        alias: required(given, 'alias'),
        billing_currency: required(given, 'currency'),
        account_range: required(given, 'account-range'),
        velocity_enabled: !given.flags.has('without-velocity'),
        network_data_names: given.values.get('network-data')?.split(',') ?? null,
        is_default: given.flags.has('default') ? true : null,
      };
      const company_id = requiredId(given, 'company');
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
    options: { company: 'of this company only' },
    flags: {},
    async run(services, given) {
      const company_id = optionalId(given, 'company') ?? null;
      const { unitOfWork } = await services.persistence();
      const cards = await everyPage((page) => unitOfWork.run((tx) => tx.real_cards.list(company_id, page)));
      return {
        data: cards.map(realCardData),
        text: table(
          ['id', 'company', 'currency', 'range', 'default', 'alias'],
          cards.map((card) => [
            String(card.id),
            String(card.company_id),
            card.billing_currency,
            card.account_range,
            card.is_default ? 'yes' : 'no',
            card.alias,
          ]),
        ),
      };
    },
  },
  {
    name: 'key create',
    summary: 'Makes an API key and shows its text, this once',
    options: {
      role: `one of ${roles.join(', ')}`,
      company: 'id of the company; for the role client',
      name: 'what it is called',
      'rate-limit': "requests per minute; the server's default when absent",
    },
    flags: { signed: 'make a signing secret too: every request must then be signed with it' },
    async run(services, given) {
      const role = required(given, 'role');
      if (!isRole(role)) throw new UsageError(`--role ${role} must be one of ${roles.join(', ')}`);
      const { sealer, random, sha256 } = services.vault();
      const signing_secret = given.flags.has('signed') ? drawSharedSecret(random) : null;
      const request = {
        role,
        company_id: optionalId(given, 'company'),
        name: required(given, 'name'),
        signing_secret,
        rate_limit_per_minute: optionalId(given, 'rate-limit'),
      };
      const environment = services.config().sandbox ? 'test' : 'live';
      const { unitOfWork } = await services.persistence();
      const { key, text } = await unitOfWork.run((tx) =>
        createKey(tx, { sealer, random, sha256, environment }, call(services), request),
      );
      const lines = [`Key ${key.id}, role ${key.role}. It is shown this once:`, text];
      if (signing_secret !== null) lines.push('Its signing secret, shown this once too:', signing_secret);
      return { data: { ...apiKeyResource(key), key: text, signing_secret }, text: lines.join('\n') };
    },
  },
  {
    name: 'key list',
    summary: 'Lists API keys, newest first, revoked ones too',
    options: { company: 'of this company only' },
    flags: {},
    async run(services, given) {
      const company_id = optionalId(given, 'company');
      const filter = company_id === undefined ? {} : { company_id };
      const { unitOfWork } = await services.persistence();
      const keys = await everyPage((page) => unitOfWork.run((tx) => listKeys(tx, filter, page)));
      return {
        data: keys.map(apiKeyResource),
        text: table(
          ['id', 'role', 'company', 'signed', 'revoked', 'name'],
          keys.map((key) => {
            const { signed, revoked_at } = apiKeyResource(key);
            const company = key.company_id === null ? '-' : String(key.company_id);
            return [String(key.id), key.role, company, signed ? 'yes' : 'no', revoked_at ?? '-', key.name];
          }),
        ),
      };
    },
  },
  {
    name: 'key revoke',
    argument: 'id',
    summary: 'Revokes an API key; running servers refuse it within two seconds',
    options: {},
    flags: {},
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const { unitOfWork } = await services.persistence();
      const key = await unitOfWork.run((tx) => revokeKey(tx, call(services), id));
      return { data: apiKeyResource(key), text: `Key ${key.id} is revoked.` };
    },
  },
  {
    name: 'template complete',
    argument: 'id',
    summary: 'Completes a PENDING purchase template before its time',
    options: {},
    flags: {},
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const { unitOfWork } = await services.persistence();
      const now_ms = services.clock().now().epochMilliseconds;
      const template = await unitOfWork.run((tx) => completeTemplate(tx, now_ms, id));
      return { data: templateItem(template), text: `Template ${template.id} is ${template.status}.` };
    },
  },
  {
    name: 'keys create',
    summary: 'Makes a key ring for TALLYSTICK_KEYS, and keeps it nowhere',
    options: {},
    flags: {},
    async run() {
      const keys = createKeyRingText();
      return { data: { TALLYSTICK_KEYS: keys }, text: keys };
    },
  },
  {
    name: 'keys list',
    summary: 'Lists the ids of the key ring, newest first, without the keys',
    options: {},
    flags: {},
    async run(services) {
      const { newest_key_id, key_ids } = services.vault();
      const text = key_ids.map((id) => (id === newest_key_id ? `${id}  encrypts` : `${id}  reads`)).join('\n');
      return { data: { newest_key_id, key_ids }, text };
    },
  },
  {
    name: 'keys add',
    summary: 'Gives the key ring a fresh newest key',
    options: {},
    flags: {},
    async run(services) {
      const { key_ring, data_folder } = services.config();
      const ring = services.keyRing().withNewKey();
      const data = { newest_key_id: ring.newest_key_id };
      if (key_ring !== null) return { data: { ...data, TALLYSTICK_KEYS: ring.reveal() }, text: ring.reveal() };
      const path = replaceSandboxKeys(data_folder, ring);
      const text = `${path} has the new key ${ring.newest_key_id}. Restart the server, then: npm run admin -- keys rotate`;
      return { data: { ...data, path }, text };
    },
  },
  {
    name: 'keys rotate',
    summary: 'Encrypts all card numbers and secrets anew with the newest key, with cards in use',
    options: {},
    flags: {},
    async run(services) {
      const { card_vault, sealer, newest_key_id } = services.vault();
      const { unitOfWork } = await services.persistence();
      const card_numbers = await rotateKeys(unitOfWork, card_vault, { key_id: newest_key_id });
      const signing_secrets = await resealSigningSecrets(unitOfWork, sealer);
      const webhook_secrets = await resealWebhookSecrets(unitOfWork, sealer);
      const mailbox_messages = await resealMailbox(unitOfWork, sealer);
      return {
        data: { newest_key_id, card_numbers, signing_secrets, webhook_secrets, mailbox_messages },
        text: `${card_numbers} card numbers, ${signing_secrets} signing secrets, ${webhook_secrets} webhook secrets and ${mailbox_messages} messages of the mailbox are sealed anew with ${newest_key_id}.`,
      };
    },
  },
];

function call(services: AdminServices): OperatorCall {
  return { actor: 'command', request_id: null, now_ms: services.clock().now().epochMilliseconds };
}

async function everyPage<Item>(read: (page: PageRequest) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  let after: string | null | undefined;
  do {
    const page = await read({ limit: page_limit_max, ...(after ? { after } : {}) });
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
}

function required(given: Given, option: string): string {
  const value = given.values.get(option);
  if (value === undefined) throw new UsageError(`--${option} is missing`);
  return value;
}

function requiredId(given: Given, option: string): number {
  return idOf(`--${option}`, required(given, option));
}

function optionalId(given: Given, option: string): number | undefined {
  const value = given.values.get(option);
  return value === undefined ? undefined : idOf(`--${option}`, value);
}

function idOf(what: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${what} is "${text}"; it must be a positive integer`);
  return Number(text);
}

function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

function realCardData({ created_at_ms, ...card }: RealCard): Readonly<Record<string, unknown>> {
  return { ...card, created_at: instantText(created_at_ms) };
}

/** Columns as wide as what is in them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

import { createCompany } from '@tallystick/access';
import {
  createMailCourier,
  createRealCard,
  issueCard,
  type Mail,
  type MailCourier,
  type Mailer,
  type MailingPorts,
  type MailMessage,
  type MailOutcome,
  type OpenedCard,
  openOneTimeLink,
  type VirtualCard,
} from '@tallystick/cards';
import { type Clock, fixedClock } from '@tallystick/kernel';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import { type DatabaseName, migratedDatabase, test_keys } from '@tallystick/test-support';
import { createVault, parseKeyRing, type Vault } from '@tallystick/vault';

export const start_ms = Date.UTC(2030, 2, 15, 10);

/** The sending of mails over real storage, with frozen clocks. */
export interface PostOffice {
  readonly persistence: Persistence;
  readonly vault: Vault;
  /** The outcome of each attempt, in order. */
  readonly ended: { readonly mail: Mail; readonly outcome: MailOutcome }[];
  /** Milliseconds after the start: the service's clock, and machine time. */
  now_ms: number;
  machine_ms: number;
  issue(emails: readonly string[], real_card?: CardOptions): Promise<VirtualCard>;
  /** Adds a company. Returns its id. */
  addCompany(): Promise<number>;
  /** Sends all due mails. Returns how many were attempted or ended. */
  send(mailer: Mailer): Promise<number>;
  /** A process that sends mails. */
  courier(mailer: Mailer): MailCourier;
  /** Uses up the link of a message. */
  open(message: Pick<MailMessage, 'text'>): Promise<OpenedCard | null>;
  pending(): Promise<number>;
}

interface CardOptions {
  readonly alias?: string;
  readonly billing_currency?: string;
  /** The first company when absent. */
  readonly company_id?: number;
}

export async function postOffice(
  t: { after(cleanup: () => unknown): void },
  database_name: DatabaseName,
): Promise<PostOffice> {
  const database = await migratedDatabase(database_name);
  t.after(() => database.dispose());
  const clockAt = (read: () => number): Clock => ({
    nowMs: () => start_ms + read(),
  });
  const clock = clockAt(() => office.now_ms);
  const vault = createVault(parseKeyRing(test_keys));
  const persistence = await mikroOrmPersistence({
    audit_mac: vault.audit_mac,
    database_url: database.database_url,
    clock: fixedClock('2030-03-15T10:00:00Z'),
  });
  t.after(() => persistence.close());
  const { unitOfWork } = persistence;
  const callAt = (company_id: number) => ({
    company_id,
    actor: 'job:test',
    request_id: null,
    now_ms: start_ms + office.now_ms,
  });
  let companies = 0;
  const addCompany = async (): Promise<number> => {
    companies += 1;
    const customer_number = String(companies);
    const call = { actor: 'job:test', request_id: null, now_ms: start_ms };
    return (await unitOfWork.run((tx) => createCompany(tx, call, { name: 'Acme', customer_number }))).id;
  };
  const first_company_id = await addCompany();
  const ended: PostOffice['ended'] = [];
  const portsOf = (mailer: Mailer): MailingPorts => ({
    unitOfWork,
    mailer,
    vault: vault.card_vault,
    random: vault.random,
    sha256: vault.sha256,
    clock,
    machine_clock: clockAt(() => office.machine_ms),
    linkOf: (token) => `https://cards.example/card-details/${token}`,
    ended: (mail, outcome) => void ended.push({ mail, outcome }),
  });
  const office: PostOffice = {
    persistence,
    vault,
    ended,
    now_ms: 0,
    machine_ms: 0,
    async issue(emails, { alias = 'Travel', billing_currency = 'USD', company_id = first_company_id } = {}) {
      return await unitOfWork.run(async (tx) => {
        const call = callAt(company_id);
        const real_card = await createRealCard(tx, call, { alias, billing_currency, account_range: '54545454' });
        const request = { total_card_amount: 5_000, emails, rcn_id: real_card.id };
        return (await issueCard(tx, { vault: vault.card_vault, random: vault.random }, call, request)).card;
      });
    },
    addCompany,
    async send(mailer) {
      let count = 0;
      const counted: MailingPorts['ended'] = (mail, outcome) => {
        count += 1;
        ended.push({ mail, outcome });
      };
      await createMailCourier({ ...portsOf(mailer), ended: counted }).settled();
      return count;
    },
    courier: (mailer) => createMailCourier(portsOf(mailer)),
    async open({ text }) {
      const [, token = ''] = /\/card-details\/(\S+)/.exec(text) ?? [];
      const request = { token, request_id: 'r', now_ms: start_ms + office.now_ms };
      const ports = { vault: vault.card_vault, sha256: vault.sha256 };
      return await unitOfWork.run((tx) => openOneTimeLink(tx, ports, request));
    },
    pending: async () => (await unitOfWork.read((tx) => tx.mails.backlog())).pending,
  };
  return office;
}

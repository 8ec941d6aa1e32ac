import { createCompany } from '@tallystick/access';
import {
  createRealCard,
  issueCard,
  type Mail,
  type Mailer,
  type MailingPorts,
  type MailMessage,
  type MailOutcome,
  type OpenedCard,
  openOneTimeLink,
  sendDueMails,
  type VirtualCard,
} from '@tallystick/cards';
import { type Clock, fixedClock } from '@tallystick/kernel';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import { type DatabaseName, scratchDatabase, test_keys } from '@tallystick/test-support';
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
  issue(emails: readonly string[], real_card?: { alias?: string; billing_currency?: string }): Promise<VirtualCard>;
  /** Sends all due mails, once. */
  send(mailer: Mailer): Promise<number>;
  /** Uses up the link of a message. */
  open(message: Pick<MailMessage, 'text'>): Promise<OpenedCard | null>;
  pending(): Promise<number>;
}

export async function postOffice(
  t: { after(cleanup: () => unknown): void },
  database_name: DatabaseName,
): Promise<PostOffice> {
  const database = await scratchDatabase(database_name);
  t.after(() => database.dispose());
  const clockAt = (read: () => number): Clock => ({
    now: () => Temporal.Instant.fromEpochMilliseconds(start_ms + read()),
  });
  const clock = clockAt(() => office.now_ms);
  const persistence = await mikroOrmPersistence({
    database_url: database.database_url,
    clock: fixedClock('2030-03-15T10:00:00Z'),
  });
  t.after(() => persistence.close());
  await persistence.migrate();
  const vault = createVault(parseKeyRing(test_keys));
  const { unitOfWork } = persistence;
  const callAt = (company_id: number) => ({
    company_id,
    actor: 'job:test',
    request_id: null,
    now_ms: start_ms + office.now_ms,
  });
  const company = await unitOfWork.run((tx) =>
    createCompany(
      tx,
      { actor: 'job:test', request_id: null, now_ms: start_ms },
      { name: 'Acme', customer_number: '1' },
    ),
  );
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
    async issue(emails, { alias = 'Travel', billing_currency = 'USD' } = {}) {
      return await unitOfWork.run(async (tx) => {
        const call = callAt(company.id);
        const real_card = await createRealCard(tx, call, { alias, billing_currency, account_range: '54545454' });
        const request = { total_card_amount: 5_000, emails, rcn_id: real_card.id };
        return (await issueCard(tx, { vault: vault.card_vault, random: vault.random }, call, request)).card;
      });
    },
    send: (mailer) => sendDueMails(portsOf(mailer), 10),
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

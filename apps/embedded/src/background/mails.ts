import {
  createMailCourier,
  type Mail,
  type MailCourier,
  type Mailer,
  type MailOutcome,
  purgeLinks,
} from '@tallystick/cards';
import { abortAfter, type Clock, type Timers } from '@tallystick/kernel';
import { card_details_path, type Metrics } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Vault } from '@tallystick/vault';
import type { Logger } from 'pino';
import type { Job } from './jobs.ts';

/** How long a clock move waits for due mails; about as long as one mail may take. */
const settle_ms_max = 20_000;

/** The most links that one transaction of the purge deletes. */
const purge_batch_max = 100;

export interface Mails {
  /** The jobs that run at intervals and whenever the sandbox clock moves. */
  readonly jobs: readonly Job[];
  /**
   * Resolves with null when this process has attempted every due mail. After 20 s at the latest it
   * resolves with a sentence that counts the others.
   */
  settled(): Promise<string | null>;
  /**
   * Ends the attempts in progress and records them; called once the jobs have stopped.
   */
  close(): Promise<void>;
}

export interface MailsPorts {
  /** Whether this process sends, or leaves the sending to others. */
  readonly sends: boolean;
  /** Null: mails wait. */
  readonly mailer: Mailer | null;
  readonly persistence: Pick<Persistence, 'unitOfWork'>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** The address of the service for people: `https://cards.example`, without a slash at its end. */
  readonly publicUrl: () => string;
  /** Updates the clock before a run. */
  readonly refresh: () => Promise<void>;
}

/** Sends the mails that are due, with the mailer. Without one they wait. */
export function createMails(ports: MailsPorts): Mails {
  const { sends, mailer, persistence, vault, clock, timers, metrics, logger, refresh } = ports;
  const { unitOfWork } = persistence;
  metrics.watchMails(() => unitOfWork.read((tx) => tx.mails.backlog()), clock);
  const jobs: Job[] = [{ name: 'one-time link purge', every_ms: 600_000, run: purge }];
  let courier: MailCourier | null = null;
  if (mailer !== null && sends) {
    const sending = createMailCourier({
      unitOfWork,
      mailer,
      vault: vault.card_vault,
      random: vault.random,
      sha256: vault.sha256,
      clock,
      machine_clock: timers,
      linkOf: (token) => `${ports.publicUrl()}${card_details_path}/${token}`,
      ended: (mail, outcome) => logOutcome(mail, outcome, metrics, logger),
    });
    courier = sending;
    jobs.push({
      name: 'mails',
      every_ms: 1_000,
      async run() {
        await refresh();
        await sending.sweep();
      },
    });
  }

  async function purge(): Promise<void> {
    await refresh();
    const now_ms = clock.nowMs();
    while ((await unitOfWork.run((tx) => purgeLinks(tx, now_ms, purge_batch_max))) >= purge_batch_max);
  }

  return {
    jobs,
    async settled() {
      if (courier === null) return null;
      const signal = abortAfter(timers, settle_ms_max);
      await courier.settled(signal);
      if (!signal.aborted) return null;
      const { pending } = await unitOfWork.read((tx) => tx.mails.backlog());
      return `mails pending: ${pending}; not all that are due were attempted in ${settle_ms_max / 1_000} s`;
    },
    async close() {
      await courier?.stop();
    },
  };
}

/** Counts the attempt and logs it, with ids, and without address or text. */
function logOutcome(mail: Mail, outcome: MailOutcome, metrics: Metrics, logger: Logger): void {
  const { id: mail_id, company_id, card_id, attempts: attempt, state } = mail;
  metrics.mail(state === 'pending' ? 'retried' : state);
  const error = outcome.kind === 'taken' ? null : outcome.error;
  logger.info({ mail_id, company_id, card_id, attempt, state, error }, 'mail attempt');
}

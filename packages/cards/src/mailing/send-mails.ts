import {
  type Clock,
  drawLease,
  Fault,
  type Lease,
  type Random,
  type Sha256,
  type UnitOfWork,
} from '@tallystick/kernel';
import type { CardVault } from '../numbers/card-vault.ts';
import { revealNumbers } from '../numbers/reveal.ts';
import { composeCardMessage } from './card-message.ts';
import { applyMailAttempt, type Mail, type MailOutcome, markMailFailed, markMailSent } from './mail.ts';
import { offerLink } from './one-time-link.ts';
import { type ClaimedMail, type Mailer, type MailMessage, type MailTx, mailer_ms_max } from './ports.ts';

export interface MailingPorts {
  readonly unitOfWork: UnitOfWork<MailTx>;
  readonly mailer: Mailer;
  readonly vault: CardVault;
  readonly random: Random;
  readonly sha256: Sha256;
  /** Service time, for schedules and links. */
  readonly clock: Clock;
  /** Machine time, for leases. */
  readonly machine_clock: Clock;
  /** The URL of the page for a link's token: `https://cards.example/<path>/<token>`. */
  readonly linkOf: (token: string) => string;
  /** Called for each attempt, and for mails that ended without one; for metrics and logs. */
  readonly ended?: (mail: Mail, outcome: MailOutcome) => void;
}

/**
 * A claim lasts longer than the mailer needs, because the mails of one batch are sent at the same
 * time.
 */
const lease_ms = 4 * mailer_ms_max;

/**
 * Sends up to `limit` due mails at the same time and records their outcomes. Returns how many it
 * claimed. Several processes may do so concurrently. Rejects with a `Fault` when the database
 * fails; mails without a recorded outcome are sent again when the lease expires.
 */
export async function sendDueMails(ports: MailingPorts, limit: number): Promise<number> {
  const { unitOfWork, clock, machine_clock, mailer } = ports;
  const lease = drawLease(ports.random, machine_clock.now().epochMilliseconds, lease_ms);
  const { ready, ended } = await unitOfWork.run((tx) => prepare(tx, ports, lease, limit));
  for (const { mail, outcome } of ended) ports.ended?.(mail, outcome);
  if (ready.length === 0) return ended.length;

  const done = await Promise.all(
    ready.map(async ({ mail, message }) => {
      const at_ms = clock.now().epochMilliseconds;
      const outcome = 'error' in message ? notTaken(message.error) : await mailer.send(message);
      return { mail: applyMailAttempt(mail, outcome, at_ms), outcome };
    }),
  );
  await unitOfWork.run((tx) =>
    tx.mails.record(
      done.map(({ mail }) => mail),
      lease.token,
    ),
  );
  for (const { mail, outcome } of done) ports.ended?.(mail, outcome);
  return ready.length + ended.length;
}

interface Ready {
  readonly mail: Mail;
  /** The message to send, or why there is none. */
  readonly message: MailMessage | { readonly error: string };
}

interface Ended {
  readonly mail: Mail;
  readonly outcome: MailOutcome;
}

/** Claims mails and composes their messages. A link is durable before its message is sent. */
async function prepare(
  tx: MailTx,
  ports: MailingPorts,
  lease: Lease,
  limit: number,
): Promise<{ readonly ready: readonly Ready[]; readonly ended: readonly Ended[] }> {
  const now_ms = ports.clock.now().epochMilliseconds;
  const ready: Ready[] = [];
  const ended: Ended[] = [];
  for (const claimed of await tx.mails.claimDue(now_ms, limit, lease)) {
    const { mail } = claimed;
    const message = await messageOf(tx, ports, claimed, now_ms);
    if (message === 'card_canceled') {
      const outcome = { kind: 'not_taken', error: 'the card is Canceled', for_good: true } as const;
      ended.push({ mail: markMailFailed(mail, outcome.error, now_ms), outcome });
    } else if (message === 'arrived') {
      ended.push({ mail: markMailSent(mail, now_ms), outcome: { kind: 'taken' } });
    } else {
      ready.push({ mail, message });
    }
  }
  if (ended.length > 0) {
    const mails = ended.map(({ mail }) => mail);
    await tx.mails.record(mails, lease.token);
  }
  return { ready, ended };
}

async function messageOf(
  tx: MailTx,
  ports: MailingPorts,
  { mail, full_details }: ClaimedMail,
  now_ms: number,
): Promise<Ready['message'] | 'card_canceled' | 'arrived'> {
  const card = await tx.cards.find(mail.company_id, mail.card_id);
  if (card === null || card.status === 'Canceled') return 'card_canceled';
  const link = await offerLink(tx, ports, mail, now_ms);
  if (link === null) return 'arrived';
  try {
    const call = { company_id: mail.company_id, actor: `mail:${mail.id}`, request_id: null, now_ms };
    const numbers = full_details ? await revealNumbers(tx, ports, call, [card]) : null;
    return composeCardMessage(card, {
      to: mail.recipient,
      link: ports.linkOf(link.token),
      link_expires_at_ms: link.expires_at_ms,
      number: numbers?.get(card.id) ?? null,
    });
  } catch (error) {
    // A number that no key opens must not delay the other mails.
    if (error instanceof Fault) return { error: 'the number cannot be opened' };
    throw error;
  }
}

function notTaken(error: string): MailOutcome {
  return { kind: 'not_taken', error, for_good: false };
}

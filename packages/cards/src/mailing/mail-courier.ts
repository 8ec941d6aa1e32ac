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
import {
  type ClaimedMail,
  type Mailer,
  type MailMessage,
  type MailTurns,
  type MailTx,
  mailer_ms_max,
} from './ports.ts';

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
 * Mails in flight in one process. A mailer needs as many connections, because a message that waited
 * for a connection would use up its own time.
 */
export const mails_in_flight_max = 8;

/**
 * Mails of one company in flight in all processes, so that slow ones of a company delay no other.
 */
export const mails_in_flight_per_company_max = 2;

/** A claim lasts longer than the mailer needs, because its mails are sent at the same time. */
const lease_ms = 4 * mailer_ms_max;

/** Sends the due mails of one process. Several processes may do so concurrently. */
export interface MailCourier {
  /**
   * Records ended attempts, and claims as many due mails as may be in flight. Resolves when their
   * attempts have begun, with the number of claimed mails. When an attempt ends, the next mails are
   * claimed without a call. Rejects with a `Fault` when the database fails: the next call
   * continues, and a mail without a recorded outcome is sent again when its lease expires.
   */
  sweep(): Promise<number>;
  /**
   * Sweeps until no mail is due and all attempts are recorded, or until the signal. Rejects like
   * `sweep`.
   */
  settled(signal?: AbortSignal): Promise<void>;
  /**
   * Claims no more mails. Resolves when the attempts in progress have ended and are recorded.
   * Rejects like `sweep`.
   */
  stop(): Promise<void>;
}

export function createMailCourier(ports: MailingPorts): MailCourier {
  const { unitOfWork, clock, machine_clock, mailer } = ports;
  const in_flight = new Set<Promise<void>>();
  const ended_attempts: (EndedMail & { readonly lease: string })[] = [];
  let stopped = false;
  let last_company_id = 0;
  let round: Promise<unknown> = Promise.resolve();
  /** The round that begins when the present one has ended. */
  let next_round: Promise<number> | null = null;

  function sweep(): Promise<number> {
    next_round ??= round.then(
      () => beginRound(),
      () => beginRound(),
    );
    return next_round;
  }

  function beginRound(): Promise<number> {
    next_round = null;
    const begun = runRound();
    round = begun;
    return begun;
  }

  async function runRound(): Promise<number> {
    await recordEnded();
    const limit = stopped ? 0 : mails_in_flight_max - in_flight.size;
    if (limit === 0) return 0;
    const lease = drawLease(ports.random, machine_clock.nowMs(), lease_ms);
    const turns = { limit, per_company_max: mails_in_flight_per_company_max, after_company_id: last_company_id };
    const { ready, ended } = await unitOfWork.run((tx) => prepare(tx, ports, lease, turns));
    for (const { mail, outcome } of ended) ports.ended?.(mail, outcome);
    for (const one of ready) {
      const attempt = send(one, lease.token).finally(() => in_flight.delete(attempt));
      in_flight.add(attempt);
      // A failed round is repeated by the next sweep, which reports the failure.
      void attempt.then(sweep).catch(() => undefined);
    }
    last_company_id = ready.at(-1)?.mail.company_id ?? last_company_id;
    return ready.length + ended.length;
  }

  async function send({ mail, message }: ComposedMail, lease: string): Promise<void> {
    const at_ms = clock.nowMs();
    const outcome = 'error' in message ? notTaken(message.error) : await mailer.send(message);
    ended_attempts.push({ mail: applyMailAttempt(mail, outcome, at_ms), outcome, lease });
  }

  async function recordEnded(): Promise<void> {
    const recorded = [...ended_attempts];
    if (recorded.length === 0) return;
    await unitOfWork.run((tx) => tx.mails.record(recorded));
    ended_attempts.splice(0, recorded.length);
    for (const { mail, outcome } of recorded) ports.ended?.(mail, outcome);
  }

  return {
    sweep,
    async settled(signal) {
      const { promise: aborted, resolve: stopWaiting } = Promise.withResolvers<unknown>();
      signal?.addEventListener('abort', stopWaiting);
      try {
        while (!signal?.aborted) {
          const claimed = await sweep();
          if (in_flight.size > 0) await Promise.race([...in_flight, aborted]);
          else if (claimed === 0 && ended_attempts.length === 0 && next_round === null) return;
        }
      } finally {
        // A signal of a time-out with a listener keeps everything here until then.
        signal?.removeEventListener('abort', stopWaiting);
      }
    },
    async stop() {
      stopped = true;
      await sweep();
      await Promise.all(in_flight);
      await sweep();
    },
  };
}

interface ComposedMail {
  readonly mail: Mail;
  /** The message to send, or why there is none. */
  readonly message: MailMessage | { readonly error: string };
}

interface EndedMail {
  readonly mail: Mail;
  readonly outcome: MailOutcome;
}

/** Claims mails and composes their messages. A link is durable before its message is sent. */
async function prepare(
  tx: MailTx,
  ports: MailingPorts,
  lease: Lease,
  turns: MailTurns,
): Promise<{ readonly ready: readonly ComposedMail[]; readonly ended: readonly EndedMail[] }> {
  const now_ms = ports.clock.nowMs();
  const ready: ComposedMail[] = [];
  const ended: EndedMail[] = [];
  for (const claimed of await tx.mails.claimDue(now_ms, lease, turns)) {
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
    await tx.mails.record(ended.map(({ mail }) => ({ mail, lease: lease.token })));
  }
  return { ready, ended };
}

async function messageOf(
  tx: MailTx,
  ports: MailingPorts,
  { mail, full_details }: ClaimedMail,
  now_ms: number,
): Promise<ComposedMail['message'] | 'card_canceled' | 'arrived'> {
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

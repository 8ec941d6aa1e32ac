import {
  type Clock,
  Fault,
  type Page,
  type PageRequest,
  Refusal,
  reseal,
  resealAll,
  type Sealer,
  type UnitOfWork,
} from '@tallystick/kernel';
import type { Mailer, MailMessage, MailTx, SealedMessage } from './ports.ts';

/** The purpose that a sealed message is bound to. */
const purpose = 'mailbox.message';

export interface KeptMessage extends MailMessage {
  readonly id: number;
  readonly received_at_ms: number;
}

type MailboxTx = Pick<MailTx, 'mailbox'>;

/** Stores every message sealed in the sandbox's mailbox instead of sending it. */
export function mailboxMailer(ports: {
  readonly unitOfWork: UnitOfWork<MailboxTx>;
  readonly sealer: Sealer;
  readonly clock: Clock;
}): Mailer {
  return {
    async send(message) {
      const kept = { message_sealed: seal(ports.sealer, message), received_at_ms: ports.clock.nowMs() };
      try {
        await ports.unitOfWork.run((tx) => tx.mailbox.insert(kept));
        return { kind: 'taken' };
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        return { kind: 'not_taken', error: 'the mailbox could not be written', for_good: false };
      }
    },
    async close() {},
  };
}

/** The messages, newest first. */
export async function listMailbox(tx: MailboxTx, sealer: Sealer, page: PageRequest): Promise<Page<KeptMessage>> {
  const { items, next } = await tx.mailbox.list(page);
  return { items: items.map((kept) => open(sealer, kept)), next };
}

/** One message; refuses `not_found`. */
export async function readMailbox(tx: MailboxTx, sealer: Sealer, id: number): Promise<KeptMessage> {
  const kept = await tx.mailbox.find(id);
  if (kept === null) throw new Refusal('not_found', `there is no message ${id} in the mailbox`);
  return open(sealer, kept);
}

/**
 * Re-encrypts with the newest key of the ring every message that an older key sealed, in
 * transactions of at most `batch` messages. Returns how many.
 */
export function resealMailbox(unitOfWork: UnitOfWork<MailboxTx>, sealer: Sealer, batch = 100): Promise<number> {
  return resealAll(unitOfWork, {
    first: { id: 0 },
    next: ({ mailbox }, { id }) => mailbox.listAfter(id, batch),
    async reseal({ mailbox }, { id, message_sealed }) {
      const resealed = reseal(sealer, purpose, message_sealed);
      if (resealed === null) return 0;
      await mailbox.reseal(id, resealed);
      return 1;
    },
  });
}

function seal(sealer: Sealer, { to, subject, text, html }: MailMessage): Uint8Array {
  return sealer.seal(purpose, new TextEncoder().encode(JSON.stringify({ to, subject, text, html })));
}

function open(sealer: Sealer, { id, message_sealed, received_at_ms }: SealedMessage): KeptMessage {
  const message = JSON.parse(new TextDecoder().decode(sealer.open(purpose, message_sealed))) as MailMessage;
  return { id, ...message, received_at_ms };
}

import {
  type Clock,
  Fault,
  type Page,
  type PageRequest,
  Refusal,
  type Sealer,
  type UnitOfWork,
} from '@tallystick/kernel';
import type { Mailer, MailMessage, MailTx, SealedMessage } from './mail-ports.ts';

/** What a sealed message is bound to. */
const purpose = 'mailbox.message';

/** A message as the sandbox's mailbox shows it. */
export interface KeptMessage extends MailMessage {
  readonly id: number;
  readonly received_at_ms: number;
}

type MailboxTx = Pick<MailTx, 'mailbox'>;

/** Delivers every message to the sandbox's mailbox, sealed, instead of to anyone's. */
export function mailboxMailer(parts: {
  readonly unitOfWork: UnitOfWork<MailboxTx>;
  readonly sealer: Sealer;
  readonly clock: Clock;
}): Mailer {
  return {
    async send(message) {
      const kept = { message_sealed: seal(parts.sealer, message), received_at_ms: parts.clock.now().epochMilliseconds };
      try {
        await parts.unitOfWork.run((tx) => tx.mailbox.insert(kept));
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
  return { items: items.map((kept) => opened(sealer, kept)), next };
}

/** One message; refuses `not_found`. */
export async function readMailbox(tx: MailboxTx, sealer: Sealer, id: number): Promise<KeptMessage> {
  const kept = await tx.mailbox.find(id);
  if (kept === null) throw new Refusal('not_found', `there is no message ${id} in the mailbox`);
  return opened(sealer, kept);
}

/** Seals anew, with the newest key of the ring, every message that an older one sealed. Returns how many: part of a key rotation. */
export async function resealMailbox(
  unitOfWork: UnitOfWork<MailboxTx>,
  sealer: Sealer,
  batch_max = 100,
): Promise<number> {
  let resealed = 0;
  for (let after_id = 0; ; ) {
    const from_id = after_id;
    const done = await unitOfWork.run(async ({ mailbox }) => {
      const kept = await mailbox.listAfter(from_id, batch_max);
      const stale = kept.filter(({ message_sealed }) => !sealer.isCurrent(message_sealed));
      for (const { id, message_sealed } of stale) {
        await mailbox.reseal(id, sealer.seal(purpose, sealer.open(purpose, message_sealed)));
      }
      return { count: stale.length, last_id: kept.at(-1)?.id };
    });
    resealed += done.count;
    if (done.last_id === undefined) return resealed;
    after_id = done.last_id;
  }
}

function seal(sealer: Sealer, { to, subject, text, html }: MailMessage): Uint8Array {
  return sealer.seal(purpose, new TextEncoder().encode(JSON.stringify({ to, subject, text, html })));
}

function opened(sealer: Sealer, { id, message_sealed, received_at_ms }: SealedMessage): KeptMessage {
  const message = JSON.parse(new TextDecoder().decode(sealer.open(purpose, message_sealed))) as MailMessage;
  return { id, ...message, received_at_ms };
}

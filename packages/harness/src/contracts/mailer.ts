import type { Mailer, MailMessage, MailOutcome } from '@tallystick/cards';
import { assert } from '@tallystick/kernel';
import type { ContractRule } from './contract-rule.ts';
import { assertEqual } from './equality.ts';

/**
 * What the other side of a mailer does with the messages from now on: it takes them; refuses the
 * address for good; refuses them for now; is not there; or receives them and answers when it is
 * released. Refusals repeat the text of the message.
 */
export type MailReception = 'takes' | 'refuses_address' | 'refuses_for_now' | 'is_away' | 'holds';

/** A mailer and its other side, which a test plays. */
export interface MailerWithReceiver {
  readonly mailer: Mailer;
  /**
   * A mailer to the same other side that gives up after a fraction of a second: one rule waits for
   * it.
   */
  readonly impatient_mailer: Mailer;
  receives(reception: MailReception): Promise<void>;
  /** The messages that were received, in the order of their arrival. */
  received(): readonly MailMessage[];
  /** Resolves once that many messages have been received in all. */
  arrived(count: number): Promise<void>;
  /** Answers the messages that are held: taken. */
  release(): void;
}

const link = 'https://cards.example/card-details/abc';

function messageTo(to: string): MailMessage {
  return {
    to,
    subject: 'Your virtual card ending in 4242',
    text: `Réception, show it:\n${link}\n`,
    html: `<p>Réception, show it: <a href="${link}">here</a></p>\n`,
  };
}

/** Asserts that the message was not taken, and that the reason repeats nothing of it. */
function assertNotTaken(what: string, outcome: MailOutcome, for_good: boolean): void {
  assert(outcome.kind === 'not_taken', `${what}: the message was taken`);
  assertEqual(outcome.for_good, for_good, `${what}: for good`);
  assert(outcome.error.length > 0, `${what}: no reason`);
  assert(!outcome.error.includes(link), `${what}: the reason repeats the message`);
}

/** What every adapter of `Mailer` promises. The caller closes the mailer and its other side. */
export const mailer_contract: readonly ContractRule<MailerWithReceiver>[] = [
  {
    rule: 'a message that is taken has arrived, with its address, subject, text and HTML',
    async check(open) {
      const { mailer, received, receives } = await open();
      await receives('takes');
      const message = messageTo('ann@example.com');
      assertEqual(await mailer.send(message), { kind: 'taken' }, 'the outcome');
      assertEqual(received(), [message], 'received');
    },
  },
  {
    rule: 'a refused address is given up for good, and any other refusal is not; the reason repeats nothing',
    async check(open) {
      const { mailer, received, receives } = await open();
      await receives('refuses_address');
      assertNotTaken('a refused address', await mailer.send(messageTo('nobody@example.com')), true);
      await receives('refuses_for_now');
      assertNotTaken('a refused message', await mailer.send(messageTo('ann@example.com')), false);
      assertEqual(received(), [], 'received');
      await receives('takes');
      assertEqual(await mailer.send(messageTo('ann@example.com')), { kind: 'taken' }, 'the next');
    },
  },
  {
    rule: 'an other side that is not there is an outcome, not an error',
    async check(open) {
      const { mailer, received, receives } = await open();
      await receives('is_away');
      assertNotTaken('nobody there', await mailer.send(messageTo('ann@example.com')), false);
      assertEqual(received(), [], 'received');
    },
  },
  {
    rule: 'a message that is never answered is over in time, and is not taken',
    async check(open) {
      const { impatient_mailer, receives } = await open();
      await receives('holds');
      assertNotTaken('no answer', await impatient_mailer.send(messageTo('ann@example.com')), false);
    },
  },
  {
    rule: 'messages that are sent at once arrive once each',
    async check(open) {
      const { mailer, received, receives } = await open();
      await receives('takes');
      const addresses = Array.from({ length: 12 }, (_, place) => `to-${place}@example.com`).toSorted();
      const outcomes = await Promise.all(addresses.map((to) => mailer.send(messageTo(to))));
      assertEqual(
        outcomes,
        addresses.map(() => ({ kind: 'taken' })),
        'the outcomes',
      );
      assertEqual(
        received()
          .map(({ to }) => to)
          .toSorted(),
        addresses,
        'the addresses',
      );
    },
  },
  {
    rule: 'closing waits for a message on its way',
    async check(open) {
      const { arrived, mailer, receives, release } = await open();
      await receives('holds');
      const sending = mailer.send(messageTo('ann@example.com'));
      await arrived(1);
      const closing = mailer.close();
      release();
      assertEqual(await sending, { kind: 'taken' }, 'the outcome');
      await closing;
    },
  },
  {
    rule: 'a closed mailer takes no message and does not reject',
    async check(open) {
      const { mailer, received, receives } = await open();
      await receives('takes');
      await mailer.close();
      assertEqual((await mailer.send(messageTo('ann@example.com'))).kind, 'not_taken', 'the outcome');
      assertEqual(received(), [], 'received');
      await mailer.close();
    },
  },
];

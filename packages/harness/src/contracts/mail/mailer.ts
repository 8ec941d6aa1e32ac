import type { Mailer, MailMessage, MailOutcome } from '@tallystick/cards';
import { assert } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { type ContractRule, rule } from '../rule.ts';

/**
 * How the receiver of a mailer treats messages from now on. It accepts them; refuses the address
 * permanently; refuses them temporarily; is unavailable; or receives them and answers when it is
 * released. Refusals repeat the text of the message.
 */
export type MailReception = 'takes' | 'refuses_address' | 'refuses_for_now' | 'is_away' | 'holds';

/** A mailer and its receiver, which a test controls. */
export interface MailerWithReceiver {
  readonly mailer: Mailer;
  /**
   * A mailer with the same receiver that gives up after a fraction of a second, because one rule
   * waits for that.
   */
  readonly impatient_mailer: Mailer;
  receives(reception: MailReception): Promise<void>;
  /** The messages that were received, in the order of their arrival. */
  received(): readonly MailMessage[];
  /** Resolves after that many messages were received in total. */
  arrived(count: number): Promise<void>;
  /** Accepts the messages that wait for an answer. */
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

/** Asserts that the message was not accepted, and that the reason repeats nothing of it. */
function assertNotTaken(what: string, outcome: MailOutcome, for_good: boolean): void {
  assert(outcome.kind === 'not_taken', `${what}: the message was taken`);
  assertEqual(outcome.for_good, for_good, `${what}: for good`);
  assert(outcome.error.length > 0, `${what}: no reason`);
  assert(!outcome.error.includes(link), `${what}: the reason repeats the message`);
}

/** The contract of every adapter of `Mailer`. The caller closes the mailer and its receiver. */
export const mailer_contract: readonly ContractRule<MailerWithReceiver>[] = [
  rule(
    'an accepted message has arrived, with its address, subject, text and HTML',
    async ({ mailer, received, receives }) => {
      await receives('takes');
      const message = messageTo('ann@example.com');
      assertEqual(await mailer.send(message), { kind: 'taken' }, 'the outcome');
      assertEqual(received(), [message], 'received');
    },
  ),
  rule(
    'only a refused address is a permanent failure; the reason repeats nothing of the message',
    async ({ mailer, received, receives }) => {
      await receives('refuses_address');
      assertNotTaken('a refused address', await mailer.send(messageTo('nobody@example.com')), true);
      await receives('refuses_for_now');
      assertNotTaken('a refused message', await mailer.send(messageTo('ann@example.com')), false);
      assertEqual(received(), [], 'received');
      await receives('takes');
      assertEqual(await mailer.send(messageTo('ann@example.com')), { kind: 'taken' }, 'the next');
    },
  ),
  rule('an unavailable receiver is an outcome, not an error', async ({ mailer, received, receives }) => {
    await receives('is_away');
    assertNotTaken('an unavailable receiver', await mailer.send(messageTo('ann@example.com')), false);
    assertEqual(received(), [], 'received');
  }),
  rule('a message that is never answered fails within the time limit', async ({ impatient_mailer, receives }) => {
    await receives('holds');
    assertNotTaken('no answer', await impatient_mailer.send(messageTo('ann@example.com')), false);
  }),
  rule('messages that are sent concurrently arrive once each', async ({ mailer, received, receives }) => {
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
  }),
  rule('closing waits for a message in transit', async ({ arrived, mailer, receives, release }) => {
    await receives('holds');
    const sending = mailer.send(messageTo('ann@example.com'));
    await arrived(1);
    const closing = mailer.close();
    release();
    assertEqual(await sending, { kind: 'taken' }, 'the outcome');
    await closing;
  }),
  rule('a closed mailer accepts no message and does not reject', async ({ mailer, received, receives }) => {
    await receives('takes');
    await mailer.close();
    assertEqual((await mailer.send(messageTo('ann@example.com'))).kind, 'not_taken', 'the outcome');
    assertEqual(received(), [], 'received');
    await mailer.close();
  }),
];

import type { SealedMessage } from '@tallystick/cards';
import { assert } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { type MailStorage, now_ms } from './mail-storage.ts';

/**
 * Empties the mailbox and inserts a message for each instant. Returns the messages, the oldest id
 * first.
 */
async function fillMailbox(
  { unitOfWork }: MailStorage,
  received_at_ms: readonly number[],
): Promise<readonly SealedMessage[]> {
  return await unitOfWork.run(async ({ mailbox }) => {
    await mailbox.purge(Number.MAX_SAFE_INTEGER, 1_000);
    for (const [place, at_ms] of received_at_ms.entries())
      await mailbox.insert({ message_sealed: new Uint8Array([0, 255, place]), received_at_ms: at_ms });
    const { items } = await mailbox.list({ limit: 100 });
    const messages = items.toReversed();
    assertEqual(
      messages,
      received_at_ms.map((at_ms, place) => ({
        id: messages[place]?.id,
        message_sealed: new Uint8Array([0, 255, place]),
        received_at_ms: at_ms,
      })),
      'the messages',
    );
    return messages;
  });
}

export const mailbox_store_contract: readonly ContractRule<MailStorage>[] = [
  rule('messages are read as they were inserted, newest first, on pages that omit none', async (here) => {
    const there = await anotherOf(here);
    const messages = await fillMailbox(here, [now_ms + 2, now_ms, now_ms + 1]);
    await there.unitOfWork.read(async ({ mailbox }) => {
      const first = await mailbox.list({ limit: 2 });
      assert(first.next !== null, 'the first page has no cursor');
      const second = await mailbox.list({ limit: 2, after: first.next });
      assertEqual([...first.items, ...second.items], messages.toReversed(), 'two pages');
      assertEqual(second.next, null, 'the cursor of the last page');
      assertEqual(await mailbox.find(messages[1]!.id), messages[1], 'one message');
      assertEqual(await mailbox.find(999_999_999), null, 'an unknown message');
    });
  }),
  rule('messages are read in batches in ascending order of id, and their sealed value is replaced', async (here) => {
    const messages = await fillMailbox(here, [now_ms, now_ms, now_ms]);
    const [first, second, third] = messages as [SealedMessage, SealedMessage, SealedMessage];
    await here.unitOfWork.run(async ({ mailbox }) => {
      assertEqual(await mailbox.listAfter(first.id - 1, 2), [first, second], 'a batch');
      assertEqual(await mailbox.listAfter(second.id, 2), [third], 'the next batch');
      assertEqual(await mailbox.listAfter(third.id, 2), [], 'the last batch');
      await mailbox.reseal(second.id, new Uint8Array([9]));
      assertEqual(await mailbox.find(second.id), { ...second, message_sealed: new Uint8Array([9]) }, 'the message');
      assertEqual(await mailbox.find(third.id), third, 'another message');
    });
  }),
  rule('messages received before the instant are purged, at most the limit', async (here) => {
    const messages = await fillMailbox(here, [now_ms, now_ms + 1, now_ms + 2]);
    const purge = (before_ms: number, limit: number) => here.unitOfWork.run((tx) => tx.mailbox.purge(before_ms, limit));
    assertEqual(await purge(now_ms, 9), 0, 'at the instant itself');
    assertEqual(await purge(now_ms + 2, 1), 1, 'one of two');
    assertEqual(await purge(now_ms + 2, 9), 1, 'the other');
    const { items } = await here.unitOfWork.read((tx) => tx.mailbox.list({ limit: 9 }));
    assertEqual(items, messages.slice(2), 'what is left');
  }),
];

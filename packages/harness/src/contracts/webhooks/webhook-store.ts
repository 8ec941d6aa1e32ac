import { updateWebhook, type Webhook } from '@tallystick/events';
import { assert, Refusal } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { newCompany } from '../storage/storage.ts';
import {
  appendEvents,
  callOf,
  clear_sealer,
  deliveriesOf,
  lease,
  now_ms,
  queued,
  register,
  relayAll,
  resultOf,
  success,
  type WebhookStorage,
  writeWebhook,
} from './webhook-storage.ts';

function webhooksOf({ unitOfWork }: WebhookStorage, company_id: number): Promise<readonly Webhook[]> {
  return unitOfWork.read(async (tx) => (await tx.webhooks.list(company_id, { limit: 100 })).items);
}

/** Asserts that every rejection is a refusal. Returns for each outcome whether it was fulfilled. */
function fulfilled(outcomes: readonly PromiseSettledResult<unknown>[]): readonly boolean[] {
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert(outcome.reason instanceof Refusal, `not refused: ${outcome.reason}`);
  return outcomes.map(({ status }) => status === 'fulfilled');
}

/**
 * Registers webhooks with the types of `before`, then starts all updates to the types of `wanted`
 * at the same time.
 */
async function updateTypesAtOnce(
  here: WebhookStorage,
  before: readonly (readonly number[])[],
  wanted: readonly (readonly number[])[],
): Promise<{ readonly made: readonly boolean[]; readonly runs: number }> {
  const there = await anotherOf(here);
  const company_id = await newCompany(here);
  const webhooks: Webhook[] = [];
  for (const event_type_ids of before) webhooks.push(await register(here, company_id, { event_type_ids }));
  let runs = 0;
  const outcomes = await Promise.allSettled(
    webhooks.map(({ id }, place) =>
      (place % 2 === 0 ? here : there).unitOfWork.run((tx) => {
        runs += 1;
        const change = { event_type_ids: wanted[place]! };
        return updateWebhook(tx, { sealer: clear_sealer }, callOf(company_id), id, change);
      }),
    ),
  );
  const made = fulfilled(outcomes);
  const after = (await webhooksOf(here, company_id)).toReversed().map(({ event_type_ids }) => event_type_ids);
  const expected = made.map((is_made, place) => (is_made ? wanted : before)[place]);
  assertEqual(after, expected, 'the stored types are those of the updates that were not refused');
  return { made, runs };
}

export const webhook_store_contract: readonly ContractRule<WebhookStorage>[] = [
  rule('a webhook is read as it was inserted, by its company only', async (here) => {
    const there = await anotherOf(here);
    const [own, other] = [await newCompany(here), await newCompany(here)];
    const change = { previous_secret_sealed: new Uint8Array([0, 255]), previous_secret_until_ms: now_ms + 1 };
    const webhook = await register(here, own, { ...change, event_type_ids: [3, 10] });
    for (const { unitOfWork } of [here, there]) {
      const find = (company_id: number) => unitOfWork.read((tx) => tx.webhooks.find(company_id, webhook.id));
      assertEqual(await find(own), webhook, 'the webhook');
      assertEqual(await find(other), null, "another company's webhook");
    }
    const held = await here.unitOfWork.run((tx) => tx.webhooks.find(own, webhook.id, { for_update: true }));
    assertEqual(held, webhook, 'the webhook held for update');
    assertEqual(await webhooksOf(here, other), [], 'the list of another company');
  }),
  rule('webhooks are listed newest first, on pages that omit none', async (here) => {
    const company_id = await newCompany(here);
    const made: Webhook[] = [];
    for (const type of [1, 2, 3, 4, 5]) made.unshift(await register(here, company_id, { event_type_ids: [type] }));
    await here.unitOfWork.read(async ({ webhooks }) => {
      const first = await webhooks.list(company_id, { limit: 2 });
      assert(first.next !== null, 'the first page has no cursor');
      const second = await webhooks.list(company_id, { limit: 3, after: first.next });
      assertEqual([...first.items, ...second.items], made, 'two pages');
      assertEqual(second.next, null, 'the cursor of the last page');
      assertEqual((await webhooks.list(company_id, { limit: 9, offset: 4 })).items, made.slice(4), 'the rest');
    });
  }),
  rule('an update writes all fields except the id, the company and the callback URL', async (here) => {
    const company_id = await newCompany(here);
    const webhook = await register(here, company_id);
    const changed: Webhook = {
      ...webhook,
      event_type_ids: [7, 10, 1, 6, 7],
      status: 'inactive',
      secret_sealed: new Uint8Array([9]),
      previous_secret_sealed: new Uint8Array([8]),
      previous_secret_until_ms: now_ms,
    };
    await writeWebhook(here, { ...changed, callback_url: 'https://other.example/' });
    assertEqual(await webhooksOf(here, company_id), [changed], 'the updated webhook');
  }),
  rule(
    'an event type is on one webhook of a company, 6 and 10 are one type, and another company may use it',
    async (here) => {
      const [own, other] = [await newCompany(here), await newCompany(here)];
      const first = await register(here, own, { event_type_ids: [6, 2], status: 'inactive' });
      const taken = await refusalOf(register(here, own, { event_type_ids: [10] }), 'a type that is taken');
      assert(taken.message.includes(`webhook ${first.id} `), `the refusal does not name the owner: ${taken.message}`);
      await register(here, other, { event_type_ids: [10] });
      const second = await register(here, own, { event_type_ids: [3] });
      const update = (webhook: Webhook) => writeWebhook(here, webhook);
      await refusalOf(update({ ...second, event_type_ids: [3, 2] }), 'an update to a type that is taken');
      assertEqual(await webhooksOf(here, own), [second, first], 'after a refused update');
      await update({ ...first, event_type_ids: [7] });
      await register(here, own, { event_type_ids: [10] });
    },
  ),
  rule('exactly one of many racing inserts for one type succeeds', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 16 }, (_, place) =>
        register(place % 2 === 0 ? here : there, company_id, { event_type_ids: place % 3 === 0 ? [6, 7] : [7, 10] }),
      ),
    );
    assertEqual(fulfilled(outcomes).filter(Boolean).length, 1, 'how many succeeded');
  }),
  rule(
    'two webhooks that exchange their types concurrently are both refused, like two successive changes',
    async (here) => {
      for (let round = 0; round < 5; round += 1) {
        const { made, runs } = await updateTypesAtOnce(here, [[2], [3]], [[3], [2]]);
        assertEqual(made, [false, false], 'what succeeded');
        assertEqual(runs, 2, 'how often the work ran: neither waits for the other in a ring');
      }
    },
  ),
  rule('concurrent updates that pass types on have the result of successive updates', async (here) => {
    for (let round = 0; round < 10; round += 1) {
      // Each update needs a type that the previous one gives up. When the second is refused, the
      // third is also refused.
      const { made, runs } = await updateTypesAtOnce(here, [[2, 3], [4, 5], [7]], [[11], [3, 2], [5]]);
      assertEqual(runs, 3, 'how often the work ran');
      const [first, second, third] = made;
      assert(first && (second || !third), `no order of the updates ends in ${made}`);
    }
  }),
  rule(
    'an insert with the types of a webhook that is being deleted succeeds, or is refused because of the owner',
    async (here) => {
      const there = await anotherOf(here);
      for (let round = 0; round < 10; round += 1) {
        const company_id = await newCompany(here);
        const webhook = await register(here, company_id, { event_type_ids: [2] });
        const [deleted, ...taken] = await Promise.allSettled([
          there.unitOfWork.run((tx) => tx.webhooks.delete(company_id, webhook.id)),
          ...Array.from({ length: 3 }, (_, place) =>
            register(place % 2 === 0 ? here : there, company_id, { event_type_ids: [2] }),
          ),
        ]);
        assertEqual(deleted, { status: 'fulfilled', value: true }, 'the deletion');
        const items = await webhooksOf(here, company_id);
        assertEqual(items.length, fulfilled(taken).filter(Boolean).length, 'the number of webhooks');
        assert(items.length <= 1, 'two webhooks have one type');
        const owners = [webhook.id, ...items.map(({ id }) => id)];
        for (const outcome of taken) {
          if (outcome.status === 'fulfilled') continue;
          const { message } = outcome.reason as Refusal;
          assert(owners.includes(Number(/webhook (\d+)/.exec(message)?.[1])), `no owner: ${message}`);
        }
      }
    },
  ),
  rule(
    'deleting a webhook deletes its deliveries and frees its types; an unknown webhook returns false',
    async (here) => {
      const { webhook, ids } = await queued(here, 3);
      const { id, company_id } = webhook;
      const [order] = await here.delivery_desk.claim(ids.slice(0, 1), now_ms, lease);
      assert(order !== undefined, 'nothing was claimed');
      await here.delivery_desk.record([resultOf(order, success)]);
      const remove = (owner_id: number) => here.unitOfWork.run((tx) => tx.webhooks.delete(owner_id, id));
      assertEqual(await remove(await newCompany(here)), false, "deleting another company's webhook");
      assertEqual((await deliveriesOf(here, id)).length, 3, 'its deliveries before');
      assertEqual(await remove(company_id), true, 'deleting it');
      assertEqual(await remove(company_id), false, 'deleting it again');
      assertEqual(await deliveriesOf(here, id), [], 'its deliveries');
      assertEqual(await here.unitOfWork.read((tx) => tx.deliveries.read(id, ids[0]!)), null, 'one delivery');
      assertEqual(await here.delivery_desk.claim(ids, now_ms, lease), [], 'what can be claimed');
      const next = await register(here, company_id);
      await appendEvents(here, company_id, 1);
      await relayAll(here);
      assertEqual((await deliveriesOf(here, next.id)).length, 1, 'deliveries of its successor');
    },
  ),
  rule('webhooks of all companies are read in batches in ascending order of id', async (here) => {
    const made: Webhook[] = [];
    for (let place = 0; place < 3; place += 1) made.push(await register(here, await newCompany(here)));
    const [first, second, third] = made as [Webhook, Webhook, Webhook];
    const after = (id: number, limit: number) => here.unitOfWork.run((tx) => tx.webhooks.listAfter(id, limit));
    assertEqual(await after(first.id - 1, 2), [first, second], 'two after the one before the first');
    assertEqual(await after(second.id, 2), [third], 'the rest');
    assertEqual(await after(third.id, 2), [], 'after the last');
  }),
];

import assert from 'node:assert/strict';
import type { Temporal } from '@tallystick/kernel';
import { importClearings, reconcile } from './demo-files.ts';
import {
  expectBalance,
  type IssuedCard,
  issue,
  type Json,
  moveClock,
  openScene,
  type Purchased,
  purchase,
  type Scene,
  send,
  showInstant,
} from './demo-scene.ts';
import { openStoryWebhook, retryOnce, showDeliveries } from './demo-webhook.ts';
import type { Narrator } from './narrator.ts';
import { clearingMessage } from './network-messages.ts';
import { createSandboxClient } from './sandbox-client.ts';

const zone = 'America/New_York';
const hold_days = 7;

/** Plays the story against the sandbox at `url`. Rejects when the service answers differently. */
export async function playStory(url: string, narrator: Narrator): Promise<void> {
  const scene = openScene(createSandboxClient(url), narrator);
  narrator.line(`Tallystick at ${url}`);
  narrator.chapter('The clock');
  await moveClock(scene, { advance: 'PT0S' });
  const tomorrow = scene.now.toZonedDateTimeISO('UTC').add({ days: 1 }).withPlainTime('09:00');
  await moveClock(scene, { set: tomorrow.toInstant().toString(), frozen: true });
  narrator.line('The sandbox clock is frozen, so that the story is the same each time', showInstant(scene.now));
  const started_at = scene.now;

  const webhook = await openStoryWebhook(scene);
  let cleared: Json;
  let cards: readonly [IssuedCard, IssuedCard];
  let open_purchase: Purchased;
  try {
    const template_id = await requestTemplate(scene);
    narrator.chapter('A virtual card: 450.00 a day, 200.00 per transaction, three uses a day');
    const card = await issue(scene, {
      total_card_amount: 450_00,
      per_transaction_max: 200_00,
      transactions_max: 3,
      recurring: 'Daily',
      template_id,
    });
    cleared = await spendWithinAndBeyondLimits(scene, card);
    await rollTheWindowOver(scene, card);
    const [aging_card, last_purchase] = await ageAHoldOff(scene);
    open_purchase = last_purchase;
    cards = [card, aging_card];
    narrator.chapter('The first card is cancelled');
    await scene.sandbox.delete(`/v1/virtualcards/${card.id}`);
    await purchase(scene, card, 'K', '10.00 on the cancelled card', 10_00);
    const events = await readEvents(scene, started_at, cards);
    if (webhook !== null) {
      await showDeliveries(scene, webhook, events);
      await retryOnce(scene, webhook);
    }
  } finally {
    await webhook?.close();
  }
  const cleared_by_file = await importClearings(scene, cleared, cards[1], open_purchase);
  await reconcile(scene, [cleared, cleared_by_file], cards);
  await moveClock(scene, { frozen: false });
  narrator.chapter('The end');
  narrator.line('The clock runs again. Every answer was as expected.');
}

async function requestTemplate(scene: Scene): Promise<string> {
  const { sandbox, narrator, mark } = scene;
  narrator.chapter('A purchase template: fuel and groceries, nothing else');
  const path = '/v1/content/virtualcard-templates';
  const requested = await sandbox.post('client', path, {
    data: {
      name: `Fuel and groceries ${mark}`,
      description: 'Where the drivers may pay',
      mcc_list: ['5411', '5541'],
      mcc_rule: 'ALLOW',
      required_control: 'VELOCITY',
    },
  });
  const { status, transaction_key } = (requested.data ?? requested) as Json;
  narrator.line('The client requests it', String(status));
  await moveClock(scene, { advance: 'PT10M', frozen: true });
  const [template] = (await sandbox.get(`${path}?filter[transaction_key]=${transaction_key}`)).data as Json[];
  assert.equal(template?.status, 'ACTIVE');
  narrator.line('Ten minutes later the card network has completed it', 'ACTIVE');
  return String(template.id);
}

async function spendWithinAndBeyondLimits(scene: Scene, card: IssuedCard): Promise<Json> {
  const { narrator, sandbox } = scene;
  narrator.chapter('Authorizations arrive from the network');
  const groceries = await purchase(scene, card, 'V', '120.00 for groceries', 120_00);
  await purchase(scene, card, 'E', '250.00 is more than 200.00 per transaction', 250_00);
  await purchase(scene, card, 'J', '30.00 in a restaurant', 30_00, { mcc: '5812' });
  const other_code = String((Number(card.cvc) + 1) % 1000).padStart(3, '0');
  await purchase(scene, card, 'C', '30.00 with a wrong security code', 30_00, { cvc: other_code });
  const fuel = await purchase(scene, card, 'V', '180.00 for fuel', 180_00, { mcc: '5541' });
  await purchase(scene, card, 'F', '200.00 when 150.00 is left', 200_00);

  narrator.chapter('A repeated message and a reversal');
  const { approval_code } = await send(scene, groceries.message);
  assert.equal(approval_code, groceries.decision.approval_code);
  narrator.line('The first message is repeated', `the first answer, approval code ${approval_code}`);
  await send(scene, { ...fuel.message, message_type_indicator: 'Reversal Request' });
  scene.decisions += 1;
  narrator.line('The fuel is reversed: its hold is released, and its use no longer counts');
  await expectBalance(scene, card, 330_00);
  await purchase(scene, card, 'V', '150.00 for groceries', 150_00);
  await purchase(scene, card, 'V', '100.00 for fuel', 100_00, { mcc: '5541' });
  await purchase(scene, card, 'G', '50.00 would be the fourth use of the day', 50_00);

  narrator.chapter('A clearing: the first groceries cost 118.50');
  const paid = { amount: 118_50, currency: 'USD', at: scene.now };
  const clearing = clearingMessage(groceries.message, approval_code, paid, `demo-${scene.mark}-1`);
  await sandbox.post('network', '/network/v1/clearings', { data: clearing });
  narrator.line('118.50 is cleared, and the remaining 1.50 of the hold is released');
  await expectBalance(scene, card, 81_50);
  return clearing;
}

async function rollTheWindowOver(scene: Scene, card: IssuedCard): Promise<void> {
  scene.narrator.chapter('The day ends at midnight UTC');
  const midnight = scene.now.toZonedDateTimeISO('UTC').add({ days: 1 }).startOfDay().toInstant();
  await moveClock(scene, { set: midnight.subtract({ seconds: 1 }).toString(), frozen: true });
  await purchase(scene, card, 'G', 'One second before, 50.00 is still the fourth use', 50_00);
  await moveClock(scene, { advance: 'PT1S', frozen: true });
  await expectBalance(scene, card, 450_00);
  await purchase(scene, card, 'V', 'Midnight: 50.00 is the first use of the new day', 50_00);
}

/** Returns the card, and its purchase that is still on hold. */
async function ageAHoldOff(scene: Scene): Promise<readonly [IssuedCard, Purchased]> {
  const { narrator } = scene;
  narrator.chapter(`A card with aging velocity: a hold lasts ${hold_days} days in ${zone}`);
  const card = await issue(scene, {
    total_card_amount: 100_00,
    authorization_hold_days: hold_days,
    aging_velocity_time_zone: zone,
  });
  await purchase(scene, card, 'V', '90.00 is authorized, and never cleared', 90_00);
  await purchase(scene, card, 'F', '50.00 when 10.00 is left', 50_00);
  const day = scene.now.toZonedDateTimeISO(zone).toPlainDate().add({ days: hold_days });
  const hold_end = day.toZonedDateTime({ timeZone: zone, plainTime: '00:00:01' }).toInstant();
  await moveClock(scene, { set: hold_end.subtract({ seconds: 1 }).toString(), frozen: true });
  await expectBalance(scene, card, 10_00);
  await moveClock(scene, { advance: 'PT1S', frozen: true });
  narrator.line('00:00:01 local time: the hold has aged off', showInstant(scene.now));
  await expectBalance(scene, card, 100_00);
  return [card, await purchase(scene, card, 'V', '50.00 once more', 50_00)];
}

async function readEvents(scene: Scene, since: Temporal.Instant, cards: readonly IssuedCard[]) {
  const { sandbox, narrator, mark } = scene;
  narrator.chapter('The events of the story');
  const events: Json[] = [];
  let path: string | null = `/v1/events?page[limit]=100&filter[created_at]=[${showInstant(since)},]`;
  while (path !== null) {
    const page: Json = await sandbox.get(path);
    events.unshift(...[...(page.data as Json[])].reverse());
    path = (page.links as Json).next as string | null;
  }
  const ids = new Set(cards.map(({ id }) => Number(id)));
  const own = events.filter(({ payload }) => {
    const { name, vcn_id, id } = payload as Json;
    return String(name).endsWith(mark) || ids.has(Number(vcn_id ?? id));
  });
  const kinds = Object.groupBy(own, ({ event_type }) => String(event_type));
  for (const [type, of_type] of Object.entries(kinds)) narrator.line(type, String(of_type!.length));
  assert.equal(kinds['virtualcard.realtime.auths']?.length, scene.decisions);
  assert.equal(kinds['virtualcard.clearings']?.length, 1);
  narrator.line(`${own.length} events: one for each change, none for the repeated message`);
  return own;
}

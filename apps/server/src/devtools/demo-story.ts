import assert from 'node:assert/strict';
import { openStoryWebhook, retryOnce, type StoryEvent, showDeliveries } from './demo-deliveries.ts';
import { type ApprovedPurchase, type FileChapter, importFile } from './demo-file.ts';
import { reconcile } from './demo-reconciliation.ts';
import {
  dollars,
  expectBalance,
  type IssuedCard,
  issue,
  moveClock,
  openScene,
  purchase,
  type Scene,
  send,
  showInstant,
} from './demo-scene.ts';
import type { Narrator } from './narrator.ts';
import { clearingMessage } from './network-messages.ts';
import { createSandboxClient, type Json } from './sandbox-client.ts';

const zone = 'America/New_York';
const hold_days = 7;

/**
 * Plays the story against the sandbox at `url` and prints it. Throws if the service answers
 * differently.
 */
export async function playStory(url: string, narrator: Narrator): Promise<void> {
  const scene = openScene(createSandboxClient(url), narrator);
  narrator.line(`Tallystick at ${url}`);

  narrator.chapter('The clock');
  const reading = await moveClock(scene, { advance: 'PT0S' });
  const tomorrow = reading.toZonedDateTimeISO('UTC').add({ days: 1 }).withPlainTime('09:00');
  const started_at = await moveClock(scene, { set: tomorrow.toInstant().toString(), frozen: true });
  narrator.line('The sandbox clock is frozen, so that the story is the same each time', showInstant(started_at));

  const webhook = await openStoryWebhook(scene);
  let file: FileChapter;
  let cards: readonly IssuedCard[];
  try {
    const template_id = await requestTemplate(scene);
    const card = await issueDailyCard(scene, template_id);
    const cleared = await spendWithinAndBeyondLimits(scene, card);
    await rollTheWindowOver(scene, card);
    const [aging_card, open_purchase] = await ageAHoldOff(scene);
    file = { cleared, card: aging_card, open_purchase };
    cards = [card, aging_card];
    await cancelCard(scene, card);
    const events = await readEvents(scene, started_at, [card, aging_card]);
    if (webhook !== null) {
      await showDeliveries(scene, webhook, events);
      await retryOnce(scene, webhook);
    }
  } finally {
    await webhook?.close();
  }
  const cleared_by_file = await importFile(scene, file);
  await reconcile(scene, { groceries: file.cleared, open_purchase: cleared_by_file, cards });

  await moveClock(scene, { frozen: false });
  narrator.chapter('The end');
  narrator.line('The clock runs again. Every answer was as expected.');
}

async function requestTemplate(scene: Scene): Promise<string> {
  const { sandbox, narrator, mark } = scene;
  narrator.chapter('A purchase template: fuel and groceries, nothing else');
  const path = '/v1/content/virtualcard-templates';
  const acknowledged = await sandbox.post('client', path, {
    name: `Fuel and groceries ${mark}`,
    description: 'Where the drivers may pay',
    mcc_list: ['5411', '5541'],
    mcc_rule: 'ALLOW',
    required_control: 'VELOCITY',
  });
  const acknowledgement = (acknowledged.data ?? acknowledged) as Json;
  assert.equal(acknowledgement.status, 'PENDING');
  narrator.line('The client requests it', 'PENDING');
  const status = `${path}?filter[transaction_key]=${acknowledgement.transaction_key}`;
  await moveClock(scene, { advance: 'PT10M', frozen: true });
  const [template] = (await sandbox.get(status)).data as Json[];
  assert.equal(template?.status, 'ACTIVE');
  narrator.line('Ten minutes later it is completed offline', 'ACTIVE');
  return String(template.id);
}

async function issueDailyCard(scene: Scene, template_id: string): Promise<IssuedCard> {
  scene.narrator.chapter('A virtual card: 450.00 a day, 200.00 per transaction, three uses a day');
  const card = await issue(scene, {
    total_card_amount: 450_00,
    per_transaction_max: 200_00,
    transactions_max: 3,
    recurring: 'Daily',
    template_id,
    metadata: { story: scene.mark },
  });
  await expectBalance(scene, card, 450_00);
  return card;
}

/** Returns the clearing of the first purchase. */
async function spendWithinAndBeyondLimits(scene: Scene, card: IssuedCard): Promise<Json> {
  const { narrator } = scene;
  narrator.chapter('Authorizations arrive from the network');
  const groceries = await purchase(scene, card, 'V', '120.00 for groceries', 120_00);
  await purchase(scene, card, 'E', '250.00 is more than 200.00 per transaction', 250_00);
  await purchase(scene, card, 'J', '30.00 in a restaurant', 30_00, { mcc: '5812' });
  await purchase(scene, card, 'C', '30.00 with a wrong security code', 30_00, { cvc: otherCode(card.cvc) });
  await purchase(scene, card, 'A', '30.00 with a wrong expiry date', 30_00, { expiry: '2099-12' });
  const fuel = await purchase(scene, card, 'V', '180.00 for fuel', 180_00, { mcc: '5541' });
  await purchase(scene, card, 'F', '200.00 when 150.00 is left', 200_00);
  await expectBalance(scene, card, 150_00);

  narrator.chapter('A repeated message and a reversal');
  const { decision } = await send(scene, groceries.message);
  assert.equal(decision.approval_code, groceries.decision.approval_code);
  narrator.line('The first message is repeated', `the first answer, approval code ${decision.approval_code}`);
  const reversal = await send(scene, { ...fuel.message, message_type_indicator: 'Reversal Request' });
  assert.equal(reversal.decision.response_code, '00');
  scene.decisions += 1;
  narrator.line('The fuel is reversed: its hold is released, and its use no longer counts');
  await expectBalance(scene, card, 330_00);
  await purchase(scene, card, 'V', '150.00 for groceries', 150_00);
  await purchase(scene, card, 'V', '100.00 for fuel', 100_00, { mcc: '5541' });
  await purchase(scene, card, 'G', '50.00 would be the fourth use of the day', 50_00);
  await expectBalance(scene, card, 80_00);

  narrator.chapter('A clearing: the first groceries cost 118.50');
  const clearing = clearingMessage(
    groceries.message,
    groceries.decision.approval_code,
    { amount: 118_50, currency: 'USD', at: scene.now },
    `demo-${scene.mark}-1`,
  );
  const cleared = await scene.sandbox.post('network', '/network/v1/clearings', { data: clearing });
  assert.equal((cleared.data as Json).vcn_id, Number(card.id));
  narrator.line('118.50 is cleared, and the remaining 1.50 of the hold is released');
  await expectBalance(scene, card, 81_50);
  return clearing;
}

async function rollTheWindowOver(scene: Scene, card: IssuedCard): Promise<void> {
  const { narrator } = scene;
  narrator.chapter('The day ends at midnight UTC');
  const midnight = scene.now.toZonedDateTimeISO('UTC').add({ days: 1 }).startOfDay().toInstant();
  await moveClock(scene, { set: midnight.subtract({ seconds: 1 }).toString(), frozen: true });
  narrator.line('One second before', showInstant(scene.now));
  await expectBalance(scene, card, 81_50);
  await purchase(scene, card, 'G', '50.00 is still the fourth use', 50_00);
  await moveClock(scene, { advance: 'PT1S', frozen: true });
  narrator.line('Midnight: a new window', showInstant(scene.now));
  await expectBalance(scene, card, 450_00);
  await purchase(scene, card, 'V', '50.00 is the first use of the new day', 50_00);
}

/** Returns the card, and its purchase that is still on hold. */
async function ageAHoldOff(scene: Scene): Promise<readonly [IssuedCard, ApprovedPurchase]> {
  const { narrator } = scene;
  narrator.chapter(`A card with aging velocity: a hold lasts ${hold_days} days in ${zone}`);
  const card = await issue(scene, {
    total_card_amount: 100_00,
    authorization_hold_days: hold_days,
    aging_velocity_time_zone: zone,
  });
  await purchase(scene, card, 'V', '90.00 is authorized, and never cleared', 90_00);
  await purchase(scene, card, 'F', '50.00 when 10.00 is left', 50_00);
  const local_day = scene.now.toZonedDateTimeISO(zone).toPlainDate().add({ days: hold_days });
  const hold_end = local_day.toZonedDateTime({ timeZone: zone, plainTime: '00:00:01' }).toInstant();
  await moveClock(scene, { set: hold_end.subtract({ seconds: 1 }).toString(), frozen: true });
  narrator.line('00:00:00 local time on the day of its expiry', showInstant(scene.now));
  await expectBalance(scene, card, 10_00);
  await moveClock(scene, { advance: 'PT1S', frozen: true });
  narrator.line('00:00:01: the hold has aged off', showInstant(scene.now));
  await expectBalance(scene, card, 100_00);
  const once_more = await purchase(scene, card, 'V', '50.00 once more', 50_00);
  return [card, once_more];
}

async function cancelCard(scene: Scene, card: IssuedCard): Promise<void> {
  scene.narrator.chapter('The first card is cancelled');
  await scene.sandbox.delete(`/v1/virtualcards/${card.id}`);
  await purchase(scene, card, 'K', '10.00 on the cancelled card', 10_00);
}

async function readEvents(
  scene: Scene,
  since: Temporal.Instant,
  cards: readonly IssuedCard[],
): Promise<readonly StoryEvent[]> {
  const { sandbox, narrator } = scene;
  narrator.chapter('The events of the story');
  const events: Json[] = [];
  let path: string | null = `/v1/events?page[limit]=100&filter[created_at]=[${showInstant(since)},]`;
  while (path !== null) {
    const page: Json = await sandbox.get(path);
    events.unshift(...[...(page.data as Json[])].reverse());
    path = (page.links as Json).next as string | null;
  }
  const ids = new Set(cards.map((card) => Number(card.id)));
  const own = events.filter((event) => {
    const payload = event.payload as Json;
    if (event.event_type === 'virtualcard.purchasetemplate.created') return String(payload.name).endsWith(scene.mark);
    return ids.has(Number(payload.vcn_id ?? payload.id));
  });
  for (const event of own)
    narrator.line(
      `${showInstant(event.created_at as string)}  ${event.event_type}`,
      eventOutcome(event.payload as Json),
    );
  const count = (type: string): number => own.filter((event) => event.event_type === type).length;
  assert.equal(count('virtualcard.purchasetemplate.created'), 1);
  assert.equal(count('virtualcard.created'), cards.length);
  assert.equal(count('virtualcard.realtime.auths'), scene.decisions);
  assert.equal(count('virtualcard.clearings'), 1);
  assert.equal(count('virtualcard.deleted'), 1);
  narrator.line(`${own.length} events: one for each change, none for the repeated message`);
  return own as unknown as readonly StoryEvent[];
}

function eventOutcome(payload: Json): string {
  if (payload.vcn_response !== undefined) return `${payload.message_type_indicator}: ${payload.vcn_response}`;
  if (payload.clearing_type !== undefined) return `${payload.clearing_type} ${dollars(Number(payload.billing_amount))}`;
  if (typeof payload.kind === 'string') return `${payload.kind}: ${dollars(Number(payload.authorized))} authorized`;
  return payload.status === undefined ? '' : String(payload.status);
}

function otherCode(cvc: string): string {
  return String((Number(cvc) + 1) % 1000).padStart(3, '0');
}

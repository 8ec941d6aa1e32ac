import { randomBytes } from 'node:crypto';
import { event_types } from '@tallystick/events';
import { Temporal } from '@tallystick/kernel';
import { listRegisteredWebhooks } from './loopback-webhook.ts';
import { clearingMessage, type PlainCard, purchaseMessage } from './network-messages.ts';
import type { Json, SandboxClient } from './sandbox-client.ts';

/** A way to make an event of one type. */
export interface Trigger {
  /** The type's name, under which the event is stored or a webhook subscribes. */
  readonly name: string;
  /** The type's id in /v1/events/types; null if it has none. */
  readonly id: number | null;
  readonly about: string;
  run(sandbox: SandboxClient): Promise<readonly Made[]>;
}

export interface Made {
  readonly event_type: string;
  /** 0: a test delivery, which is not a stored event. */
  readonly event_id: string;
  readonly payload: Json;
}

/** The events that can be made, in the order of the ids, and then those without an id. */
export const triggers: readonly Trigger[] = [
  trigger('all', 'one of each type that has an id', everyType),
  trigger('virtualcard.created', 'issues a card', async (sandbox) => [await findStored(sandbox, await issue(sandbox))]),
  trigger('virtualcard.deleted', 'issues a card and cancels it', cancel),
  trigger('onboarding.company.status', 'reports that a company is onboarded', (sandbox) =>
    recordForeign(sandbox, 'onboarding.company.status', { status: 'APPROVED' }, { status: 'IN_REVIEW' }),
  ),
  trigger('ach.status', 'reports that an ACH transfer failed', (sandbox) =>
    recordForeign(sandbox, 'ach.status', { status: 'failed', return_code: 'R01' }, { status: 'processing' }),
  ),
  trigger('virtualcard.realtime.auths', 'issues a card and authorizes a purchase with it', authorize),
  trigger('virtualcard.clearings', 'issues a card, authorizes a purchase and clears it', clear),
  trigger('virtualcard.realtime.iccp.all', 'the same as virtualcard.realtime.auths', authorize),
  trigger('virtualcard.purchasetemplate.created', 'requests a purchase template and completes it', requestTemplate),
  trigger('ach.status.advice', 'reports that an ACH transfer is settled', (sandbox) =>
    recordForeign(sandbox, 'ach.status.advice', { status: 'settled', return_code: null }, { status: 'processing' }),
  ),
  trigger('ach.$$limit.exceeded', 'reports that a limit of ACH transfers is exceeded', (sandbox) =>
    recordForeign(sandbox, 'ach.$$limit.exceeded', { limit: 1_000_000, amount: 1_250_000 }, null),
  ),
  trigger('virtualcard.updated', 'issues a card and raises its limit', update),
  trigger('webhooks.test', 'sends a test delivery to every webhook', test),
];

function trigger(name: string, about: string, run: Trigger['run']): Trigger {
  return { name, id: event_types.find((type) => type.name === name)?.id ?? null, about, run };
}

interface Card extends PlainCard {
  readonly id: string;
}

const total_amount = 500_00;
const purchase_amount = 125_00;
const cleared_amount = 123_45;

async function everyType(sandbox: SandboxClient): Promise<readonly Made[]> {
  const made: Made[] = [];
  const second_name = 'virtualcard.realtime.iccp.all';
  for (const { id, name, run } of triggers)
    if (id !== null && name !== 'all' && name !== second_name) made.push(...(await run(sandbox)));
  return made;
}

async function issue(sandbox: SandboxClient): Promise<Sought> {
  const data = { total_card_amount: total_amount, metadata: { made_by: 'trigger' } };
  const answer = await sandbox.post('client', '/v1/virtualcards', { data, show_card_number: true });
  const { id, card_number, cvc, expiry } = answer.data as Record<'id' | 'card_number' | 'cvc' | 'expiry', string>;
  return { event_type: 'virtualcard.created', by: { id }, card: { id, number: card_number, cvc, expiry } };
}

async function cancel(sandbox: SandboxClient): Promise<readonly Made[]> {
  const { card } = await issue(sandbox);
  await sandbox.delete(`/v1/virtualcards/${card.id}`);
  return [await findStored(sandbox, { event_type: 'virtualcard.deleted', by: { id: card.id } })];
}

async function update(sandbox: SandboxClient): Promise<readonly Made[]> {
  const { card } = await issue(sandbox);
  await sandbox.patch(`/v1/virtualcards/${card.id}`, { data: { total_card_amount: 2 * total_amount } });
  return [await findStored(sandbox, { event_type: 'virtualcard.updated', by: { id: card.id } })];
}

async function authorize(sandbox: SandboxClient): Promise<readonly Made[]> {
  const { card } = await purchase(sandbox);
  return [await findStored(sandbox, { event_type: 'virtualcard.realtime.auths', by: { vcn_id: card.id } })];
}

async function clear(sandbox: SandboxClient): Promise<readonly Made[]> {
  const { card, message, decision, at, currency } = await purchase(sandbox);
  const amounts = { amount: cleared_amount, currency, at };
  const id = `trigger-${randomBytes(8).toString('hex')}`;
  const data = clearingMessage(message, decision.approval_code, amounts, id);
  await sandbox.post('network', '/network/v1/clearings', { data });
  return [await findStored(sandbox, { event_type: 'virtualcard.clearings', by: { vcn_id: card.id } })];
}

async function purchase(sandbox: SandboxClient) {
  const issued = await issue(sandbox);
  const { created_at } = await find(sandbox, issued);
  const at = Temporal.Instant.from(created_at);
  const { billing_currency: currency } = await readRealCard(sandbox);
  const message = purchaseMessage(issued.card, { amount: purchase_amount, currency, at });
  const answer = await sandbox.post('network', '/network/v1/authorizations', { data: message });
  return { card: issued.card, message, decision: answer.data as Json, at, currency };
}

async function requestTemplate(sandbox: SandboxClient): Promise<readonly Made[]> {
  const path = '/v1/content/virtualcard-templates';
  const requested = await sandbox.post('client', path, {
    name: `Groceries ${randomBytes(4).toString('hex')}`,
    description: 'Where groceries are bought',
    mcc_list: ['5411', '5422', '5441'],
    mcc_rule: 'ALLOW',
    required_control: 'VELOCITY',
  });
  const { transaction_key } = (requested.data ?? requested) as Json;
  const [template] = (await sandbox.get(`${path}?filter[transaction_key]=${transaction_key}`)).data as Json[];
  const id = String(template?.id);
  await sandbox.post('operator', `/operator/v1/templates/${id}/complete`, {});
  return [await findStored(sandbox, { event_type: 'virtualcard.purchasetemplate.created', by: { id } })];
}

/** An event of another system of the bank, about a new object. */
async function recordForeign(
  sandbox: SandboxClient,
  event_type: string,
  state: Json,
  before: Json | null,
): Promise<readonly Made[]> {
  const { company_id } = await readRealCard(sandbox);
  const id = randomBytes(4).readUInt32BE();
  const data = { company_id, event_type, payload: { id, ...state }, previous: before && { id, ...before } };
  const event = (await sandbox.post('operator', '/operator/v1/events', { data })).data as unknown as StoredEvent;
  return [{ event_type, event_id: event.id, payload: event.payload }];
}

async function test(sandbox: SandboxClient): Promise<readonly Made[]> {
  const webhooks = await listRegisteredWebhooks(sandbox);
  if (webhooks.length === 0) throw new Error('there is no webhook to test; npm run listen registers one');
  const made: Made[] = [];
  for (const { id, callback_url } of webhooks) {
    const answer = (await sandbox.get(`/v1/webhooks/${id}/test`)).data as Json;
    made.push({ event_type: 'webhooks.test', event_id: '0', payload: { id, callback_url, answer } });
  }
  return made;
}

/** The default real card, from which the company is read. */
async function readRealCard(sandbox: SandboxClient): Promise<{ company_id: number; billing_currency: string }> {
  const cards = (await sandbox.get('/v1/realcards?page[limit]=100')).data as {
    company_id: number;
    billing_currency: string;
    is_default: boolean;
  }[];
  const card = cards.find(({ is_default }) => is_default) ?? cards[0];
  if (card === undefined) throw new Error('the company has no real card');
  return card;
}

interface StoredEvent {
  readonly id: string;
  readonly payload: Json;
  readonly created_at: string;
}

interface SoughtEvent {
  readonly event_type: string;
  readonly by: Readonly<Record<string, string>>;
}

interface Sought extends SoughtEvent {
  readonly card: Card;
}

async function findStored(sandbox: SandboxClient, sought: SoughtEvent): Promise<Made> {
  const { id, payload } = await find(sandbox, sought);
  return { event_type: sought.event_type, event_id: id, payload };
}

/**
 * The event is written in the transaction of its change, so it can be found once the change is
 * answered.
 */
async function find(sandbox: SandboxClient, { event_type, by }: SoughtEvent): Promise<StoredEvent> {
  const filters = Object.entries(by).map(([field, value]) => `&filter[payload.${field}]=${value}`);
  const path = `/v1/events?page[limit]=1&filter[event_type]=${event_type}${filters.join('')}`;
  const [event] = (await sandbox.get(path)).data as StoredEvent[];
  if (event === undefined) throw new Error(`no event of type ${event_type} was written`);
  return event;
}

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkedDocument, type Received, type TlsReceiver, tlsReceiver } from '@tallystick/test-support';
import { authorize, type Card, clear, purchase } from '../end-to-end/purchases.ts';
import { Company, moveClock, type OwnWebhook } from './company.ts';
import { both_queues, type Installation } from './installation.ts';

/**
 * The stored names of all events that a company can receive, in the order in which `live` makes
 * them.
 */
const story = [
  'virtualcard.created',
  'virtualcard.updated',
  'virtualcard.realtime.auths',
  'virtualcard.clearings',
  'virtualcard.realtime.auths',
  'virtualcard.deleted',
  'ach.status',
  'ach.status.advice',
  'ach.$$limit.exceeded',
  'onboarding.company.status',
  'virtualcard.purchasetemplate.created',
] as const;

/** The events that a subscriber with these ids receives, and their names. */
const subscriptions: readonly (readonly [event_type_ids: readonly number[], received_types: readonly string[]])[] = [
  [[1], story],
  [[6], ['virtualcard.realtime.auths', 'virtualcard.realtime.auths']],
  [[10], ['virtualcard.realtime.iccp.all', 'virtualcard.realtime.iccp.all']],
  [[1, 10], story.map((name) => (name === 'virtualcard.realtime.auths' ? 'virtualcard.realtime.iccp.all' : name))],
  [
    [2, 3, 7],
    ['virtualcard.created', 'virtualcard.clearings', 'virtualcard.deleted'],
  ],
  [
    [4, 5, 11, 13],
    ['ach.status', 'ach.status.advice', 'onboarding.company.status', 'virtualcard.purchasetemplate.created'],
  ],
  [[], []],
];

interface Subscriber {
  readonly company: Company;
  readonly webhook: OwnWebhook;
  readonly received_types: readonly string[];
  readonly path: string;
}

for (const arrangement of both_queues) {
  describe(`a delivery, ${arrangement.name}`, () => {
    let installation: Installation;
    let receiver: TlsReceiver;
    let url = '';
    const subscribers: Subscriber[] = [];
    const receivedBy = ({ path }: Subscriber): readonly Received[] =>
      receiver.received
        .filter((one) => one.path === path)
        .toSorted((a, b) => Number(a.headers['x-webhook-sequence']) - Number(b.headers['x-webhook-sequence']));

    before(async () => {
      receiver = await tlsReceiver();
      installation = await arrangement.install();
      url = installation.urls[0]!;
      await moveClock(url, { set: '2099-03-15T10:00:00.123Z' });
      for (const [event_type_ids, received_types] of subscriptions) {
        const path = `/hooks?ids=${event_type_ids.join('-')}`;
        const company = await Company.found(url, `subscriber of ${event_type_ids}`);
        const webhook = await company.registers(receiver.origin + path, { event_type_ids });
        subscribers.push({ company, webhook, received_types, path });
      }
      await Promise.all(subscribers.map(({ company }) => live(url, company)));
      await moveClock(url, { advance: 'PT1M' });
    });
    after(async () => {
      await installation?.stop();
      await receiver?.close();
    });

    it('has the name of the id of the subscription, or the stored name for a subscription to all types', () => {
      for (const subscriber of subscribers) {
        const types: readonly string[] = receivedBy(subscriber).map(({ body }) => JSON.parse(body).data.type);
        // The clearing is a break of reconciliation, which a job finds at any time after it.
        const told = types.filter((type) => !type.startsWith('reconciliation.'));
        assert.deepEqual(told, subscriber.received_types, subscriber.path);
      }
    });

    it('is numbered 1, 2, 3 ... for each webhook', () => {
      for (const subscriber of subscribers) {
        const numbers = receivedBy(subscriber).map(({ headers }) => Number(headers['x-webhook-sequence']));
        assert.ok(numbers.length >= subscriber.received_types.length);
        assert.deepEqual(
          numbers,
          numbers.map((_, place) => place + 1),
        );
      }
    });

    it('is the envelope of date, event-id, payload, previous and type, with the values of GET /v1/events/:id', async () => {
      for (const subscriber of subscribers) {
        for (const { body, headers } of receivedBy(subscriber)) {
          const envelope = JSON.parse(body);
          assert.deepEqual(Object.keys(envelope), ['data']);
          const { data } = envelope;
          assert.deepEqual(Object.keys(data), ['date', 'event-id', 'payload', 'previous', 'type']);
          assert.ok(Number.isSafeInteger(data['event-id']) && data['event-id'] > 0);
          const event = await subscriber.company.ask('GET', `/v1/events/${data['event-id']}`);
          assert.equal(data.date, event.created_at);
          assert.deepEqual(data.payload, event.payload);
          assert.deepEqual(data.previous, event.previous);
          const names = [event.event_type];
          if (event.event_type === 'virtualcard.realtime.auths') names.push('virtualcard.realtime.iccp.all');
          assert.ok(names.includes(data.type), `${data.type} for ${event.event_type}`);
          assert.equal(headers['content-type'], 'application/json');
        }
      }
    });

    it('is as the document says, header by header and field by field', async () => {
      const document = checkedDocument(await (await fetch(`${url}/openapi.json`)).text());
      const problems = receiver.received.map((one) => document.findDeliveryProblem(one));
      assert.ok(problems.length > story.length);
      assert.deepEqual([...new Set(problems)], [null]);
    });

    it('has a stable and unique id', () => {
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      assert.equal(new Set(ids).size, ids.length);
    });

    it('never shows a card number or its code', () => {
      for (const { body } of receiver.received) {
        for (const card of cards) {
          assert.ok(!body.includes(card.card_number));
          assert.ok(!/"cvc"/.test(body));
        }
      }
    });

    const cards: Card[] = [];

    async function live(at: string, company: Company): Promise<void> {
      const issued = await company.send('POST', '/v1/virtualcards', { total_card_amount: 90_000 });
      assert.equal(issued.status, 200, issued.text);
      const { id } = issued.json.data;
      const card: Card = (await company.send('GET', `/v1/virtualcards/${id}?show_card_number=true`)).json.data;
      cards.push(card);
      await company.ask('PATCH', `/v1/virtualcards/${id}`, { total_card_amount: 80_000 });
      const approved = await authorize(at, purchase(card.card_number, 2_500));
      assert.equal(approved.json.data.response_code, '00', approved.text);
      const cleared = await clear(at, {
        vcn_id: Number(id),
        network_financial_transaction_id: `CLEARING-${id}`,
        billing_amount: 2_500,
        billing_currency: 'USD',
        clearing_type: 'DEBIT',
        settlement_date: '2099-03-16',
        approval_code: approved.json.data.approval_code,
      });
      assert.equal(cleared.status, 200, cleared.text);
      const declined = await authorize(at, purchase(card.card_number, 1_000_000));
      assert.notEqual(declined.json.data.response_code, '00');
      await company.ask('DELETE', `/v1/virtualcards/${id}`);
      const before_it = { id: 5, status: 'sent', note: 'ÆØÅ 漢字 😀' };
      await company.hears({ id: 5, return_code: 'R01', status: 'returned' }, 'ach.status', before_it);
      await company.hears({ id: 5, status: 'settled' }, 'ach.status.advice');
      await company.hears({ id: 6, limit: 1_000 }, 'ach.$$limit.exceeded');
      await company.hears({ id: 9, status: 'approved' }, 'onboarding.company.status');
      await company.ask('POST', '/v1/content/virtualcard-templates', {
        name: 'Office supplies',
        mcc_list: ['5943'],
        mcc_rule: 'ALLOW',
        description: 'pens and paper',
        required_control: 'VELOCITY',
      });
    }
  });
}

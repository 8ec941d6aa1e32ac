import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { full_run, type Received, type TlsReceiver, tlsReceiver } from '@tallystick/test-support';
import { Company, moveClock, type OwnWebhook } from './company.ts';
import { type Installation, two_processes } from './installation.ts';

const companies_count = 3;
const callers = 8;
const events_count = full_run ? 600 : 300;

for (const arrangement of two_processes) {
  describe(`without a crash, ${arrangement.name}`, () => {
    let installation: Installation;
    let receiver: TlsReceiver;
    const subscribers: { readonly company: Company; readonly webhook: OwnWebhook }[] = [];
    /** The ids of all events, by company. */
    const happened = new Map<number, string[]>();

    before(async () => {
      receiver = await tlsReceiver();
      installation = await arrangement.install();
      const [url] = installation.urls;
      await moveClock(url!, { set: '2099-03-15T10:00:00Z' });
      for (let place = 0; place < companies_count; place += 1) {
        const company = await Company.found(url!, `company ${place}`);
        subscribers.push({ company, webhook: await company.registers(`${receiver.origin}/${company.id}`) });
        happened.set(company.id, []);
      }
      // The same companies, through both processes.
      const by_url = installation.urls.map((at) => subscribers.map(({ company }) => company.at(at)));
      let made = 0;
      const caller = async (number: number): Promise<void> => {
        while (made < events_count) {
          made += 1;
          const company = by_url[number % 2]![made % companies_count]!;
          happened.get(company.id)?.push(await company.hears({ id: made, status: 'returned' }));
        }
      };
      await Promise.all(Array.from({ length: callers }, (_, number) => caller(number)));
      await Promise.all(installation.urls.map((at) => moveClock(at)));
    });
    after(async () => {
      await installation?.stop();
      await receiver?.close();
    });

    it('every event arrives exactly once', () => {
      for (const { company } of subscribers) {
        const event_ids = receivedBy(company).map(({ body }) => JSON.parse(body).data['event-id']);
        assert.deepEqual(event_ids.toSorted(byValue), happened.get(company.id)?.map(Number).toSorted(byValue));
      }
    });

    it('each delivery had one attempt', async () => {
      for (const { company, webhook } of subscribers) {
        const deliveries = await company.deliveries(webhook);
        assert.equal(deliveries.length, happened.get(company.id)?.length);
        for (const { state, attempts } of deliveries) {
          assert.equal(state, 'succeeded');
          assert.equal(attempts.length, 1);
        }
      }
    });

    it('the numbers of each webhook have no gap', async () => {
      for (const { company, webhook } of subscribers) {
        const deliveries = await company.deliveries(webhook);
        const numbers = deliveries.map(({ sequence }) => sequence).toSorted(byValue);
        assert.deepEqual(
          numbers,
          numbers.map((_, place) => place + 1),
        );
        const sent = receivedBy(company).map(({ headers }) => Number(headers['x-webhook-sequence']));
        assert.deepEqual(sent.toSorted(byValue), numbers);
      }
    });

    const receivedBy = ({ id }: Company): readonly Received[] =>
      receiver.received.filter(({ path }) => path === `/${id}`);
  });
}

function byValue(a: number, b: number): number {
  return a - b;
}

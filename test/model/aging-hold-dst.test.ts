import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '@tallystick/harness';
import { Temporal } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { type ServiceUnderTest, serviceOn } from './service.ts';

const zone = 'America/New_York';

/**
 * New York's clocks change from 02:00 to 03:00 on 8 March 2026, and from 02:00 to 01:00 on 1
 * November.
 */
const changes = [
  { season: 'spring', change_date: '2026-03-08' },
  { season: 'autumn', change_date: '2026-11-01' },
];

for (const database of database_names) {
  let service: ServiceUnderTest;
  before(async () => {
    service = await serviceOn(database);
  });
  after(() => service?.close());

  for (const { season, change_date } of changes) {
    // One day: the hold ends two hours before the change. Two days: it lasts through a day of 23 or
    // 25 hours.
    for (const hold_days of [1, 2]) {
      test(`on ${database}, a hold of ${hold_days} days from the day before the ${season} change ends at 00:00:01 in New York`, async () => {
        const change = Temporal.PlainDate.from(change_date);
        const local = (date: Temporal.PlainDate, time: string) =>
          date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds;
        const authorized_ms = local(change.subtract({ days: 1 }), '18:30');
        const end_ms = local(change.subtract({ days: 1 }).add({ days: hold_days }), '00:00:01');

        const system = await service.system({ start_ms: authorized_ms });
        const { card, card_number } = done(
          await system.createCard({
            total_card_amount: 5_000,
            authorization_hold_days: hold_days,
            aging_velocity_time_zone: zone,
          }),
        );
        const purchase = async (serial: string, amount: number) =>
          done(
            await system.authorize({
              card_number,
              message_type_indicator: '0100',
              trace_id: `${system.world.tag}-${serial}`,
              system_trace_audit_number: serial,
              transaction_date_time: '2026-01-01T00:00:00Z',
              billing_amount: amount,
              billing_currency: 'USD',
              merchant_amount: amount,
              merchant_currency: 'USD',
              mcc: '5812',
            }),
          );
        const read = async () => done(await system.readCard(card.id));

        assert.equal((await purchase('000001', 5_000)).response_code, '00');
        assert.equal((await read()).available_balance, 0);

        await system.advanceClock(end_ms - 1_000);
        assert.equal((await read()).available_balance, 0, 'at 00:00:00');
        assert.equal((await purchase('000002', 1)).vcn_response, 'Cumulative amount limit');
        await system.advanceClock(end_ms - 1);
        assert.equal((await read()).available_balance, 0, 'a millisecond before 00:00:01');
        assert.equal((await purchase('000003', 1)).vcn_response, 'Cumulative amount limit');

        await system.advanceClock(end_ms);
        const free = await read();
        assert.equal(free.available_balance, 5_000, 'at 00:00:01');
        assert.deepEqual(
          free.authorizations!.map(({ status }) => status),
          ['declined', 'declined'],
          'the authorization is no longer on the card',
        );
        assert.equal((await purchase('000004', 5_000)).response_code, '00');
        await system.close();
      });
    }
  }
}

function done<Value>(answer: Answer<Value>): Value {
  assert.ok(answer.kind === 'done', JSON.stringify(answer));
  return answer.value;
}

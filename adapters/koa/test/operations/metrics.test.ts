import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clearing_classes, outcomes, overload_reasons } from '@tallystick/cards';
import { fixedClock } from '@tallystick/kernel';
import { createMetrics } from '../../src/index.ts';

const clock = fixedClock('2030-03-15T10:00:00Z');

it('every counter with known labels begins at 0', async () => {
  const read = await createMetrics({ process_metrics: false }).read();
  const lines = [
    ...outcomes.map(({ code }) => `tallystick_authorization_decisions_total{code="${code}"} 0`),
    ...clearing_classes.map((clearing_class) => `tallystick_clearings_total{class="${clearing_class}"} 0`),
    ...overload_reasons.map((reason) => `tallystick_network_messages_refused_total{reason="${reason}"} 0`),
    ...['succeeded', 'failed', 'retried'].map(
      (outcome) => `tallystick_delivery_attempt_duration_seconds_count{outcome="${outcome}"} 0`,
    ),
    ...['sent', 'failed', 'retried'].map((outcome) => `tallystick_mail_attempts_total{outcome="${outcome}"} 0`),
    'tallystick_http_requests_refused_total 0',
  ];
  for (const line of lines) assert.ok(read.split('\n').includes(line), line);
});

it('states what runs here', async () => {
  const build = { version: '1.2.3', database: 'postgres', role: 'worker' };
  const read = await createMetrics({ process_metrics: false, build }).read();
  const [line] = read.split('\n').filter((one) => one.startsWith('tallystick_build_info'));
  const labels = `version="1.2.3",database="postgres",role="worker",node="${process.versions.node}"`;
  assert.equal(line, `tallystick_build_info{${labels}} 1`);
});

it('shows open quarantined records, failing webhooks, and the age of the oldest due delivery', async () => {
  const metrics = createMetrics({ process_metrics: false });
  metrics.watchQuarantine(async () => 3);
  const oldest_due_at_ms = clock.nowMs() - 90_000;
  metrics.watchDeliveries(async () => ({ pending: 7, oldest_due_at_ms, queue_depth: Number.NaN, failing: 2 }), clock);
  const lines = (await metrics.read()).split('\n');
  for (const line of [
    'tallystick_quarantine_open 3',
    'tallystick_deliveries_pending 7',
    'tallystick_webhooks_failing 2',
    'tallystick_delivery_oldest_due_age_seconds 90',
    'tallystick_delivery_queue_depth Nan',
  ]) {
    assert.ok(lines.includes(line), `${line}\n${lines.join('\n')}`);
  }
});

it('shows the audit entries that are not sealed, the age of the oldest, and the newest number', async () => {
  for (const [waiting, lines] of [
    [{ count: 3, oldest_at_ms: clock.nowMs() - 90_000, newest_number: 17 }, ['unsealed 3', 'age_seconds 90']],
    [{ count: 0, oldest_at_ms: null, newest_number: 17 }, ['unsealed 0', 'age_seconds 0']],
  ] as const) {
    const metrics = createMetrics({ process_metrics: false });
    metrics.watchAuditLog(async () => waiting, clock);
    const read = await metrics.read();
    assert.match(read, new RegExp(`^tallystick_audit_entries_${lines[0]}$`, 'm'));
    assert.match(read, /^tallystick_audit_newest_number 17$/m);
    assert.match(read, new RegExp(`^tallystick_audit_oldest_unsealed_${lines[1]}$`, 'm'));
  }
});

it('shows what waits for each subscription, and nothing of one that was removed', async () => {
  const metrics = createMetrics({ process_metrics: false });
  const ledger = {
    name: 'ledger',
    event_types: null,
    company_id: null,
    after_id: 5,
    created_at_ms: 0,
    lease_until_machine_ms: null,
    waiting: 3,
    oldest_at_ms: clock.nowMs() - 90_000,
    ids_behind: 12,
    is_owned: true,
  };
  let readings = [ledger, { ...ledger, name: 'mail', waiting: 0, oldest_at_ms: null, is_owned: false }];
  metrics.watchSubscriptions(async () => readings, clock);
  const read = async () => {
    const lines = (await metrics.read()).split('\n').filter((line) => line.startsWith('tallystick_subscription_'));
    return lines.map((line) => line.slice('tallystick_subscription_'.length));
  };
  const of_ledger = [
    'waiting_events{subscription="ledger"} 3',
    'oldest_waiting_age_seconds{subscription="ledger"} 90',
    'ids_behind{subscription="ledger"} 12',
    'owned{subscription="ledger"} 1',
  ];
  const of_mail = [
    'waiting_events{subscription="mail"} 0',
    'oldest_waiting_age_seconds{subscription="mail"} 0',
    'ids_behind{subscription="mail"} 12',
    'owned{subscription="mail"} 0',
  ];
  assert.deepEqual((await read()).toSorted(), [...of_ledger, ...of_mail].toSorted());
  readings = [ledger];
  assert.deepEqual((await read()).toSorted(), of_ledger.toSorted());
});

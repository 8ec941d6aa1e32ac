import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { normalizeAuthorization } from '@tallystick/cards';
import { createMetrics, logOptions } from '@tallystick/koa';
import { migratedDatabase, serverEnvironment } from '@tallystick/test-support';
import { pino } from 'pino';
import { createOverloadLogger } from 'tallystick/inversify';
import { readConfig } from '../src/configuration/config.ts';
import { closeContainer, createContainer, tokens } from '../src/container.ts';

/** A logger like the server's, and the numbers of messages in its lines about refused messages. */
function keptLog() {
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const logged = (): number[] =>
    text
      .split('\n')
      .filter((line) => line.includes('too many network messages wait'))
      .map((line) => JSON.parse(line).refused);
  return { logger: pino(logOptions('info'), sink), logged };
}

it('counts each refused message in the metrics, and logs the first and then many together', async () => {
  const metrics = createMetrics({ process_metrics: false });
  const { logger, logged } = keptLog();
  let now_ms = 0;
  const refuse = createOverloadLogger(metrics, logger, () => now_ms);
  for (now_ms of [0, 0, 9_999]) refuse('full');
  assert.deepEqual(logged(), [1]);
  for (now_ms of [10_000, 10_001]) refuse('expected_wait');
  assert.deepEqual(logged(), [1, 3]);
  now_ms = 60_000;
  refuse('waited');
  assert.deepEqual(logged(), [1, 3, 2]);
  const read = await metrics.read();
  assert.match(read, /^tallystick_network_messages_refused_total{reason="full"} 3$/m);
  assert.match(read, /^tallystick_network_messages_refused_total{reason="expected_wait"} 2$/m);
  assert.match(read, /^tallystick_network_messages_refused_total{reason="waited"} 1$/m);
});

it('the server reports network messages for which it has no memory', async () => {
  const scratch = await migratedDatabase('sqlite');
  const container = createContainer(
    readConfig(serverEnvironment({ database_url: scratch.database_url, env: { NETWORK_WAIT_MS_MAX: '60000' } })),
  );
  const { logger, logged } = keptLog();
  container.rebind(tokens.logger).toConstantValue(logger);
  try {
    const network = await container.getAsync(tokens.network);
    const { card_vault } = await container.getAsync(tokens.vault);
    const message = normalizeAuthorization(
      {
        card_number: '4111111111111111',
        message_type_indicator: '0100',
        trace_id: 'T-1',
        system_trace_audit_number: '1',
        transaction_date_time: '2030-03-15T10:00:00Z',
        billing_amount: 100,
        billing_currency: 'USD',
        merchant_amount: 100,
        merchant_currency: 'USD',
        mcc: '5812',
      },
      card_vault,
      null,
    );
    const places = 16_384;
    const answers = await Promise.all(Array.from({ length: places + 5 }, () => network.authorize(message)));
    const codes = answers.map((answer) => (answer.kind === 'answered' ? answer.code : answer.kind));
    assert.deepEqual(new Set(codes.slice(0, places)), new Set(['I']));
    assert.deepEqual(codes.slice(places), ['U', 'U', 'U', 'U', 'U']);
    assert.match(
      await container.get(tokens.metrics).read(),
      /^tallystick_network_messages_refused_total{reason="full"} 5$/m,
    );
    assert.deepEqual(logged(), [1]);
  } finally {
    await closeContainer(container);
    await scratch.dispose();
  }
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { httpSystem, runModel, type System } from '@tallystick/harness';
import {
  type ScratchDatabase,
  type ServerProcess,
  scratchDatabase,
  startServer,
  test_seed,
  testRuns,
} from '@tallystick/test-support';
import { ourServerMapping } from './our-server.ts';

let database: ScratchDatabase;
let server: ServerProcess;

before(async () => {
  database = await scratchDatabase('sqlite');
  server = await startServer(database);
});
after(async () => {
  await server?.stop();
  await database?.dispose();
});

/** Kills the process, and starts another one on the same file and the same port. */
async function crash(): Promise<void> {
  const { port } = new URL(server.url);
  await server.kill();
  server = await startServer({ ...database, env: { PORT: port } });
}

test('the standalone server agrees with the model over HTTP', async () => {
  const runs = testRuns({ short: 4, full: 20 });
  await runModel({ system: httpSystem(server.url, ourServerMapping()), runs, seed: test_seed });
});

test('the standalone server agrees when it is killed with messages in flight, and when answers are lost', async () => {
  const system = httpSystem(server.url, ourServerMapping(crash));
  await runModel({
    system,
    runs: testRuns({ short: 2, full: 4 }),
    seed: 1,
    commands: { include: ['authorize', 'crash', 'lose answers'] },
    commands_max: 20,
    faults: ['crash', 'lost_answer'],
    demand: { fault_points: ['crash: authorize in flight', 'lost answer: authorize'] },
  });
});

test('a killed server still has what it had answered, and answers a repeated message with it', async () => {
  const system: System = await httpSystem(server.url, ourServerMapping(crash))({ start_ms: 0, seed: 0 });
  const created = await system.createCard({ total_card_amount: 100 });
  assert.ok(created.kind === 'done');
  const { card, card_number } = created.value;
  const message = {
    card_number,
    message_type_indicator: '0100',
    trace_id: `${system.world.tag}T1`,
    system_trace_audit_number: '000001',
    transaction_date_time: '2026-01-01T00:00:00Z',
    billing_amount: 40,
    billing_currency: 'USD',
    merchant_amount: 40,
    merchant_currency: 'USD',
    mcc: '5812',
  };
  const answer = await system.authorize(message);
  await system.crash!();
  assert.deepEqual(await system.authorize(message), answer);
  const read = await system.readCard(card.id);
  assert.equal(read.kind === 'done' && read.value.available_balance, 60);
});

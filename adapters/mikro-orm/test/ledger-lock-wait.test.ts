import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNetwork } from '@tallystick/cards';
import { Fault } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { authorizationMessage, openLedger, plain_quarantine, seededDatabase } from './ledger-fixture.ts';

const card_ids = [1, 2, 3, 4];
const held_id = 1;

if (database_names.includes('postgres')) {
  test('a message on a card that a transaction holds forever is answered with a fault, and the others are decided', async (t) => {
    const database = await seededDatabase('postgres', card_ids.length);
    const open = await openLedger(database.database_url);
    const { connection, ledger } = open;
    assert(connection.dialect === 'postgres');
    const holder = await connection.pool.connect();
    t.after(async () => {
      holder.release(true);
      await open.close();
      await database.dispose();
    });
    await holder.query('begin');
    await holder.query('select id from tallystick_virtual_cards where id = $1 for update', [held_id]);

    const faults: unknown[] = [];
    const network = createNetwork({
      ledger: { ...ledger, passes_at_once: 1 },
      ...plain_quarantine,
      vault: { cvcMatches: () => true },
      random: { below: () => 7, bytes: (count) => new Uint8Array(count) },
      onFault: (error) => faults.push(error),
    });
    const messages = card_ids.map((id) => authorizationMessage(id, { trace_id: `T${id}` }));
    const answers = await Promise.all(messages.map((message) => network.authorize(message)));

    assert.deepEqual(
      answers.map((answer) => answer.kind === 'answered' && answer.code),
      ['U', 'V', 'V', 'V'],
    );
    assert.ok(faults.length > 0 && faults.every((fault) => fault instanceof Fault && fault.retryable));
    await holder.query('rollback');
    const again = await network.authorize(messages[0]!);
    assert.ok(again.kind === 'answered' && again.code === 'V' && !again.duplicate);
  });
}

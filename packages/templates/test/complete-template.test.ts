import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Call, Refusal } from '@tallystick/kernel';
import { repeatableRandom } from '@tallystick/test-support';
import { completeDueTemplates, completeTemplate, requestTemplate, toTemplateItem } from '../src/index.ts';
import { templateWorld } from './template-world.ts';

const now_ms = Date.UTC(2026, 10, 21, 10);
const call: Call = { company_id: 1, actor: 'key:1', request_id: 'r-1', now_ms };
const options = { environment: 'live', completion_delay_ms: 5_000 } as const;
const ports = {
  random: repeatableRandom(7),
  statusUrlOf: ({ transaction_key }: { readonly transaction_key: string }) => `/status/${transaction_key}`,
};

function request(name: string) {
  return { name, mcc_list: ['5411'], mcc_rule: 'ALLOW', description: 'x', required_control: 'VELOCITY' } as const;
}

test('a template is completed after its delay, not a millisecond earlier', async () => {
  const { unit_of_work } = templateWorld();
  await unit_of_work.run((tx) => requestTemplate(tx, ports, call, request('a'), options));
  assert.equal(await unit_of_work.run((tx) => completeDueTemplates(tx, ports, now_ms + 4_999, 10)), 0);
  assert.equal(await unit_of_work.run((tx) => completeDueTemplates(tx, ports, now_ms + 5_000, 10)), 1);
  assert.equal(await unit_of_work.run((tx) => completeDueTemplates(tx, ports, now_ms + 60_000, 10)), 0);
});

test('the event of a completion contains the ACTIVE template and the previous PENDING one', async () => {
  const { unit_of_work, events } = templateWorld();
  const pending = await unit_of_work.run((tx) => requestTemplate(tx, ports, call, request('a'), options));
  await unit_of_work.run((tx) => completeDueTemplates(tx, ports, now_ms + 6_000, 10));
  const active = await unit_of_work.run((tx) => tx.templates.find(1, pending.id));
  assert.equal(active?.status, 'ACTIVE');
  assert.equal(active.completes_at_ms, null);
  assert.deepEqual(events(), [
    {
      id: 1,
      company_id: 1,
      event_type: 'virtualcard.purchasetemplate.created',
      payload: {
        ...toTemplateItem(pending, ports.statusUrlOf),
        status: 'ACTIVE',
        updated_at: '2026-11-21T10:00:06.000Z',
      },
      previous: toTemplateItem(pending, ports.statusUrlOf),
      created_at_ms: now_ms + 6_000,
      request_id: null,
    },
  ]);
});

test('the operator completes a template early, once', async () => {
  const { unit_of_work, events } = templateWorld();
  const pending = await unit_of_work.run((tx) => requestTemplate(tx, ports, call, request('a'), options));
  const active = await unit_of_work.run((tx) =>
    completeTemplate(tx, ports, { ...call, now_ms: now_ms + 1 }, pending.id),
  );
  assert.equal(active.status, 'ACTIVE');
  await assert.rejects(
    unit_of_work.run((tx) => completeTemplate(tx, ports, { ...call, now_ms: now_ms + 2 }, pending.id)),
    (error) => error instanceof Refusal && error.code === 'not_found',
  );
  assert.equal(await unit_of_work.run((tx) => completeDueTemplates(tx, ports, now_ms + 60_000, 10)), 0);
  assert.equal(events().length, 1);
});

test('many due templates are completed in batches, each with one event', async () => {
  const { unit_of_work, events } = templateWorld();
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await unit_of_work.run((tx) => requestTemplate(tx, ports, call, request(name), options));
  }
  const counts: number[] = [];
  for (let batch = 0; batch < 4; batch += 1) {
    counts.push(await unit_of_work.run((tx) => completeDueTemplates(tx, ports, now_ms + 9_000, 2)));
  }
  assert.deepEqual(counts, [2, 2, 1, 0]);
  assert.equal(new Set(events().map(({ payload }) => payload.id)).size, 5);
});

test('a failed completion leaves the template PENDING and writes no event', async () => {
  const { unit_of_work, events } = templateWorld();
  const pending = await unit_of_work.run((tx) => requestTemplate(tx, ports, call, request('a'), options));
  await assert.rejects(
    unit_of_work.run(async (tx) => {
      await completeTemplate(tx, ports, call, pending.id);
      throw new Error('the disk is full');
    }),
  );
  assert.equal((await unit_of_work.run((tx) => tx.templates.find(1, pending.id)))?.status, 'PENDING');
  assert.deepEqual(events(), []);
});

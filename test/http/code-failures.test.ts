import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type DatabaseName, database_names, readRows } from '@tallystick/test-support';
import { authorization, type Service, startService } from './service.ts';

const operator = { key: 'operator' } as const;

async function withCard(t: TestContext, database: DatabaseName) {
  const service = await startService(t, database);
  const body = { data: { total_card_amount: 100_000 }, show_card_number: true };
  const { id, card_number, cvc } = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
  /** A verification of the amount 0. Returns the reason that its answer shows, and V for none. */
  async function verify(code: string | undefined, change: object = {}): Promise<string> {
    const amounts = { billing_amount: 0, merchant_amount: 0 };
    const message = authorization(card_number, { ...amounts, ...(code === undefined ? {} : { cvc: code }), ...change });
    const reply = await service.send('POST', '/network/v1/authorizations', { key: 'network', body: message });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.data.decline_reason ?? reply.json.data.broken_reason ?? 'V';
  }
  const reset = () => service.send('POST', `/operator/v1/virtualcards/${id}/code-failures/reset`, operator);
  return { service, id, cvc, verify, reset };
}

/** Every code but the right one. */
function* wrongCodes(cvc: string): Generator<string> {
  for (let code = 0; code < 1_000; code += 1) {
    const text = String(code).padStart(3, '0');
    if (text !== cvc) yield text;
  }
}

async function metric({ send }: Service, name: string): Promise<number> {
  const { text } = await send('GET', '/metrics', operator);
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

for (const database of database_names) {
  describe(`a code that is guessed with verifications, on ${database}`, () => {
    it('is not found: after 10 wrong ones in a UTC day even the right one is C, in requests and advices', async (t) => {
      const { service, id, cvc, verify, reset } = await withCard(t, database);
      assert.equal(await metric(service, 'tallystick_code_failures_total'), 0);
      const guesses = wrongCodes(cvc).take(40).toArray();
      const reasons = await Promise.all(
        guesses.map((code, at) => verify(code, at % 2 === 0 ? {} : { message_type_indicator: '0120' })),
      );
      assert.deepEqual(new Set(reasons), new Set(['C']));
      assert.equal(await verify(cvc), 'C');
      assert.equal(await verify(cvc, { message_type_indicator: '0120' }), 'C');
      assert.equal(await verify(undefined), 'V', 'a message without a code');
      assert.equal(await metric(service, 'tallystick_code_failures_total'), 10);
      assert.equal(await metric(service, 'tallystick_code_lockouts_total'), 1);

      const updates = await service.send('GET', '/v1/events?filter[event_type]=virtualcard.updated');
      const [{ payload, previous }] = updates.json.data;
      assert.equal(updates.json.data.length, 1);
      assert.deepEqual([payload.id, payload.code_failures, previous.code_failures], [Number(id), 10, 9]);

      const done = await reset();
      assert.deepEqual([done.status, done.json.data.id, done.json.data.code_failures], [200, id, 0], done.text);
      assert.equal(await verify(cvc), 'V');
      const audited = await readRows<{ action: string; object: string }>(
        service.database,
        `select action, object from tallystick_audit_entries where action = 'code_failures.reset'`,
      );
      assert.deepEqual(
        audited.map(({ object }) => object),
        [`virtualcard:${id}`],
      );
      assert.equal((await reset()).status, 200, 'a second reset');
      const all = await service.send('GET', '/v1/events?filter[event_type]=virtualcard.updated');
      assert.equal(all.json.data.length, 2, 'and it writes no event');
    });

    it('can be used again on the next UTC day', async (t) => {
      const { service, cvc, verify } = await withCard(t, database);
      for (const code of wrongCodes(cvc).take(10)) await verify(code);
      assert.equal(await verify(cvc), 'C');
      service.setClock('2030-03-16T00:00:00Z');
      assert.equal(await verify(cvc), 'V');
    });
  });
}

describe('a reset of wrong codes', () => {
  it('is for operators, of a card that exists', async (t) => {
    const { service, id } = await withCard(t, 'sqlite');
    const path = `/operator/v1/virtualcards/${id}/code-failures/reset`;
    for (const key of ['client', 'network', 'bank'] as const) {
      assert.equal((await service.send('POST', path, { key })).status, 403, key);
    }
    assert.equal((await service.send('POST', path.replace(id, '99'), operator)).status, 404);
  });
});

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  type Received,
  type ScratchDatabase,
  type ServerProcess,
  sandbox_keys,
  send,
  startServer,
  type TlsReceiver,
  tlsReceiver,
  until,
} from '@tallystick/test-support';
import { verifyDelivery } from '@tallystick/webhook-signature';
import { openMessages } from '../http/messages-client.ts';

const path = '/v1/decision-endpoint';
const secret = 'the secret of the endpoint';

for (const name of database_names) {
  describe(`a company that decides itself, on ${name}`, () => {
    let database: ScratchDatabase;
    let server: ServerProcess;
    let receiver: TlsReceiver;
    let card: { readonly id: string; readonly card_number: string };
    let sent = 0;
    let answer: (request: Received, response: ServerResponse) => void;

    const client = (method: string, at: string, body?: object) =>
      send(server.url, method, at, { key: sandbox_keys.client, ...(body === undefined ? {} : { body }) });
    const message = (more: object) => {
      sent += 1;
      return {
        card_number: card.card_number,
        message_type_indicator: '0100',
        billing_amount: 1_000,
        billing_currency: 'USD',
        merchant_amount: 1_000,
        merchant_currency: 'USD',
        merchant_name: 'Corner Grocer',
        mcc: '5411',
        trace_id: `T${sent}`,
        system_trace_audit_number: String(100_000 + sent),
        transaction_date_time: '2030-03-15T10:00:00Z',
        ...more,
      };
    };
    const authorize = async (more: object = {}) => {
      const data = message(more);
      const reply = await send(server.url, 'POST', '/network/v1/authorizations', {
        key: sandbox_keys.network,
        body: { data },
      });
      assert.equal(reply.status, 200, reply.text);
      return reply.json.data;
    };
    const answerWith = (body: object) => {
      answer = (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const newest = async () => (await client('GET', `${path}/consultations`)).json.data[0];

    before(async () => {
      database = await migratedDatabase(name);
      server = await startServer({ database_url: database.database_url });
      receiver = await tlsReceiver((request, response) => answer(request, response));
      const issued = await client('POST', '/v1/virtualcards', {
        data: { total_card_amount: 100_000 },
        show_card_number: true,
      });
      card = issued.json.data;
      const url = `${receiver.origin}/decide`;
      const stand_in = [{ if: { amount_max: 500 }, decision: 'approve' }];
      const put = await client('PUT', path, { data: { url, secret, timeout_ms: 2_000, stand_in } });
      assert.equal(put.status, 200, put.text);
      assert.equal(put.json.data.secret, secret);
    });
    after(async () => {
      await server?.kill();
      await receiver?.close();
      await database?.dispose();
    });

    it('approves and declines, and each question is signed and shown', async () => {
      answerWith({ decision: 'approve' });
      assert.equal((await authorize()).decline_reason, null);
      answerWith({ decision: 'decline', note: 'not on a Sunday' });
      const declined = await authorize();
      assert.deepEqual([declined.decline_reason, declined.response_code], ['P', '05']);
      const request = receiver.received.at(-1)!;
      const verified = await verifyDelivery(request, { secrets: secret, callback_url: `${receiver.origin}/decide` });
      assert.equal(verified.verified, true);
      const { data } = JSON.parse(request.body);
      assert.deepEqual(
        [data.type, data.amount, data.currency, data.test, data.vcn_id],
        ['virtualcard.decision.requested', 1_000, 'USD', false, Number(card.id)],
      );
      const { id, concluded } = await newest();
      assert.deepEqual(
        [id, concluded.outcome, concluded.answer, concluded.note],
        [data.id, 'answered', 'decline', 'not on a Sunday'],
      );
    });

    it('approves a part of a request that allows it', async () => {
      answerWith({ decision: 'approve_part', amount: 400 });
      const approved = await authorize({ partial_approval: true });
      assert.deepEqual([approved.response_code, approved.decline_reason], ['10', null]);
    });

    it('has a part explained by what a reversal that came before the answer left of it', async () => {
      const purchase = { trace_id: 'reversed in part' };
      answer = async (_, response) => {
        const replacement_amounts = { billing_amount: 300, transaction_amount: 300 };
        await authorize({ ...purchase, message_type_indicator: '0400', replacement_amounts });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"decision":"approve_part","amount":400}');
      };
      const { id, response_code } = await authorize({ ...purchase, partial_approval: true });
      assert.equal(response_code, '10');
      const { data } = (await client('GET', `/v1/virtualcards/${card.id}/decisions/${id}`)).json;
      const { facts } = data.decision as {
        readonly facts: readonly { readonly name: string; readonly value: number }[];
      };
      const left = facts.find(({ name }) => name === 'available_after')?.value;
      assert.deepEqual([data.after.held - data.before.held, data.after.available], [300, left]);
    });

    it('is shown as the one that declines when an advice that broke a limit overtook its answer', async () => {
      const issued = await client('POST', '/v1/virtualcards', {
        data: { total_card_amount: 1_000 },
        show_card_number: true,
      });
      const { id, card_number } = issued.json.data;
      const purchase = { card_number, trace_id: 'overtaken', billing_amount: 100, merchant_amount: 100 };
      answer = async (_, response) => {
        await authorize({ ...purchase, message_type_indicator: '0120', billing_amount: 1_100, merchant_amount: 1_100 });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"decision":"decline"}');
      };
      const declined = await authorize(purchase);
      assert.equal(declined.decline_reason, 'P');
      const { data } = (await client('GET', `/v1/virtualcards/${id}/decisions/${declined.id}`)).json;
      const failed = data.table.filter(({ result }: { result: string }) => result === 'failed');
      assert.deepEqual(
        [data.blocked_by, data.reproduced, failed.map(({ code }: { code: string }) => code)],
        ['company_endpoint', true, ['P']],
      );
    });

    it('lets the rules stand in for an endpoint that hangs, and keeps its late answer', async () => {
      const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
      answer = (_, response) => resolve(response);
      await client('PATCH', path, { data: { timeout_ms: 200 } });
      const small = await authorize({ billing_amount: 500, merchant_amount: 500 });
      assert.equal(small.decline_reason, null);
      const { concluded } = await newest();
      assert.deepEqual([concluded.outcome, concluded.stood_in], ['timeout', '1']);
      (await asked).writeHead(200, { 'content-type': 'application/json' }).end('{"decision":"decline"}');
      for (;;) if ((await newest()).late?.answer === 'decline') break;
      answer = () => undefined;
      assert.equal((await authorize()).decline_reason, 'P');
      await client('PATCH', path, { data: { timeout_ms: 2_000 } });
    });

    it('sends a test that differs from a question in its id, its time and `test` alone, and keeps nothing', async () => {
      answerWith({ decision: 'approve', note: 'tried' });
      await authorize();
      const question = JSON.parse(receiver.received.at(-1)!.body).data;
      const kept = await newest();
      const purchase = { vcn_id: card.id, amount: 1_000, merchant_name: 'Corner Grocer' };
      const tested = await client('POST', `${path}/test`, { data: purchase });
      assert.equal(tested.status, 200, tested.text);
      const { data } = tested.json;
      assert.deepEqual(
        [data.outcome, data.answer, data.note, data.response.status],
        ['answered', 'approve', 'tried', 200],
      );
      const request = receiver.received.at(-1)!;
      assert.equal(data.request.body, request.body);
      const trial = JSON.parse(request.body).data;
      assert.equal(trial.test, true);
      const keysOf = (value: object) => JSON.stringify(value, (_, inner) => (Object(inner) === inner ? inner : 0));
      const shapeOf = ({ authorization: { decision, ...authorization }, ...rest }: typeof question) =>
        keysOf({ ...rest, authorization, code: decision.code });
      assert.equal(shapeOf(trial), shapeOf(question));
      const verified = await verifyDelivery(request, { secrets: secret, callback_url: `${receiver.origin}/decide` });
      assert.equal(verified.verified, true);
      assert.deepEqual(await newest(), kept);
      const refused = await client('POST', `${path}/test`, { data: { ...purchase, amount: 900_000 } });
      assert.equal(refused.status, 409, refused.text);
    });

    it('is asked about no request that the limits decline, of no amount, or that is a refund', async () => {
      answerWith({ decision: 'approve' });
      const before = receiver.received.length;
      assert.equal((await authorize({ billing_amount: 900_000, merchant_amount: 900_000 })).decline_reason, 'E');
      await authorize({ billing_amount: 0, merchant_amount: 0 });
      await authorize({ card_holder_transaction_type_code: '20' });
      assert.equal(receiver.received.length, before);
    });

    it('is asked about every line of a burst that it can answer in time, and a single message is not refused', async () => {
      answer = (_, response) =>
        void setTimeout(
          () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"decision":"approve"}'),
          300,
        );
      const before = receiver.received.length;
      const messages = openMessages(server);
      for (let at = 0; at < 700; at += 1) {
        const data = { ...message({ trace_id: `burst ${at}` }), billing_amount: 1, merchant_amount: 1 };
        messages.write(`${JSON.stringify({ type: 'authorization', data })}\n`);
      }
      messages.end();
      await until(() => receiver.received.length > before);
      assert.equal((await authorize({ billing_amount: 900_000, merchant_amount: 900_000 })).decline_reason, 'E');
      const answers = await messages.ended;
      const codes = new Set(answers.map(({ status, data }) => `${status} ${data?.decline_reason}`));
      assert.deepEqual([...codes], ['200 null']);
      assert.equal(receiver.received.length - before, 700);
    });

    it('is not asked while its endpoint is inactive, nor once it is deleted', async () => {
      answerWith({ decision: 'decline' });
      const before = receiver.received.length;
      await client('PATCH', path, { data: { status: 'inactive' } });
      assert.equal((await authorize()).decline_reason, null);
      await client('PATCH', path, { data: { status: 'active' } });
      assert.equal((await authorize()).decline_reason, 'P');
      assert.equal((await client('DELETE', path)).status, 204);
      assert.equal((await authorize()).decline_reason, null);
      assert.equal(receiver.received.length, before + 1);
      assert.equal((await client('GET', path)).status, 404);
    });

    it('has its questions among the metrics, and its changes in the audit log', async () => {
      const metrics = (await send(server.url, 'GET', '/metrics', { key: sandbox_keys.operator })).text;
      assert.match(metrics, /tallystick_consultations_total\{outcome="answered"\} [1-9]/);
      assert.match(metrics, /tallystick_consultations_total\{outcome="timeout"\} [1-9]/);
      const log = await send(server.url, 'GET', '/operator/v1/audit?page[limit]=100', { key: sandbox_keys.operator });
      const actions = log.json.data.map(({ action }: { action: string }) => action);
      for (const action of ['created', 'updated', 'deleted']) {
        assert(actions.includes(`decision_endpoint.${action}`), `${action}: ${actions}`);
      }
    });
  });
}

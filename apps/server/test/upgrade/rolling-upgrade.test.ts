import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  database_names,
  type Reply,
  readRows,
  type ServerProcess,
  scratchDatabase,
  send,
  sendUntilAdmitted,
  startServer,
} from '@tallystick/test-support';

const newer_server = fileURLToPath(new URL('newer-server.ts', import.meta.url));
const callers = 8;
const amount = 25;
/** Between two messages of a caller, milliseconds: starting nodes need the processors too. */
const pause_ms = 20;

const skip = database_names.includes('postgres') ? false : 'there is no Postgres';

describe('an upgrade node by node, under load', { skip }, () => {
  it('answers every authorization, loses none and doubles none, while versions expand and contract', async (t) => {
    const scratch = await scratchDatabase('postgres');
    t.after(() => scratch.dispose());
    const { database_url } = scratch;
    const start = async (version: number): Promise<ServerProcess> => {
      const command = [process.execPath, '--conditions=source', newer_server, String(version)] as const;
      const server = await startServer({ database_url, command });
      t.after(async () => void (await server.kill()));
      return server;
    };
    const [one, two] = [await start(1), await start(1)];
    const cards = await Promise.all(Array.from({ length: callers }, () => issue(one.url)));
    const load = createLoad(cards, [one, two]);
    t.after(() => load.stop().catch(() => {}));
    await load.answers(40);

    // The first node of version 2 expands the schema beside two nodes of version 1.
    const three = await start(2);
    load.add(three);
    await load.answers(40);
    for (const old of [one, two]) {
      while (!old.output().includes('a newer version migrated the database')) await delay(20);
      const ready = await fetch(`${old.url}/readyz`);
      assert.deepEqual(
        [ready.status, await ready.json()],
        [200, { status: 'ready', newer_schema: ['9002-new-notes'] }],
      );
      assert.match(await (await fetch(`${old.url}/metrics`)).text(), /^tallystick_schema_newer_migrations 1$/m);
    }
    await assert.rejects(start(1), /exited \(status 1\).*was migrated by a newer version.*9002-new-notes/s);

    await load.replace(one, await start(2));
    await load.replace(two, null);
    await load.answers(40);

    // All nodes are of version 2: version 3 may contract.
    const [five] = load.nodes.filter((node) => node !== three);
    const six = await start(3);
    load.add(six);
    await load.answers(40);
    await load.replace(three, await start(3));
    await load.replace(five as ServerProcess, null);
    await load.answers(40);
    await load.stop();

    const refused = load.replies.filter(({ status }) => status !== 200);
    assert.deepEqual(
      refused.map(({ text }) => text),
      [],
    );
    assert.ok(load.replies.every(({ json }) => json.data.response_code === '00'));
    const stored = await readRows<{ trace_id: string }>(scratch, 'select trace_id from tallystick_authorizations');
    assert.deepEqual(stored.map(({ trace_id }) => trace_id).toSorted(), load.sent.toSorted());
    for (const card of cards) {
      const { json } = await send(six.url, 'GET', `/v1/virtualcards/${card.id}`);
      const uses = load.sent.filter((trace_id) => trace_id.startsWith(`T${card.id}-`)).length;
      assert.equal(json.data.available_balance, limit - uses * amount);
    }
    for (const node of load.nodes) assert.deepEqual(await node.stop(), { code: 0, signal: null });
  });
});

const limit = 100_000_000;

interface Card {
  readonly id: string;
  readonly card_number: string;
}

async function issue(url: string): Promise<Card> {
  const body = { data: { total_card_amount: limit }, show_card_number: true };
  const { status, json, text } = await sendUntilAdmitted(url, 'POST', '/v1/virtualcards', { body });
  assert.equal(status, 200, text);
  return json.data;
}

/** One caller for each card behind a load balancer: each request goes to the next node. */
function createLoad(cards: readonly Card[], first_nodes: readonly ServerProcess[]) {
  const nodes = [...first_nodes];
  const replies: Reply[] = [];
  const sent: string[] = [];
  let turn = 0;
  let is_over = false;
  let failure: unknown = null;

  const call = async ({ id, card_number }: Card): Promise<void> => {
    for (let number = 1; !is_over; number += 1) {
      const node = nodes[turn++ % nodes.length] as ServerProcess;
      const trace_id = `T${id}-${number}`;
      sent.push(trace_id);
      const data = {
        card_number,
        message_type_indicator: '0100',
        trace_id,
        system_trace_audit_number: String(number).padStart(6, '0'),
        transaction_date_time: '2030-03-15T10:00:00Z',
        billing_amount: amount,
        billing_currency: 'USD',
        merchant_amount: amount,
        merchant_currency: 'USD',
        mcc: '5734',
        merchant_id: `M${id}`,
        merchant_name: 'Paper & Ink',
      };
      replies.push(await decide(node, data));
      await delay(pause_ms);
    }
  };
  /** Sends a message that met the end of a node to another one, as a card network does. */
  const decide = async (node: ServerProcess, data: object): Promise<Reply> => {
    try {
      return await send(node.url, 'POST', '/network/v1/authorizations', { key: 'network', body: { data } });
    } catch (error) {
      if (nodes.includes(node)) throw error;
      return await decide(nodes[turn++ % nodes.length] as ServerProcess, data);
    }
  };
  const calls = Promise.all(cards.map(call)).catch((error: unknown) => {
    is_over = true;
    failure = error;
  });

  const answers = async (more: number): Promise<void> => {
    const until = replies.length + more;
    while (replies.length < until && failure === null) await delay(5);
    if (failure !== null) throw failure;
  };
  return {
    nodes,
    replies,
    sent,
    answers,
    add: (node: ServerProcess) => void nodes.push(node),
    /** Takes a node out of the load balancer, then stops it while requests are in flight. */
    async replace(old: ServerProcess, by: ServerProcess | null): Promise<void> {
      nodes.splice(nodes.indexOf(old), 1, ...(by === null ? [] : [by]));
      assert.deepEqual(await old.stop(), { code: 0, signal: null });
    },
    async stop(): Promise<void> {
      is_over = true;
      await calls;
      if (failure !== null) throw failure;
    },
  };
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  copyDatabase,
  database_names,
  migratedDatabase,
  readRows,
  send,
  startServer,
  tlsReceiver,
} from '@tallystick/test-support';
import { Company } from './company.ts';

const off_notice = 'webhooks are off: nothing is sent';

describe('a restored copy', () => {
  for (const name of database_names) {
    it(`sends nothing that was pending with WEBHOOKS=off, and all of it when it is on: ${name}`, async (t) => {
      const original = await migratedDatabase(name);
      t.after(() => original.dispose());
      let is_up = false;
      const receiver = await tlsReceiver((_, response) => response.writeHead(is_up ? 200 : 503).end());
      t.after(() => receiver.close());
      const first = await startServer({ database_url: original.database_url });
      t.after(() => first.kill());
      const company = await Company.found(first.url, 'alone');
      const webhook = await company.registers(`${receiver.origin}/hooks`);
      for (const id of [1, 2, 3]) await company.hears({ id });
      while (receiver.received.length < 3) await delay(5);
      await first.stop();

      const copy = await copyDatabase(original);
      t.after(() => copy.dispose());
      is_up = true;
      const before = receiver.received.length;
      const off = await startServer({ database_url: copy.database_url, env: { WEBHOOKS: 'off' } });
      t.after(() => off.kill());
      assert.match(off.output(), /^WEBHOOKS=off: no webhook is delivered/m);
      const on_copy = company.at(off.url);
      await on_copy.hears({ id: 4 });
      // All four are due: the answer comes when the relay has made the fourth.
      const moved = await send(off.url, 'POST', '/sandbox/v1/clock', {
        key: 'operator',
        body: { data: { advance: 'P1D' } },
      });
      assert.equal(moved.json.data.waiting, `deliveries due: 4; ${off_notice}`);
      const tested = await on_copy.send('GET', `/v1/webhooks/${webhook.id}/test`);
      assert.deepEqual([tested.json.data.status, tested.json.data.error], [0, off_notice]);
      const metrics = await (await fetch(`${off.url}/metrics`)).text();
      assert.match(metrics, /^tallystick_webhooks_on 0$/m);
      assert.match(metrics, /^tallystick_deliveries_pending 4$/m);
      await off.stop();
      assert.match(off.output(), /"msg":"webhooks are off/);
      assert.equal(receiver.received.length, before, 'nothing was sent');
      const [{ attempts }] = (await readRows(copy, 'select sum(attempts) as attempts from tallystick_deliveries')) as [
        { attempts: number },
      ];
      assert.equal(Number(attempts), 3, 'no delivery has lost an attempt');

      const on = await startServer({ database_url: copy.database_url });
      t.after(() => on.kill());
      while (receiver.received.length < before + 4) await delay(5);
      const sequences = receiver.received.slice(before).map(({ headers }) => Number(headers['x-webhook-sequence']));
      assert.deepEqual(sequences.toSorted(), [1, 2, 3, 4]);
      await on.stop();
    });
  }
});

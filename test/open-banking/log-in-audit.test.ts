import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConsentsTx } from '@tallystick/consents';
import type { UnitOfWork } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { authorisePlain, configure, userAgent } from './authorisation-client.ts';
import { newConsent, startWorld } from './authorisation-world.ts';

for (const storage of ['memory', ...database_names] as const) {
  describe(`log-ins of users, in ${storage}`, () => {
    it('are audited with the address of the user: failures without the name, decisions with the user', async (t) => {
      const world = await startWorld({ storage });
      t.after(() => world.close());
      const third_party = await world.register();
      const config = await configure(world, third_party);
      const { url } = await authorisePlain(config, await newConsent(world, third_party));
      const agent = userAgent(world);
      const typed = 'correct horse, typed as name';
      for (let time = 0; time < 3; time += 1) await agent.logIn(url, typed, 'alice');
      await agent.logIn(url, 'alice', 'wrong');
      await agent.refuse(url, 'alice');

      const unitOfWork = world.unitOfWork as UnitOfWork<ConsentsTx>;
      const { items } = await unitOfWork.read((tx) => tx.audit.list({}, { limit: 10 }));
      const [rejected, logged_in, wrong, unknown, ...more] = items;
      assert.deepEqual(more, [], 'repeated failures of one name are one entry');
      assert.deepEqual([rejected?.action, rejected?.actor], ['consent.rejected', 'user:alice']);
      assert.deepEqual([logged_in?.action, logged_in?.object], ['user.logged_in', 'bank_user:alice']);
      for (const entry of [wrong, unknown]) {
        assert.deepEqual(
          [entry?.action, entry?.actor, entry?.details],
          ['user.login_failed', 'unknown', { failures: 1 }],
        );
        assert.match(entry?.object ?? '', /^user_name:[0-9a-f]{16}$/);
      }
      assert.notEqual(wrong?.object, unknown?.object);
      for (const entry of items) {
        assert.deepEqual([entry.source_address, entry.request_id], ['203.0.113.7', 'r-1'], entry.action);
        assert.doesNotMatch(JSON.stringify(entry), /correct horse|wrong"/);
      }
    });
  });
}

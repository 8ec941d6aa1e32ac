import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type ConsentsTx, deleteConsent, OpenBankingRefusal, readConsent } from '@tallystick/consents';
import { daysBefore, type RetentionStore, type UnitOfWork } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { authorisePlain, configure, userAgent } from './authorisation-client.ts';
import { day_ms, newConsent, startWorld, type WorldStorage } from './authorisation-world.ts';

const minute_ms = 60_000;
const kept_days = 30;
const later_ms = (kept_days + 1) * day_ms;

async function openWorld(t: TestContext, storage: WorldStorage) {
  const world = await startWorld({ storage });
  t.after(() => world.close());
  const third_party = await world.register();
  const config = await configure(world, third_party);
  // Every storage has it.
  const unitOfWork = world.unitOfWork as UnitOfWork<ConsentsTx> as UnitOfWork<
    ConsentsTx & { readonly retention: RetentionStore }
  >;
  const call = () => ({ client_id: third_party.client_id, request_id: null, now_ms: world.nowMs() });
  return {
    world,
    newConsent: () => newConsent(world, third_party),
    request: async (consent_id: string) => (await authorisePlain(config, consent_id)).url,
    /** Removes the consents whose retention time is over. Returns how many. */
    purge: async (): Promise<number> => {
      const bounds = { before_ms: daysBefore(world.nowMs(), kept_days), now_ms: world.nowMs() };
      const { rows } = await unitOfWork.read((tx) => tx.retention.due('consents', bounds, 0));
      return rows.length === 0 ? 0 : await unitOfWork.run((tx) => tx.retention.remove('consents', bounds, rows));
    },
    /** The status that the third party reads, or the problems of its refusal. */
    read: (consent_id: string) =>
      unitOfWork.read(async (tx) => {
        try {
          return (await readConsent(tx, call(), 'account_access', consent_id)).status;
        } catch (error) {
          if (!(error instanceof OpenBankingRefusal)) throw error;
          return error.problems;
        }
      }),
    remove: (consent_id: string) => unitOfWork.run((tx) => deleteConsent(tx, call(), 'account_access', consent_id)),
    /** What the audit log says of it. */
    audited: (consent_id: string) =>
      unitOfWork.read(async (tx) => {
        const { items } = await tx.audit.list({ object: `consent:${consent_id}` }, { limit: 10 });
        return items.map(({ action }) => action);
      }),
  };
}

for (const storage of ['memory', ...database_names] as const) {
  describe(`a consent, in ${storage}`, () => {
    it('is removed after its retention time when nobody authorised it, and is then unknown; its audit entries stay', async (t) => {
      const { world, newConsent, request, purge, read, audited } = await openWorld(t, storage);
      const [awaiting, refused] = [await newConsent(), await newConsent()];
      await userAgent(world).refuse(await request(refused), 'alice');
      assert.equal(await purge(), 0);
      world.advance(later_ms);
      assert.deepEqual([await read(awaiting), await read(refused)], ['AwaitingAuthorisation', 'Rejected']);
      assert.equal(await purge(), 2);
      const unknown = await read('unknown');
      assert.match(JSON.stringify(unknown), /UK\.OBIE\.Resource\.NotFound/);
      assert.deepEqual([await read(awaiting), await read(refused)], [unknown, unknown]);
      assert.deepEqual(await audited(refused), ['consent.rejected']);
      const asked = await userAgent(world).get(await request(awaiting));
      assert.equal(asked.url.searchParams.get('error'), 'invalid_request');
    });

    it('stays while a user decides about it, and for ever once the user authorised it', async (t) => {
      const { world, newConsent, request, purge, read, remove } = await openWorld(t, storage);
      const [consent_id, left] = [await newConsent(), await newConsent()];
      world.advance(later_ms);
      const agent = userAgent(world);
      const page = await agent.logIn(await request(consent_id), 'alice');
      await userAgent(world).get(await request(left));
      assert.equal(await purge(), 0, 'during both steps');
      const action = /action="([^"]+decide)"/.exec(page.html!)![1]!;
      await agent.submit(page, action, [
        ['decision', 'approve'],
        ['account', '1000000001'],
      ]);
      assert.equal(await read(consent_id), 'Authorised');
      world.advance(31 * minute_ms);
      const ended = { service: world.nowMs(), machine: 0 };
      await world.unitOfWork.run((tx) => tx.authorisation.purge(ended, 100));
      assert.equal(await purge(), 1, 'the one whose step was left');
      world.advance(later_ms);
      await remove(consent_id);
      await world.unitOfWork.run((tx) => tx.authorisation.purge({ ...ended, service: world.nowMs() }, 100));
      assert.equal(await purge(), 0, 'authorised, and deleted later');
    });

    it('that is deleted during a step leaves its user the way back to the third party', async (t) => {
      const { world, newConsent, request, remove } = await openWorld(t, storage);
      const consent_id = await newConsent();
      const agent = userAgent(world);
      const page = await agent.logIn(await request(consent_id), 'alice');
      await remove(consent_id);
      const action = /action="([^"]+decide)"/.exec(page.html!)![1]!;
      const done = await agent.submit(page, action, [['decision', 'approve']]);
      assert.match(done.html!, /The request is no longer open/);
    });
  });
}

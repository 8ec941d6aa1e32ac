import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  runAdmin,
  type ScratchDatabase,
  type ServerProcess,
  send,
  startServer,
} from '@tallystick/test-support';

const operator = { key: 'operator' } as const;

describe('an API key with an end', { concurrency: true }, () => {
  for (const name of database_names) {
    describe(name, { concurrency: 1 }, () => {
      let database: ScratchDatabase;
      let server: ServerProcess;
      before(async () => {
        database = await migratedDatabase(name);
        server = await startServer(database);
      });
      after(async () => {
        await server?.stop();
        await database?.dispose();
      });
      const moveClock = async (advance: string): Promise<Date> => {
        const body = { data: { advance, frozen: true } };
        const { json } = await send(server.url, 'POST', '/sandbox/v1/clock', { ...operator, body });
        return new Date(json.data.now);
      };

      it('works until its end and not a moment longer, and shows its last use', async () => {
        const now = await moveClock('PT0S');
        const expires_at = new Date(now.getTime() + 60 * 60_000).toISOString();
        const data = { company_id: 1, role: 'client', name: 'erp', expires_at };
        const { json } = await send(server.url, 'POST', '/operator/v1/keys', { ...operator, body: { data } });
        const { url, key } = json.data as { readonly url: string; readonly key: string };
        const read = async () => (await send(server.url, 'GET', url, operator)).json.data;
        const use = () => send(server.url, 'GET', '/v1/virtualcards', { headers: { Authorization: `Bearer ${key}` } });
        assert.equal((await read()).last_used_at, null);

        assert.equal((await use()).status, 200);
        await moveClock('PT59M59.999S'); // the job that writes the last use runs, too
        assert.equal((await read()).last_used_at, now.toISOString());
        assert.equal((await use()).status, 200);
        await moveClock('PT0.001S');
        const ended = await use();
        assert.deepEqual([ended.status, ended.json.error], [401, 'the API key is unknown, revoked or ended']);

        const later = new Date(Date.parse(expires_at) + 1).toISOString();
        const changed = await send(server.url, 'PATCH', url, { ...operator, body: { data: { expires_at: later } } });
        assert.equal(changed.json.data.expires_at, later);
        assert.equal((await use()).status, 200, 'the operator gave it more time');
        const words = ['key', 'update', url.split('/').at(-1)!, '--expires', 'never'];
        assert.equal((await runAdmin(words, database)).expires_at, null);
        const audited = await send(server.url, 'GET', '/operator/v1/audit?filter[action]=api_key.updated', operator);
        assert.deepEqual(
          audited.json.data.map(({ actor, details }: { actor: string; details: { expires_at: string } }) => [
            actor,
            details.expires_at,
          ]),
          [
            ['command', null],
            ['key:sandbox:operator', later],
          ],
        );
      });
    });
  }
});

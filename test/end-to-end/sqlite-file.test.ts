import assert from 'node:assert/strict';
import { renameSync, truncateSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import {
  type ScratchDatabase,
  type ServerProcess,
  scratchDatabase,
  send,
  sqliteFile,
  startServer,
} from '@tallystick/test-support';
import { authorize, type Card, issue, purchase } from './purchases.ts';

describe('a server whose SQLite file', () => {
  let database: ScratchDatabase;
  let server: ServerProcess;
  let card: Card;

  before(async () => {
    database = await scratchDatabase('sqlite');
    const first = await startServer({ database_url: database.database_url });
    card = await issue(first.url, { total_card_amount: 1_000_000 });
    // Copies the log into the file, so that pages are read from the file.
    await first.stop();
    server = await startServer({ database_url: database.database_url });
  });
  after(async () => {
    await server?.kill();
    await database?.dispose();
  });

  it('is deleted is not ready and records nothing, and continues when the file is back', async () => {
    const path = sqliteFile(database);
    const message = purchase(card.card_number, 10);
    assert.equal((await send(server.url, 'GET', '/readyz')).status, 200);
    renameSync(path, `${path}-away`);
    assert.equal((await send(server.url, 'GET', '/readyz')).status, 503);
    assert.equal((await send(server.url, 'GET', '/healthz')).status, 200);
    const refused = await authorize(server.url, message);
    assert.deepEqual([refused.status, refused.json.data.vcn_response], [503, 'Unable to process']);
    const body = { data: { total_card_amount: 100 } };
    const write = await send(server.url, 'POST', '/v1/virtualcards', { body });
    assert.equal(write.status, 503, write.text);
    assert.notEqual(write.headers.get('retry-after'), null);

    renameSync(`${path}-away`, path);
    assert.equal((await send(server.url, 'GET', '/readyz')).status, 200);
    assert.equal((await authorize(server.url, message)).json.data.response_code, '00');
    assert.equal((await send(server.url, 'POST', '/v1/virtualcards', { body })).status, 200);
  });

  it('is truncated answers, with errors where pages are missing, and does not die', async () => {
    // A mapped file is mapped again after a commit; here the map would be from before.
    assert.equal((await send(server.url, 'GET', '/v1/virtualcards')).status, 200);
    truncateSync(sqliteFile(database), 4096);
    const paths = ['/v1/virtualcards', '/v1/webhooks', '/v1/events', '/v1/realcards', '/metrics', '/readyz'];
    for (let round = 0; round < 3; round += 1) {
      const read = await Promise.all(paths.map((path) => send(server.url, 'GET', path)));
      assert.deepEqual(
        read.filter(({ status }) => status !== 200 && status !== 500 && status !== 503),
        [],
      );
      // Pages that are in memory or in the log can still be read.
      const decided = await authorize(server.url, purchase(card.card_number, 10));
      assert.ok([200, 500, 503].includes(decided.status), decided.text);
    }
    const ended = server.exited.then(() => 'ended');
    assert.equal(await Promise.race([ended, send(server.url, 'GET', '/healthz').then(({ status }) => status)]), 200);
  });
});

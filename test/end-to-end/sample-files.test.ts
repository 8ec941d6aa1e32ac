import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CardOf, createSampleSet } from '@tallystick/samples';
import { migratedDatabase, readRows, serverEnvironment, startServer } from '@tallystick/test-support';
import { runImport } from './import-process.ts';

const main_path = fileURLToPath(new URL('../../apps/importer/src/sample-files/main.ts', import.meta.url));
const root_path = fileURLToPath(new URL('../../', import.meta.url));

const options = { cards: 6, records: 200, format: 'ipm', seed: 5 };
const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);

describe('npm run sample-files -- --load', { concurrency: 1 }, () => {
  for (const where of ['a database', 'a server', 'a server that is busy now and then']) {
    it(`creates the cards in ${where} and sends the authorizations, so that the file can be imported`, async () => {
      const database = await migratedDatabase('sqlite');
      const folder = mkdtempSync(join(tmpdir(), 'tallystick-load-'));
      const server = where === 'a database' ? null : await startServer(database);
      const front = where === 'a server that is busy now and then' ? await busyFrontOf(server!.url) : null;
      try {
        const target = server === null ? [] : ['--url', front?.url ?? server.url];
        const loaded = [...words, '--out', folder, '--load', '--json', ...target];
        // The same set sent again finds all of it, whatever part was sent before.
        if (front !== null) await run([...loaded, '--out', join(folder, 'before')], database.database_url);
        if (front !== null) rmSync(join(folder, 'before'), { recursive: true });
        const made = await run(loaded, database.database_url);
        const { clearing_files, day } = JSON.parse(made) as { clearing_files: string[]; day: string };

        const cards = linesOf<{ vcn_id: number }>(join(folder, 'cards.jsonl'));
        const cardOf: CardOf = (card) => ({ vcn_id: cards[card]!.vcn_id, card_number: '' });
        const set = createSampleSet({ ...options, day });
        const [found] = await readRows<{ messages: number; clearings: number; cards: number }>(
          database,
          `select (select count(*) from tallystick_authorizations) as messages, (select count(*) from tallystick_clearings) as clearings,
             (select count(*) from tallystick_virtual_cards) as cards`,
        );
        assert.deepEqual(
          { ...found },
          {
            messages: [...set.authorizations(cardOf)].length,
            clearings: [...set.records(cardOf)].filter(({ expected }) => expected.sent_before).length,
            cards: options.cards,
          },
        );
        const { status, output, report } = await runImport(database, clearing_files[0]!);
        assert.equal(status, 4, output);
        assert.equal(report?.import.records, options.records + 2);
      } finally {
        front?.close();
        await server?.stop();
        rmSync(folder, { recursive: true, force: true });
        await database.dispose();
      }
    });
  }
});

/** A way to the server that answers each third request with 503, as a busy server does. */
async function busyFrontOf(url: string): Promise<{ readonly url: string; readonly close: () => void }> {
  let requests = 0;
  const front = createServer(async (req, res) => {
    requests += 1;
    const body = Buffer.concat(await req.toArray());
    if (requests % 3 === 0) {
      res.writeHead(503, { 'retry-after': '0' }).end('{}');
      return;
    }
    const headers = new Headers();
    for (const name of ['authorization', 'content-type', 'idempotency-key']) {
      const value = req.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    const answer = await fetch(new URL(req.url!, url), { method: req.method!, headers, body });
    res.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const { port } = front.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void front.close() };
}

function linesOf<Line>(path: string): readonly Line[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

async function run(words: readonly string[], database_url: string): Promise<string> {
  const args = ['--conditions=source', main_path, ...words];
  return await new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      args,
      { cwd: root_path, env: serverEnvironment({ database_url }) },
      (error, out, err) => {
        if (error === null) resolve(out);
        else reject(new Error(`sample-files exited with status ${error.code}: ${err}`));
      },
    );
  });
}

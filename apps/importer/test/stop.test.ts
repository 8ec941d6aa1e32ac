import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  database_names,
  readRows,
  scratchDatabase,
  send,
  serverEnvironment,
  startServer,
} from '@tallystick/test-support';
import { cdf3File } from './cdf3-file.ts';
import { runPeople } from './run-command.ts';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Enough for several batches in each phase. */
const clearings = 4_500;

for (const name of database_names) {
  describe(`an import that is stopped, on ${name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-stop-'));
    const database = await scratchDatabase(name);
    after(async () => {
      await database.dispose();
      rmSync(folder, { recursive: true });
    });

    interface Import {
      readonly status: string;
      readonly phase: string | null;
      readonly applied: number;
      readonly bytes: number;
    }

    const found = async (): Promise<Import | undefined> =>
      (await readRows<Import>(database, 'select status, phase, applied, bytes from imports'))[0];

    /** Runs the command, and sends it a signal once the condition holds. */
    const stopWhen = async (path: string, condition: (found: Import) => boolean, signal: NodeJS.Signals) => {
      const child = spawn(process.execPath, ['--conditions=source', program, path, '--json'], {
        env: serverEnvironment(database),
      });
      let text = '';
      child.stdout.on('data', (chunk) => (text += chunk));
      child.stderr.on('data', (chunk) => (text += chunk));
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      while (child.exitCode === null) {
        const current = await found();
        if (current !== undefined && condition(current)) break;
        await delay(2);
      }
      child.kill(signal);
      return { status: await ended, text };
    };

    it('ends after a batch, continues with the same command, and is ended by a server', async () => {
      const first = await startServer(database);
      const body = { data: { total_card_amount: 100_000 } };
      const { id } = (await send(first.url, 'POST', '/v1/virtualcards', { body })).json.data;
      await first.stop();
      const path = join(folder, 'clearings.xml');
      writeFileSync(path, cdf3File(1, Array(clearings).fill({ vcn_id: Number(id), billing_amount: 1 })));

      const staging = await stopWhen(path, ({ phase, bytes }) => phase === 'staging' && bytes > 0, 'SIGINT');
      assert.equal(staging.status, 1, staging.text);
      assert.match(staging.text, /SIGINT: stopping after the batch in progress/);
      assert.match(staging.text, /"outcome":"stopped","error":"stopped; the same command continues it"/);
      const staged = await found();
      assert.deepEqual([staged?.status, staged?.phase, staged?.applied], ['running', 'staging', 0]);

      const shown = await runPeople(['show', '1'], serverEnvironment(database));
      assert.match(
        shown.out,
        /staging, [1-4],\d{3} records read; no process is at work on it\. Import the same file again/,
      );

      const applying = await stopWhen(path, ({ phase, applied }) => phase === 'applying' && applied > 0, 'SIGTERM');
      assert.equal(applying.status, 1, applying.text);
      const half = await found();
      assert.deepEqual([half?.status, half?.phase], ['running', 'applying']);
      assert.ok(half !== undefined && half.applied > 0 && half.applied < clearings, String(half?.applied));

      const second = await startServer(database);
      try {
        while ((await found())?.status === 'running') await delay(10);
        const ended = await found();
        assert.deepEqual([ended?.status, ended?.applied], ['completed', clearings]);
        const card = (await send(second.url, 'GET', `/v1/virtualcards/${id}`)).json.data;
        assert.equal(card.available_balance, 100_000 - clearings);
        const { text } = await send(second.url, 'GET', '/metrics');
        assert.match(text, /^tallystick_imports_total\{status="completed"\} 1$/m);
        assert.match(text, new RegExp(`^tallystick_import_records_total\\{outcome="applied"\\} ${clearings}$`, 'm'));
      } finally {
        await second.stop();
      }
    });
  });
}

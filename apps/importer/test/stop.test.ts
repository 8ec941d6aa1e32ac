import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  database_names,
  migratedDatabase,
  readRows,
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
    const database = await migratedDatabase(name);
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
      (await readRows<Import>(database, 'select status, phase, applied, bytes from tallystick_imports'))[0];

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
        // The import is counted after it is committed, under whatever status it ended with.
        let text = '';
        while (!/^tallystick_imports_total\{status="\w+"\} [1-9]/m.test(text)) {
          ({ text } = await send(second.url, 'GET', '/metrics'));
          await delay(10);
        }
        assert.match(text, /^tallystick_imports_total\{status="completed"\} 1$/m);
        assert.match(text, new RegExp(`^tallystick_import_records_total\\{outcome="applied"\\} ${clearings}$`, 'm'));
      } finally {
        await second.stop();
      }
    });
  });
}

describe('an import of a pipe', { skip: process.platform !== 'linux' && 'only Linux can wait for its writer' }, () => {
  it('reads it once it has a writer, and ends at a second signal when it has none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-pipe-'));
    const database = await migratedDatabase('sqlite');
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const begin = () => {
      const child = spawn(process.execPath, ['--conditions=source', program, pipe], {
        env: serverEnvironment(database),
      });
      let text = '';
      const written = new EventEmitter();
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          text += chunk;
          written.emit('more');
        });
      }
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const until = async (words: string): Promise<void> => {
        while (!text.includes(words)) await once(written, 'more');
      };
      return { child, ended, until, text: () => text };
    };
    try {
      await (await startServer(database)).stop();
      const waiting = begin();
      await waiting.until('database: ');
      waiting.child.kill('SIGTERM');
      await waiting.until('SIGTERM: stopping');
      waiting.child.kill('SIGINT');
      assert.equal(await waiting.ended, 1, waiting.text());

      const reading = begin();
      await reading.until('database: ');
      // Several times the capacity of a pipe.
      await writeFile(pipe, cdf3File(1, Array(1_500).fill({ vcn_id: 999_999 })));
      assert.equal(await reading.ended, 4, reading.text());
      assert.match(reading.text(), /quarantined 1,500\n/);
    } finally {
      await database.dispose();
      rmSync(folder, { recursive: true });
    }
  });
});

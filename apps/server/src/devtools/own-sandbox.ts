import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../configuration/config.ts';
import { createServer } from '../server.ts';

/**
 * Plays a story on a sandbox in this process on a free port, which ends with the story. Its
 * database is `DATABASE_URL` if that is set, else a scratch SQLite file.
 */
export async function onOwnSandbox(story: (url: string) => Promise<void>): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'tallystick-demo-'));
  const server = createServer(
    readConfig({
      DATABASE_URL: `sqlite:${join(scratch, 'tallystick.db')}`,
      LOG_LEVEL: 'error', // a failed delivery, which is part of a story, is a warning
      ...process.env,
      SANDBOX: 'on',
      HOST: '127.0.0.1',
      PORT: '0',
      ROLE: 'all',
      REDIS_URL: '', // one process: workers on Redis must not take part in the story
    }),
  );
  try {
    const { url } = await server.start();
    await story(url);
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * A host in a bundle, which commits until the thread that copies the log of SQLite has answered.
 * The bundle has no file of that thread.
 */
import assert from 'node:assert/strict';
import type { Worker } from 'node:worker_threads';
import { createTallystick } from 'tallystick';

const commits_max = 20_000;
let answers = 0;
process.on('worker', (thread: Worker) => {
  thread.on('message', () => {
    answers += 1;
  });
});
const warnings: string[] = [];
process.on('warning', ({ message }) => void warnings.push(message));

async function main(): Promise<void> {
  const tally = await createTallystick({ database: 'sqlite:./log.db', sandbox: true });
  await tally.migrate();
  const { cards } = tally.company(1);
  for (let commits = 0; answers === 0; commits += 1) {
    assert.deepEqual(warnings, []);
    assert.ok(commits < commits_max, 'the thread never answered');
    await cards.issue({ total_card_amount: 500 });
  }
  await tally.close();
}

main();

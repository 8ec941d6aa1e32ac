import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { migratedDatabase, send, serverEnvironment, startServer } from '@tallystick/test-support';
import { runHere } from './run-command.ts';

describe('docs/imports.md', () => {
  it('shows a profile that a CSV file is imported by', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-import-'));
    const database = await migratedDatabase('sqlite');
    const env = serverEnvironment(database);
    try {
      const server = await startServer(database);
      const body = { data: { total_card_amount: 100_000 } };
      const { id } = (await send(server.url, 'POST', '/v1/virtualcards', { body })).json.data;
      await server.stop();
      const guide = readFileSync(new URL('../../../docs/imports.md', import.meta.url), 'utf8');
      writeFileSync(join(folder, 'sender.json'), /```json\n(\{.*?)```/s.exec(guide)?.[1] ?? '');
      writeFileSync(join(folder, 'broken.json'), '{"name":"sender"}');
      const rows = [`TX-1;${id};12,50;D;16.03.2030`, `TX-2;${id};2,50;C;17.03.2030`, 'TOTAL;2;15,00;;'];
      writeFileSync(join(folder, 'a.csv'), `Reference;Card;Amount;Kind;Posted\n${rows.join('\n')}\n`);
      const broken = await runHere(['a.csv', '--profile', 'broken.json'], env, folder);
      assert.equal(broken.status, 2);
      assert.match(broken.err, /the CSV profile .*broken\.json cannot be used: .*columns/);
      const unknown = await runHere(['a.csv', '--format', 'csv', '--profile', 'sender'], env, folder);
      assert.deepEqual(
        [unknown.status, unknown.err],
        [
          2,
          'there is no profile "sender" of csv; these are: default, totals; the file of a profile has a name that ends in .json\n',
        ],
      );
      const { status, out, err } = await runHere(['a.csv', '--profile', 'sender.json', '--json'], env, folder);
      assert.equal(status, 0, out + err);
      const { id: import_id, format, applied } = JSON.parse(out).import;
      assert.deepEqual([format, applied], ['csv', 2]);
      const configured = { ...env, CSV_PROFILES: join(folder, 'sender.json') };
      const again = await runHere(['a.csv', '--dry-run', '--json'], configured, folder);
      assert.equal(String(JSON.parse(again.out).preview.known_import_id), import_id, again.out);
    } finally {
      rmSync(folder, { recursive: true });
      await database.dispose();
    }
  });

  it('shows the format that the tests run', () => {
    const guide = readFileSync(new URL('../../../docs/imports.md', import.meta.url), 'utf8');
    const example = readFileSync(new URL('./line-format.ts', import.meta.url), 'utf8');
    assert.equal(/```ts\n(import \{ type ClearingFormat.*?)```/s.exec(guide)?.[1], example);
  });

  it('shows a format that the commands read from a module', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-import-'));
    const database = await migratedDatabase('sqlite');
    try {
      const server = await startServer(database);
      const body = { data: { total_card_amount: 100_000 } };
      const { id } = (await send(server.url, 'POST', '/v1/virtualcards', { body })).json.data;
      await server.stop();
      const text = `LINES 2030-03-16-1\n${id};TX-1;1250;USD;DEBIT;2030-03-16\nnonsense\nEND 2\n`;
      writeFileSync(join(folder, 'a.txt'), text);
      writeFileSync(join(folder, 'b.txt'), text.replace('END 2', 'END 3'));
      writeFileSync(
        join(folder, 'd.txt'),
        text.replace('16-1', '16-2').replaceAll('TX-1', 'TX-2').replaceAll('\n', '\r\n'),
      );
      writeFileSync(join(folder, 'c.txt'), text.replace('nonsense', 'LINES 2030-03-16-2'));
      const env = {
        ...serverEnvironment(database),
        CLEARING_FORMATS: fileURLToPath(new URL('./line-format.ts', import.meta.url)),
      };
      const unusable = { ...env, CLEARING_FORMATS: join(folder, 'absent.ts') };
      const absent = await runHere(['*.txt'], unusable, folder);
      assert.equal(absent.status, 2, absent.out + absent.err);
      assert.match(absent.err, /CLEARING_FORMATS: .*absent\.ts cannot be loaded/);
      const { status, out, err } = await runHere(['*.txt', '--json'], env, folder);
      assert.equal(status, 3, out + err);
      const [first, second, third, fourth] = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).import);
      assert.deepEqual(
        [first.format, first.status, first.applied, first.quarantined],
        ['lines', 'completed_with_quarantine', 1, 1],
      );
      assert.deepEqual([fourth.status, fourth.file_id, fourth.applied], [first.status, '2030-03-16-2', 1], out);
      assert.deepEqual([second.status, second.problem.code, second.applied], ['refused', 'count_differs', 0]);
      assert.deepEqual([third.status, third.problem.code], ['refused', 'header_misplaced']);
    } finally {
      rmSync(folder, { recursive: true });
      await database.dispose();
    }
  });
});

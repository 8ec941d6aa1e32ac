import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  readRows,
  type ServerProcess,
  send,
  serverEnvironment,
  startServer,
  tableNames,
} from '@tallystick/test-support';
import { catchUpAfterImport } from '../src/import-command.ts';
import { cdf3File } from './cdf3-file.ts';
import { type Ended, people_program, program, run, runHere, runPeople } from './run-command.ts';

const unknown_card = 999_999;

for (const database_name of database_names) {
  describe(`npm run import on ${database_name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-import-'));
    const database = await migratedDatabase(database_name);
    const env = serverEnvironment(database);
    let server: ServerProcess;
    let card: { readonly id: string; readonly card_number: string };

    before(async () => {
      server = await startServer(database);
      const body = { data: { total_card_amount: 100_000 }, show_card_number: true };
      card = (await send(server.url, 'POST', '/v1/virtualcards', { body })).json.data;
    });
    after(async () => {
      await server.stop();
      await database.dispose();
      rmSync(folder, { recursive: true });
    });

    const write = (name: string, bytes: Uint8Array): string => {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      return path;
    };
    const importing = (words: readonly string[]): Promise<Ended> => runHere(words, env, folder);
    const balance = async (): Promise<number> =>
      (await send(server.url, 'GET', `/v1/virtualcards/${card.id}`)).json.data.available_balance;
    /** Every row of the tables that an import may write. */
    const rows = async (): Promise<string> => {
      const names = (await tableNames(database)).filter((table) => !/^(idempotency|sandbox|mikro)/.test(table));
      const found = await Promise.all(
        names.toSorted().map(async (table) => [table, await readRows(database, `select * from "${table}" order by 1`)]),
      );
      return JSON.stringify(found, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
    };

    it('applies a file beside a running server, once, and reports it', async () => {
      const before_import = await balance();
      const path = write('first.xml', cdf3File(1, [{ card_number: card.card_number }]));
      const dry = await importing([path, '--dry-run']);
      assert.equal(dry.status, 0, dry.out + dry.err);
      assert.match(
        dry.out,
        /record \d+ at \d+: card \d+ .*DEBIT 12\.50 USD applied: rule 8 no record, force_post, .*cleared \+12\.50 USD, break\n/,
      );
      assert.match(dry.out, /would be completed \(dry run: nothing was written\)/);
      assert.equal(await balance(), before_import);

      const first = await run(program, [path], env);
      assert.equal(first.status, 0, first.out + first.err);
      assert.match(first.out, /first\.xml: completed \(import \d+\)\n {2}format cdf3, /);
      assert.match(first.out, /applied 1 \(matched 0, breaks 1\); duplicates 0; quarantined 0/);
      assert.equal(await balance(), before_import - 1_250);

      const again = await importing([path]);
      assert.equal(again.status, 0, again.out + again.err);
      assert.match(again.out, /the same bytes were imported before, as import \d+ \(first\.xml, completed\)/);
      assert.match(again.err, /^database: .*\n$/, 'nothing is continued');
      const dry_again = await importing([path, '--dry-run']);
      assert.match(dry_again.out, /\n[^\n]*first\.xml: the same bytes were imported before, as import \d+\. .*\n$/);
      assert.equal(await balance(), before_import - 1_250);
      for (const { out, err } of [dry, first, again]) {
        assert.ok(!(out + err).includes(card.card_number), 'no card number is shown');
        assert.ok(!out.includes('\u001b'), 'no bar where there is no terminal');
      }
    });

    it('writes nothing in a dry run', async () => {
      const path = write('dry.xml', cdf3File(2, [{ card_number: card.card_number }, { vcn_id: unknown_card }]));
      await importing([path, '--dry-run']);
      const stored = await rows();
      const dry = await importing([path, '--dry-run', '--json']);
      assert.equal(dry.status, 4, dry.out + dry.err);
      const shown = JSON.parse(dry.out);
      assert.deepEqual([shown.outcome, shown.preview.status], ['previewed', 'completed_with_quarantine']);
      assert.deepEqual(
        shown.records
          .map((record: { readonly outcome: string }) => record.outcome)
          .filter((outcome: string) => outcome !== 'other'),
        ['applied', 'quarantined'],
      );
      assert.equal(await rows(), stored);
      assert.ok(!dry.out.includes(card.card_number));
    });

    it('imports several files in the order of their names, and ends with the worst status', async () => {
      const inbox = join(folder, 'in');
      mkdirSync(inbox);
      const whole = cdf3File(4, [{ vcn_id: Number(card.id), billing_amount: 100 }]);
      write('in/a.xml', whole);
      write('in/b.xml', cdf3File(5, [{ vcn_id: unknown_card }]));
      write('in/c.xml', whole.subarray(0, whole.length - 60));
      const { status, out, err } = await importing(['in/*.xml', 'in/a.xml', '--json']);
      assert.equal(status, 3, out + err);
      assert.equal(err, '');
      const shown = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        shown.map(({ file, outcome, import: { status } }) => [file, outcome, status]),
        [
          ['in/a.xml', 'imported', 'completed'],
          ['in/b.xml', 'imported', 'completed_with_quarantine'],
          ['in/c.xml', 'imported', 'truncated'],
        ],
      );
      assert.equal(shown[2].import.applied, 0);
      assert.equal(shown[2].import.problem.code, 'file_truncated');
      const fourth = await importing(['in/b.xml', '--dry-run', '--json']);
      assert.equal(fourth.status, 0, 'known bytes are a success');
    });

    it('reports each file that is not begun because of a stop, and ends with status 1', async () => {
      mkdirSync(join(folder, 'stopped'));
      for (const name of ['a', 'b', 'c']) write(`stopped/${name}.xml`, Buffer.from(name));
      const stopped = await runHere(['stopped/*.xml', '--json'], env, folder, { stops_at: 'out' });
      assert.equal(stopped.status, 1, stopped.out + stopped.err);
      const shown = stopped.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ file, outcome, error }) => [file, outcome, error]);
      assert.deepEqual(shown, [
        ['stopped/a.xml', 'imported', undefined],
        ['stopped/b.xml', 'not_begun', 'not begun'],
        ['stopped/c.xml', 'not_begun', 'not begun'],
      ]);
      const for_people = await runHere(['stopped/*.xml'], env, folder, { stops_at: 'out' });
      assert.equal(for_people.status, 1);
      assert.match(for_people.err, /\nstopped\/b\.xml: not begun\nstopped\/c\.xml: not begun\n$/);
    });

    it('refuses a file whose format does not have the profile, and imports the others', async () => {
      mkdirSync(join(folder, 'mixed'));
      write('mixed/a.xml', cdf3File(11, [{ vcn_id: unknown_card }]));
      const fields = { network_financial_transaction_id: 'TX-CSV-1', vcn_id: card.id, billing_amount: 100 };
      const row = { ...fields, billing_currency: 'USD', clearing_type: 'DEBIT', settlement_date: '2030-03-16' };
      write('mixed/b.csv', Buffer.from(`${Object.keys(row).join()}\n${Object.values(row).join()}\n`));

      for (const words of [
        ['--profile', 'sender'],
        ['--profile', 'default', '--format', 'cdf3'],
        ['--format', 'pdf'],
      ]) {
        const { status, out, err } = await importing(['mixed/*', ...words, '--json']);
        assert.deepEqual([status, out], [2, ''], 'no file is read');
        assert.match(
          err,
          /^there is no (profile "sender"; these are: default, totals|profile "default" of cdf3; it has none|format "pdf")/,
        );
      }
      const { status, out, err } = await importing(['mixed/*', '--profile', 'default', '--json']);
      assert.equal(status, 3, out + err);
      const [first, second] = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual([first.outcome, first.error], ['refused', 'profile must be absent: cdf3 has none']);
      assert.deepEqual([second.import.status, second.import.applied], ['completed', 1]);
    });

    it('removes the bar of a dry run whose records are JSON', async () => {
      const path = write('bar.xml', cdf3File(9, [{ vcn_id: unknown_card }]));
      const { status, err } = await runHere([path, '--dry-run', '--json'], env, folder, { is_terminal: true });
      assert.equal(status, 4, err);
      assert.match(err, /\[#*\.*\] \d+% reading/);
      assert.ok(err.endsWith('\u001b[1G\u001b[2K'), JSON.stringify(err.slice(-80)));
    });

    it('says of a stopped dry run that it begins again', async () => {
      const path = write('stopped.xml', cdf3File(10, Array(1_500).fill({ vcn_id: unknown_card })));
      const stopped = await runHere([path, '--dry-run'], env, folder, { stops_at: 'out' });
      assert.equal(stopped.status, 1, stopped.err);
      assert.match(stopped.err, /stopped\.xml: stopped; run the same command again\n$/);
    });

    it('shows no control characters of the name of a file', async () => {
      write('\u{1b}[2J\n5555555555554444.xml', Buffer.from('x'));
      const imported = await importing(['*2J*.xml']);
      const shown = '\u{fffd}[2J\u{fffd}************4444.xml';
      assert.equal(imported.out.startsWith(`${shown}: refused`), true, imported.out);
      assert.match((await runPeople(['list'], env)).out, new RegExp(`\\s${RegExp.escape(shown)}\\n`));
    });

    it('imports standard input', async () => {
      const bytes = cdf3File(6, [{ vcn_id: Number(card.id), billing_amount: 100 }]);
      const before_import = await balance();
      const piped = await run(program, ['-', '--json'], env, { input: bytes });
      assert.equal(piped.status, 0, piped.out + piped.err);
      assert.deepEqual((({ file, import: { status, applied } }) => [file, status, applied])(JSON.parse(piped.out)), [
        'standard input',
        'completed',
        1,
      ]);
      assert.equal(await balance(), before_import - 100);
      const unreadable = await importing([write('no-file', Buffer.from('this is no clearing file'))]);
      assert.equal(unreadable.status, 3, unreadable.out + unreadable.err);
      assert.match(
        unreadable.out,
        /refused .*\n {2}format unknown, 24 bytes\n {2}format_unknown at byte 0.*\n.*Check that this is a clearing file/,
      );
      assert.doesNotMatch(unreadable.out, /applied 0/);
    });

    it('lets people list, show, replay and release imports', async () => {
      const held_once = cdf3File(7, [{ vcn_id: Number(card.id), billing_amount: 100 }]);
      const same_id = cdf3File(7, [{ vcn_id: Number(card.id), network_financial_transaction_id: 'TX-7-other' }]);
      await importing([write('seven.xml', held_once)]);
      const dry = await importing([write('other-seven.xml', same_id), '--dry-run']);
      assert.match(dry.out, /would be held .*\n.*\n {2}if it were released: applied 1 /);
      const held = await importing(['other-seven.xml']);
      assert.equal(held.status, 3);
      const id = /other-seven\.xml: held \(import (\d+)\)/.exec(held.out)?.[1];
      assert.ok(id !== undefined, held.out);
      assert.match(held.out, /file_id_repeated: .*\n.*\n.*npm run imports -- release \d+ --note/);

      const people = (...words: string[]): Promise<Ended> => runPeople(words, env);
      const { DATABASE_URL: database_url, ...elsewhere } = env;
      const words = ['list', '--status', 'held', '--database-url', database_url!];
      const listed = await run(people_program, words, elsewhere);
      assert.match(listed.out, /^id +status +format +applied/);
      assert.match(listed.out, new RegExp(`^${id} +held +cdf3`, 'm'));
      const unknown_format = await people('list', '--format', 'pdf');
      assert.equal(unknown_format.status, 2);
      assert.match(unknown_format.err, /--format pdf must be one of cdf3, .*, unknown\n/);
      assert.match((await people('list', '--format', 'unknown')).out, /\srefused +unknown /);
      const without_note = await people('release', id);
      assert.equal(without_note.status, 2);
      assert.match(without_note.err, /--note is missing/);
      const released = await people('release', id, '--note', 'the sender confirmed it');
      assert.equal(released.status, 0, released.err);
      assert.match(released.out, /completed\n/);
      const shown = await people('show', id, '--json');
      assert.deepEqual((({ id, status, applied }) => [id, status, applied])(JSON.parse(shown.out)), [
        id,
        'completed',
        1,
      ]);
      assert.equal((await people('release', id, '--note', 'again')).status, 1);
      assert.match((await people('show', '424242')).err, /there is no import 424242/);

      const bad = await importing([write('eight.xml', cdf3File(8, Array(5).fill({ vcn_id: unknown_card }))), '--json']);
      const bad_id = JSON.parse(bad.out).import.id;
      const quarantined = await people('quarantine', bad_id);
      const places = quarantined.out.matchAll(/^(\d+) +\d+ +\d+ +quarantined +unknown_card /gm);
      const ordinals = [...places].map(([, ordinal]) => Number(ordinal));
      assert.equal(ordinals.length, 5, quarantined.out);
      assert.deepEqual(
        ordinals,
        ordinals.toSorted((a, b) => a - b),
      );
      assert.equal((await people('others', bad_id)).out, 'The format cdf3 counts other records and keeps none.\n');
      const replayed = await people('replay', bad_id);
      assert.equal(replayed.status, 0, replayed.err);
      assert.match(replayed.out, /^0 of 5 records left the quarantine\nimport .*completed_with_quarantine/);
    });

    it('names its database, and repeats --database-url in the commands that it recommends', async () => {
      const { DATABASE_URL: database_url, ...elsewhere } = env;
      const given = ['--database-url', database_url!];
      const file = write('twelve.xml', cdf3File(12, [{ vcn_id: unknown_card }]));
      const first = await runHere([file, ...given], elsewhere);
      assert.match(first.err, /^database: (sqlite:\/|postgres)/);
      const hint = / npm run imports -- (quarantine \d+ --database-url \S+)\n$/.exec(first.out)?.[1];
      assert.ok(hint !== undefined, first.out);
      const followed = await runPeople(hint.split(' '), elsewhere);
      assert.deepEqual([followed.status, /unknown_card/.test(followed.out)], [0, true], followed.err);
      const id = hint.split(' ')[1]!;
      assert.ok((await runPeople(['show', id, ...given], elsewhere)).out.includes(`npm run imports -- ${hint}\n`));
      assert.match((await runPeople(['show', id], env)).out, /npm run imports -- quarantine \d+\n/);
      for (const word of ['--quiet', '--json'])
        assert.equal((await runHere([file, ...given, word], elsewhere)).err, '');
    });
  });

  // A running server would continue what is stopped.
  describe(`releases and replays without a server on ${database_name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-release-'));
    const database = await migratedDatabase(database_name);
    const env = serverEnvironment(database);
    before(async () => void (await (await startServer(database)).stop()));
    after(async () => {
      await database.dispose();
      rmSync(folder, { recursive: true });
    });

    const importing = (name: string, bytes: Uint8Array): Promise<Ended> => {
      writeFileSync(join(folder, name), bytes);
      return runHere([name, '--json'], env, folder);
    };

    it('shows how far a release and a replay are, and stops them after the records in progress', async () => {
      const held = cdf3File(11, Array(300).fill({ vcn_id: unknown_card }));
      await importing('eleven.xml', cdf3File(11, [{ vcn_id: unknown_card }]));
      const { out } = await importing('other-eleven.xml', held);
      const { id, status } = JSON.parse(out).import;
      assert.equal(status, 'held', out);
      const stopping = { is_terminal: true, stops_at: 'err' } as const;
      const release = ['release', id, '--note', 'the sender confirmed it'];
      const released = await runPeople(release, env, stopping);
      assert.equal(released.status, 1, released.err);
      assert.match(released.err, /\[#*\.+\] \d+% applying \d+ of 30\d records/);
      assert.match(released.err, /\nSIGINT: stopping after the batch in progress; a second signal /);
      const continued_by = 'a server, or npm run import with the same file, continues it';
      assert.ok(released.err.endsWith(`import ${id}: stopped; ${continued_by}\n`), released.err);
      const rest = await runHere(['other-eleven.xml'], env, folder);
      assert.equal(rest.status, 4, rest.out + rest.err);
      assert.match(rest.err, /continues import \d+ at record \d+ of 30\d \(applying\)/);

      const replayed = await runPeople(['replay', id], env, stopping);
      assert.equal(replayed.status, 1, replayed.err);
      assert.match(replayed.err, /\[#*\.+\] \d+% applying \d+ of 300 records/);
      assert.ok(replayed.err.endsWith(`import ${id}: stopped; the same command tries the records that are left\n`));
      const quiet = await runPeople(['replay', id, '--quiet'], env, { is_terminal: true });
      assert.deepEqual([quiet.status, quiet.err.replace(/^database: .*\n/, '')], [0, '']);
      assert.match(quiet.out, /^0 of 300 records left the quarantine\n/);
    });
  });
}

it('a stop while items are brought up to date after an import begins no further transaction', async () => {
  const stop = new AbortController();
  let transactions = 0;
  const unitOfWork = {
    read: async () => [1] as never,
    run: async () => {
      transactions += 1;
      if (transactions === 2) stop.abort();
      return { is_pending: true, taken: 1 } as never;
    },
  };
  await catchUpAfterImport(unitOfWork, { nowMs: () => 0 }, stop.signal);
  assert.equal(transactions, 2);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  changeRows,
  database_names,
  readRows,
  scratchDatabase,
  send,
  serverEnvironment,
  startServer,
} from '@tallystick/test-support';
import { admin } from '../src/admin/command-line.ts';

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

async function runAdmin(words: readonly string[], env: NodeJS.ProcessEnv, secret = ''): Promise<Ended> {
  const output = { out: '', err: '' };
  const status = await admin(words, env, {
    out: (text) => {
      output.out += `${text}\n`;
    },
    err: (text) => {
      output.err += `${text}\n`;
    },
    readSecret: async () => secret,
  });
  return { status, ...output };
}

/** Makes a process fail at an undocumented answer. */
const checks_answers = fileURLToPath(new URL('../../../test/support/src/check-answers.ts', import.meta.url));

/**
 * Runs a command of the app as a process, to its end, with these variables and no others of this
 * machine.
 */
function run(file: string, words: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const path = fileURLToPath(new URL(`../src/${file}`, import.meta.url));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...variables };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=source', '--import', checks_answers, path, ...words],
      { env },
      (error, out, err) => {
        resolve({ status: error === null ? 0 : Number(error.code), out, err });
      },
    );
  });
}

for (const name of database_names) {
  describe(`npm run admin on ${name}`, async () => {
    const scratch = await scratchDatabase(name);
    after(() => scratch?.dispose());
    const live = serverEnvironment({ database_url: scratch.database_url, env: { SANDBOX: undefined } });
    const command = (...words: string[]): Promise<Ended> => runAdmin(words, live);
    const json = async (...words: string[]): Promise<Record<string, unknown>> => {
      const { status, out, err } = await command(...words, '--json');
      assert.equal(status, 0, err);
      return JSON.parse(out);
    };

    it('counts the rows whose time is over, and archives and removes them', async (t) => {
      assert.equal((await command('migrate')).status, 0);
      const entry = "values ('command', 'company.created', 'company:1', '{}', 0)";
      await changeRows(
        scratch,
        `insert into tallystick_audit_entries (actor, action, object, details, at_ms) ${entry}`,
      );
      const folder = mkdtempSync(join(tmpdir(), 'tallystick-archive-'));
      t.after(() => rmSync(folder, { recursive: true }));
      const env = { ...live, AUDIT_KEPT_DAYS: '30', ARCHIVE_FOLDER: folder };
      const counted = await runAdmin(['retention', 'run', '--dry-run'], env);
      assert.match(counted.out, /audit_entries +30 days +1\n/);
      assert.match(counted.out, /events +for ever +-\n/);
      const stuck = await runAdmin(['retention', 'run'], env);
      assert.match(stuck.err, /1 row of audit_entries is due and stays.*audit verify/);
      assert.equal((await command('audit', 'accept', '--through', '1', '--note', 'made by this test')).status, 0);
      const { status, out, err } = await runAdmin(['retention', 'run', '--json'], env);
      assert.equal(status, 0, err);
      assert.deepEqual(JSON.parse(out).kinds.at(-1), { kind: 'audit_entries', kept_days: 30, rows: 1 });
      const [file] = readdirSync(folder);
      assert.match(readFileSync(join(folder, file!), 'utf8'), /^\{"id":1,.*"at_ms":0.*\}\n$/);
      assert.deepEqual(await readRows(scratch, 'select id from tallystick_audit_entries where at_ms = 0'), []);
    });

    it('creates a company, a real card and keys that work on a server; a revoked key does not', async () => {
      assert.equal((await command('migrate')).status, 0);
      const company = await json('company', 'create', '--name', 'Example Ltd', '--customer-number', '4711');
      const company_id = String(company.id);
      await json(
        'realcard',
        'create',
        '--company',
        company_id,
        '--alias',
        'Travel',
        '--currency',
        'EUR',
        '--account-range',
        '545454',
      );
      const key = await json('key', 'create', '--role', 'client', '--company', company_id, '--name', 'Back office');
      assert.match(String(key.key), /^tly_live_\d+_/);

      const listed = await command('key', 'list');
      assert.match(listed.out, /client .* Back office/);
      assert.ok(!listed.out.includes(String(key.key)), 'the text of a key is shown once');
      assert.match((await command('company', 'list')).out, /4711 +active +Example Ltd/);
      const update = (days: string) => json('company', 'update', company_id, '--hold-days', days);
      for (const [days, hold_days] of [
        ['7', 7],
        ['never', 'never'],
        ['default', null],
      ] as const) {
        assert.equal((await update(days)).hold_days, hold_days);
      }
      assert.equal((await json('company', 'update', company_id, '--name', 'Renamed Ltd')).name, 'Renamed Ltd');
      assert.match((await command('realcard', 'list')).out, /EUR +545454 +yes +Travel/);

      const server = await startServer({ database_url: scratch.database_url, env: { SANDBOX: undefined } });
      const issue = (): Promise<Response> =>
        fetch(`${server.url}/v1/virtualcards`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ data: { total_card_amount: 100 } }),
        });
      const answer = await issue();
      assert.equal(answer.status, 200, await answer.clone().text());
      assert.equal(((await answer.json()) as { data: Record<string, unknown> }).data.rcn_alias, 'Travel');
      const webhook = { callback_url: 'https://hooks.example.com/', status: 'inactive' };
      const registered = await send(server.url, 'POST', '/v1/webhooks', {
        key: String(key.key),
        body: { data: webhook },
      });
      assert.equal(registered.status, 200, registered.text);
      await server.stop();

      assert.equal((await command('key', 'revoke', String(key.id))).status, 0);
      const later = await startServer({ database_url: scratch.database_url, env: { SANDBOX: undefined } });
      const refused = await fetch(`${later.url}/v1/virtualcards`, { headers: { authorization: `Bearer ${key.key}` } });
      assert.equal(refused.status, 401);
      await later.stop();
    });

    it('reports a refusal, with status 1', async () => {
      const { status, err } = await command('key', 'revoke', '999999');
      assert.equal(status, 1);
      assert.match(err, /^database: .*\nthere is no API key 999999\n$/i);
    });

    it('names the option of an invalid value, and nothing that was not given', async () => {
      const key = await command('key', 'create', '--role', 'client', '--name', 'x');
      assert.equal(key.status, 1);
      assert.match(key.err, /^database: .*\n--company is required/);
      const words = ['--company', '1', '--alias', 'x', '--currency', 'EURO', '--account-range', '54545400'];
      assert.match((await command('realcard', 'create', ...words)).err, /^database: .*\n--currency /);
      const audit = await command('audit', 'list', '--from', 'nonsense');
      assert.equal(audit.status, 2);
      assert.match(audit.err, /^--from nonsense must/);
    });

    it('says that a list is empty, and that a card has no wrong codes', async () => {
      assert.equal((await command('audit', 'list', '--company', '999')).out, 'There are no such entries.\n');
      assert.deepEqual(await json('audit', 'list', '--company', '999'), []);
      assert.match(
        (await command('card', 'reset-code-failures', '1')).out,
        /^Card 1 \(\d{4}\) has no wrong codes today/,
      );
    });

    it('says once on which database a command of several steps works', async () => {
      const { err } = await command('retention', 'run', '--dry-run');
      assert.equal(err.match(/^database: /gm)?.length, 1, err);
    });

    it('prints its version and its commands', async () => {
      assert.match((await command('--version')).out, /^\d+\.\d+\.\d+\n$/);
      assert.match((await command('help')).out, /^Usage: npm run admin/);
    });

    it('resets the wrong codes of a card, and refuses an unknown card', async () => {
      const reset = await json('card', 'reset-code-failures', '1');
      assert.deepEqual([reset.id, reset.code_failures], ['1', 0]);
      const { status, err } = await command('card', 'reset-code-failures', '999999');
      assert.equal(status, 1);
      assert.match(err, /^database: .*\nthere is no virtual card 999999\n$/);
    });

    it('runs a backtest to its end, and refuses a control that does not exist', async () => {
      const done = await json('backtest', '--company', '1', '--changes', '{}', '--fail-on-difference');
      assert.deepEqual([done.status, done.differences], ['completed', 0]);
      const { status, err } = await command('backtest', '--company', '1', '--changes', '{"total":1}');
      assert.equal(status, 1);
      assert.match(err, /--changes: total is unknown; the fields are per_transaction_min, /);
      const wrong = await command('backtest', '--company', '1', '--changes', '{"total_card_amount":"x"}');
      assert.match(wrong.err, /--changes: total_card_amount must be a whole number /);
    });

    it('says on standard error on which database it works, without a password', async () => {
      const { out, err } = await command('company', 'list', '--json');
      const database = scratch.database_url.replace(/:\/\/(\w+):[^@/]*@/, '://$1@');
      assert.equal(err, `database: ${database}\n`);
      assert.ok(Array.isArray(JSON.parse(out)), 'standard output has the answer only');
    });

    it('closes a company, limits it, and lists what was done', async () => {
      const closed = await json('company', 'update', '1', '--status', 'closed', '--rate-limit', '600');
      assert.deepEqual([closed.status, closed.rate_limit_per_minute], ['closed', 600]);
      const opened = await command('company', 'update', '1', '--status', 'active', '--rate-limit', 'none');
      assert.match(opened.out, /\(active\)(?:.|\n)*Its keys have no common limit\.$/m);
      const taken = await command('company', 'create', '--name', 'Again', '--customer-number', '4711');
      assert.equal(taken.status, 1);
      assert.match(taken.err, /--customer-number must not be the number of another company/);

      const of_company = ['audit', 'list', '--object', 'company:1', '--actor', 'command'];
      const entries = (await json(...of_company)) as unknown as readonly { action: string; details: object }[];
      assert.deepEqual(entries[0]?.details, { status: 'active', rate_limit_per_minute: null });
      assert.equal(entries.at(-1)?.action, 'company.created');
      const one = await command(...of_company, '--limit', '1', '--from', '2020-01-01');
      assert.match(
        one.out,
        /^at +company +actor +address +action +object +details\n\S+Z +1 +command +- +company\.updated +company:1 +\{/,
      );
      assert.equal(one.out.trim().split('\n').length, 2);
      assert.deepEqual(await json(...of_company, '--to', '2020-01-01'), []);
      assert.equal((await command('audit', 'list', '--from', 'yesterday')).status, 2);
    });

    it('lists, shows and replays the quarantine, and masks the card number', async () => {
      const server = await startServer({ database_url: scratch.database_url, env: { SANDBOX: undefined } });
      const { key } = await json('key', 'create', '--role', 'network', '--name', 'network');
      const cards = await json('realcard', 'list');
      assert.ok(Array.isArray(cards));
      const clearing = {
        card_number: '5555555555554444',
        network_financial_transaction_id: 'N-1',
        billing_amount: 5,
        billing_currency: 'EUR',
        clearing_type: 'DEBIT',
        settlement_date: '2030-03-16',
      };
      const path = '/network/v1/clearings';
      const refused = await send(server.url, 'POST', path, { key: String(key), body: { data: clearing } });
      assert.equal(refused.status, 404, refused.text);
      await server.stop();

      const [record] = (await json('quarantine', 'list', '--status', 'quarantined')) as unknown as [{ id: string }];
      assert.match(
        (await command('quarantine', 'list')).out,
        /^id +status +reason[^\n]*\n\d+ +quarantined +unknown_card +1 /,
      );
      assert.deepEqual(await json('quarantine', 'list', '--status', 'applied'), []);
      const shown = await command('quarantine', 'show', record.id);
      assert.match(shown.out, /"\*{12}4444"/);
      assert.ok(!shown.out.includes(clearing.card_number));
      const replayed = await command('quarantine', 'replay', record.id);
      assert.equal(replayed.status, 1, 'the card is still unknown');
      assert.match(replayed.err, /the message is refused again: there is no virtual card with this number/);
      assert.equal((await json('quarantine', 'show', record.id)).count, 2);
      assert.equal((await command('quarantine', 'show', '999')).status, 1);
      assert.equal((await command('quarantine', 'list', '--status', 'open')).status, 2);
    });

    it('creates a person, whose password is read and not given, and whose codes are shown once', async () => {
      const roles = ['--roles', 'admin,support:1'];
      const made = await json('person', 'create', '--handle', 'anna', '--name', 'Anna', ...roles);
      assert.deepEqual(made.grants, [
        { role: 'admin', company_id: null },
        { role: 'support', company_id: 1 },
      ]);
      const short = await runAdmin(['person', 'password', 'anna'], live, 'short');
      assert.deepEqual([short.status, short.err.includes('at least 12')], [1, true], short.err);
      const set = await runAdmin(['person', 'password', 'anna'], live, 'correct horse battery');
      assert.match(set.out, /The password of anna is set\. It also needs codes: person totp anna\./);
      const { totp_secret, totp_uri } = await json('person', 'totp', 'anna');
      assert.ok(String(totp_uri).includes(`secret=${totp_secret}`));
      const listed = await command('person', 'list');
      assert.match(listed.out, /anna +active +admin,support:1 +password +Anna/);
      assert.ok(!listed.out.includes(String(totp_secret)));
      assert.match((await command('person', 'disable', 'anna')).out, /Person anna, disabled/);
      const changed = await json('person', 'change', 'anna', '--roles', 'viewer');
      assert.deepEqual([changed.status, changed.grants], ['disabled', [{ role: 'viewer', company_id: null }]]);
      assert.match((await command('person', 'end-sessions', 'anna')).out, /0 sessions of anna/);
      assert.equal((await command('person', 'enable', 'nobody')).status, 1);
      assert.equal((await command('person', 'create', '--handle', 'b', '--name', 'B', '--roles', 'root')).status, 2);
    });

    it('rotates keys: the old ring can still read, and finally the new key is enough', async () => {
      const old_ring = live.TALLYSTICK_KEYS as string;
      const added = await json('keys', 'add');
      const new_ring = String(added.TALLYSTICK_KEYS);
      assert.ok(new_ring.includes(old_ring));
      const rotated = await runAdmin(['keys', 'rotate', '--json'], { ...live, TALLYSTICK_KEYS: new_ring });
      assert.equal(rotated.status, 0, rotated.err);
      assert.equal(JSON.parse(rotated.out).card_numbers, 1);
      assert.equal(JSON.parse(rotated.out).webhook_secrets, 1);
      assert.equal(JSON.parse(rotated.out).totp_secrets, 1);
      const again = await runAdmin(['keys', 'rotate', '--json'], { ...live, TALLYSTICK_KEYS: new_ring });
      assert.equal(JSON.parse(again.out).webhook_secrets, 0);
      const without_old = new_ring
        .split(',')
        .filter((entry) => !entry.startsWith('k1:'))
        .join(',');
      const listed = await runAdmin(['company', 'list'], { ...live, TALLYSTICK_KEYS: without_old });
      assert.equal(listed.status, 0, listed.err);
      const old = await runAdmin(['company', 'list'], live);
      assert.equal(old.status, 1);
      assert.match(old.err, /keys do not fit the database/);
    });
  });
}

describe('npm run admin', () => {
  const env = serverEnvironment({ database_url: 'sqlite:/dev/null/tallystick.db' });

  it('lists its commands, and the options of each', async () => {
    const overview = await runAdmin(['--help'], env);
    assert.equal(overview.status, 0);
    for (const command of ['company create', 'realcard list', 'key revoke', 'keys rotate', 'migrate'])
      assert.ok(overview.out.includes(command));
    const of_companies = await runAdmin(['company', '--help'], env);
    assert.match(of_companies.out, /company update/);
    assert.doesNotMatch(of_companies.out, /realcard/);
    const usage = await runAdmin(['key', 'create', '--help'], env);
    assert.equal(usage.status, 0);
    assert.match(usage.out, /--role <role> +one of client, network, bank, operator/);
  });

  it('exits with status 2 for invalid words, and names them', async () => {
    const cases: [string[], RegExp][] = [
      [[], /Usage/],
      [['company'], /^There is no command "company"\.\n/],
      [['company', 'lst'], /^There is no command "company lst"; did you mean "company list"\?\n/],
      [
        ['compny', 'update', '1', '--name', 'x'],
        /^There is no command "compny update"; did you mean "company update"\?/,
      ],
      [['company', 'create', '--name', 'x'], /^--customer-number is missing$/m],
      [['company', 'create'], /^--name and --customer-number are missing$/m],
      [['key', 'create'], /^--role and --name are missing$/m],
      [['realcard', 'create', '--alias', 'x'], /^--company, --currency and --account-range are missing$/m],
      [['account', 'create'], /^--company, --number, --currency and --kind are missing$/m],
      [['audit', 'accept'], /^--through and --note are missing$/m],
      [['third-party', 'create'], /^--name, --jwks, --redirect and --scope are missing$/m],
      [['company', 'create', '--nmae', 'x'], /^there is no option --nmae; did you mean --name\?\n/],
      [['company', 'create', '--unrelated'], /^there is no option --unrelated\n/],
      [['company', 'update', '1', '--hold-days', '366'], /--hold-days 366 must be 1 to 365, never, or default/],
      [['company', 'update', '1', '--hold-days', '0'], /--hold-days 0 must be/],
      [['key', 'create', '--role', 'king', '--name', 'x'], /--role king must be one of/],
      [['key', 'revoke'], /<id> is missing/],
      [['key', 'revoke', 'x'], /<id> is "x"/],
      [['key', 'revoke', '1', '2'], /"2" is an unexpected word; a text of several words needs quotes/],
      [['realcard', 'list', '--company', '-1'], /--company/],
    ];
    for (const [words, expected] of cases) {
      const { status, out, err } = await runAdmin(words, env);
      assert.equal(status, 2, words.join(' '));
      assert.match(out + err, expected);
    }
  });

  it('exits with status 2 on a wrong configuration, and with 1 when the database cannot be opened', async () => {
    const misconfigured = await runAdmin(['migrate'], { ...env, PORT: 'x' });
    assert.equal(misconfigured.status, 2);
    assert.match(misconfigured.err, /PORT/);
    const away = await runAdmin(['migrate'], env);
    assert.equal(away.status, 1);
    assert.match(away.err, /\nThe database sqlite:\/dev\/null\/tallystick.db cannot be used: [^\n]+\n$/);
  });

  it('refuses a SQLite file that does not exist, and creates none, unless it may be the first command', async () => {
    const scratch = await scratchDatabase('sqlite');
    try {
      const path = scratch.database_url.slice('sqlite:'.length);
      const misspelt = serverEnvironment({ database_url: `${scratch.database_url}x`, env: { SANDBOX: undefined } });
      for (const words of [
        ['company', 'list'],
        ['company', 'update', '1', '--name', 'x'],
        ['key', 'revoke', '1'],
        ['quarantine', 'list'],
        ['audit', 'list'],
        ['keys', 'rotate'],
      ]) {
        const { status, err } = await runAdmin(words, misspelt);
        assert.equal(status, 1, words.join(' '));
        assert.equal(
          err,
          `There is no database at ${path}x; check DATABASE_URL. "npm run admin -- migrate" creates one.\n`,
        );
        assert.equal(existsSync(`${path}x`), false);
      }
      const created = await runAdmin(['migrate'], misspelt);
      assert.equal(created.status, 0, created.err);
      assert.equal(created.err, `database: sqlite:${path}x (does not exist yet, and is created now)\n`);
      const listed = await runAdmin(['company', 'list'], misspelt);
      assert.deepEqual([listed.status, listed.err], [0, `database: sqlite:${path}x\n`]);
    } finally {
      await scratch.dispose();
    }
  });

  it('creates a key ring without any configuration', async () => {
    const { status, out } = await run('admin/main.ts', ['keys', 'create']);
    assert.equal(status, 0);
    assert.match(out, /^k1:[A-Za-z0-9+/=]{44},index:[A-Za-z0-9+/=]{44}\n$/);
  });

  it("puts a new key into the sandbox's own file", async () => {
    const scratch = await scratchDatabase('sqlite');
    try {
      const sandbox = serverEnvironment({ database_url: scratch.database_url, env: { TALLYSTICK_KEYS: undefined } });
      const { status, err } = await runAdmin(['keys', 'add'], sandbox);
      assert.equal(status, 0, err);
      const folder = scratch.database_url.replace(/^sqlite:(.*)\/[^/]*$/, '$1');
      assert.match(readFileSync(join(folder, 'keys'), 'utf8'), /^k2:.*,k1:.*,index:/);
    } finally {
      await scratch.dispose();
    }
  });
});

describe('npm run demo', () => {
  /** What an operator has exported. */
  const production = (database_url: string): NodeJS.ProcessEnv => ({
    ...serverEnvironment({ database_url }),
    SANDBOX: undefined,
    WEBHOOKS: 'off',
    PUBLIC_URL: 'https://cards.bank.example',
  });

  it('plays on a running server, and again when it has moved its clock', async (t) => {
    const scratch = await scratchDatabase('sqlite');
    t.after(() => scratch.dispose());
    const server = await startServer({ database_url: scratch.database_url });
    for (let turn = 1; turn <= 2; turn += 1) {
      const { status, out, err } = await run('devtools/demo.ts', ['--url', server.url], { FORCE_COLOR: '1' });
      assert.equal(status, 0, out + err);
      assert.match(out, /In total: every signature verified/);
      assert.deepEqual((await send(server.url, 'GET', '/v1/webhooks')).json.data, [], 'its webhook is gone');
      const banking = await run('devtools/demo.ts', ['open-banking', '--url', server.url]);
      assert.equal(banking.status, 0, banking.out + banking.err);
    }
    await server.stop();
  });

  it('plays the whole story on a server of its own, without the settings of the environment', async () => {
    const scratch = await scratchDatabase('sqlite');
    const { status, out, err } = await run('devtools/demo.ts', [], production(scratch.database_url));
    assert.equal(status, 0, out + err);
    assert.ok(!existsSync(scratch.database_url.replace('sqlite:', '')), 'the database is not touched');
    assert.match(out, /21 events delivered: every signature verified, #1 to #21 without a gap/);
    assert.match(out, /the receiver answers \.* 503: it will be retried/);
    assert.match(out, /In total: every signature verified, #1 to #22 without a gap/);
    assert.match(out, /Every answer was as expected/);
    assert.doesNotMatch(out, /\d{12,}/, 'no card number is printed');
    assert.ok(!out.includes('\u001b'), 'no colour where there is no terminal');
    assert.ok(
      out.split('\n').every((line) => line.length <= 80),
      'it fits a terminal of 80 columns',
    );
    await scratch.dispose();
  });

  it('plays the story of Open Banking in the same way', async () => {
    const scratch = await scratchDatabase('sqlite');
    const { status, out, err } = await run('devtools/demo.ts', ['open-banking'], production(scratch.database_url));
    assert.equal(status, 0, out + err);
    assert.ok(!existsSync(scratch.database_url.replace('sqlite:', '')), 'the database is not touched');
    assert.match(out, /AwaitingAuthorisation\n.* Authorised\n.* 403 Tallystick\.Permission\.Missing\n/s);
    assert.match(out, /Are 1\.00 USD available\? \.* yes\n.* no\n.* 401\n/s);
    assert.match(out, /Every answer was as expected/);
    assert.doesNotMatch(out, /\d{12,}/, 'no number of an account is printed');
    await scratch.dispose();
  });

  it('continues without deliveries, and reports it, if the server may not call loopback', async () => {
    const scratch = await scratchDatabase('sqlite');
    const env = { WEBHOOK_NETWORKS: '203.0.113.0/24' };
    const server = await startServer({ database_url: scratch.database_url, env });
    const { status, out, err } = await run('devtools/demo.ts', ['--url', server.url]);
    assert.equal(status, 0, out + err);
    assert.match(out, /does not reach a receiver on this machine:\s+callback_url\s+names\s+127\.0\.0\.1/);
    assert.match(out, /continues without deliveries \.* left out/);
    await server.stop();
    await scratch.dispose();
  });

  it('exits with status 1 without an answer, and with 2 for invalid options', async () => {
    const away = await run('devtools/demo.ts', ['--url', 'http://127.0.0.1:1']);
    assert.equal(away.status, 1);
    assert.match(away.out, /no answer from http:\/\/127\.0\.0\.1:1/);
    const misused = await run('devtools/demo.ts', ['--uri', 'x']);
    assert.equal(misused.status, 2);
    assert.match(misused.err, /^there is no option --uri; did you mean --url\?\n/);
  });
});

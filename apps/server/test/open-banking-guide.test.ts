import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bank_record_kinds, bank_user_statuses } from '@tallystick/accounts';
import { type OpenBankingErrorCode, permissions, transactionRange } from '@tallystick/consents';
import { migratedDatabase, type ScratchDatabase, type ServerProcess, startServer } from '@tallystick/test-support';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/open-banking.md'), 'utf8');

/** A block of code of the guide: commands, a program, or what the commands before it print. */
interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of the sections that a third party follows, in their order. */
function blocksOfSections(...names: readonly string[]): readonly Block[] {
  const sections = guide.split(/^## /m).filter((section) => names.includes(section.split('\n', 1)[0]!));
  assert.equal(sections.length, names.length, 'a section of the guide has another name');
  return [...sections.join('').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }));
}

const separator = '--- the next commands ---';

/** Runs the commands in one shell, and returns what each block of them printed. */
async function run(commands: readonly string[], folder: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const script = ['set -eu', ...commands.flatMap((text) => [text, `echo; echo '${separator}'`])].join('\n');
  const shell = spawn('bash', ['-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let problems = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  shell.stderr.on('data', (chunk: Buffer) => {
    problems += chunk;
  });
  const status = await new Promise((resolve) => shell.once('close', resolve));
  assert.equal(status, 0, `${output}\n${problems}`);
  return output.split(`${separator}\n`).slice(0, -1);
}

/** Members of JSON whose value depends on the day: the newest transaction is another one. */
const of_the_day = /^ *"(TransactionId|TransactionReference|TransactionInformation|CreditDebitIndicator|Code)": /;

/** A line of output without what differs each time: ids, times and amounts. */
function stableOf(line: string): string {
  const member = of_the_day.exec(line)?.[0];
  if (member !== undefined) return member;
  return line
    .trim()
    .replace(/,$/, '')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\bfcc?-[\w-]{32}/g, '<id>')
    .replace(/\b\d+\.\d\d\b/g, '<amount>');
}

/** Whether the lines of the guide are printed in this order. `...` stands for any lines. */
function assertShows(printed: string, shown: string): void {
  const lines = printed.split('\n').map(stableOf);
  let at = 0;
  let may_skip = false;
  for (const line of shown.trimEnd().split('\n')) {
    if (line.trim() === '...') {
      may_skip = true;
      continue;
    }
    const found: number = may_skip ? lines.indexOf(stableOf(line), at) : at;
    assert.equal(lines[found], stableOf(line), `the guide shows ${line}, and printed is:\n${printed}`);
    at = found + 1;
    may_skip = false;
  }
}

describe('docs/open-banking.md', () => {
  let scratch: ScratchDatabase | undefined;
  let server: ServerProcess | undefined;
  before(async () => {
    scratch = await migratedDatabase('sqlite');
    server = await startServer(scratch);
  });
  after(async () => {
    await server?.stop();
    await scratch?.dispose();
  });
  const without_curl = spawnSync('curl', ['--version']).error === undefined ? false : 'there is no curl on the path';

  it('has commands and programs that work, and print what it shows', { skip: without_curl }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-guide-'));
    t.after(() => rmSync(folder, { recursive: true }));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

    const blocks = blocksOfSections('The first hour, with curl', 'With openid-client', 'Bank data', 'The sandbox');
    const programs = blocks.filter(({ language }) => language === 'js').map(({ text }) => text);
    const names = [...guide.matchAll(/save this as `([a-z-]+\.mjs)`/gi)].map(([, name]) => name!);
    assert.equal(programs.length, names.length);
    for (const [at, text] of programs.entries()) writeFileSync(join(folder, names[at]!), text);

    const commands = blocks.filter(({ language }) => language === 'sh');
    const printed = await run(
      commands.map(({ text }) => text.replaceAll('http://127.0.0.1:8080', server!.url)),
      folder,
      { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, SERVICE_URL: server!.url },
    );
    let checked = 0;
    for (const [at, { language, text }] of blocks.entries()) {
      if (language !== 'json' && language !== 'text') continue;
      const before = commands.indexOf(blocks[at - 1]!);
      assert.ok(before >= 0, `the output does not follow its commands:\n${text}`);
      assertShows(printed[before]!, text);
      checked += 1;
    }
    assert.ok(checked >= 14, `${checked} outputs`);
  });

  it('lists the endpoints that are served, and those that are not', async () => {
    const statusOf = async (method: string, path: string): Promise<number> => {
      const address = server!.url + path.replace(/\{\w+\}/, '1000000001');
      return (await fetch(address, { method })).status;
    };
    const rows = sectionOf('Endpoints').matchAll(/^\| (`.+?`) \| (client credentials|authorisation) \|/gm);
    let endpoints = 0;
    for (const [, cell] of rows) {
      for (const [, method, path] of cell!.matchAll(/`(\w+) (\S+)`/g)) {
        const base = path!.startsWith('/funds') ? '/open-banking/v3.1/cbpii' : '/open-banking/v3.1/aisp';
        for (const at of [path!, base + path]) assert.equal(await statusOf(method!, at), 401, `${method} ${at}`);
        endpoints += 1;
      }
    }
    assert.equal(endpoints, 20, '17 of the service, and 3 bulk paths of the standard');
    const [, not_served] = sectionOf('Endpoints').split('Not served');
    for (const [, path] of not_served!.matchAll(/`(\/[a-z]+)`/g)) assert.equal(await statusOf('GET', path!), 404);
  });

  it('names every permission of the service, and no other', () => {
    const named = new Set(
      [...sectionOf('Endpoints', 'Consents').matchAll(/`(Read[A-Za-z]+)`/g)].map(([, permission]) => permission!),
    );
    const others = ['ReadPAN', 'ReadTransactionBasic'];
    assert.deepEqual([...named].toSorted(), [...permissions, ...others].toSorted());
  });

  it('states the seven date rules', () => {
    const rows = [...sectionOf('Transactions and dates').matchAll(/^\| (\d)\. .+$/gm)].map(([row]) => row.split('|'));
    assert.equal(rows.length, 7);
    const open_consent = { transaction_from_date_time: null, transaction_to_date_time: null };
    const now_ms = Date.UTC(2026, 4, 20, 12);
    for (const [, rule, from, to, served] of rows) {
      const query = { from: from!.trim() || undefined, to: to!.trim() || undefined };
      const range = transactionRange(query, open_consent, now_ms);
      assert.equal(`${range?.from} to ${range?.to}`, served!.trim(), `rule ${rule}`);
    }
  });

  it('names every error code', () => {
    const errors = sectionOf('Errors');
    for (const code of Object.keys(error_codes)) {
      const last = code.slice(code.lastIndexOf('.'));
      assert.ok(errors.includes(`\`${code}\``) || errors.includes(`\`${last}\``), code);
    }
  });

  it('names every kind of record that the bank reports', () => {
    const [, table] = sectionOf('Bank data').split('| `kind` |');
    const rows = [...table!.matchAll(/^\| `(\w+)` \|/gm)].map(([, kind]) => kind);
    assert.deepEqual(rows.toSorted(), [...bank_record_kinds].toSorted());
  });

  it('states every condition of access, and every status that allows no login', () => {
    const rows = [...sectionOf('Who may read').matchAll(/^\| The .+ \| (.+) \|$/gm)];
    assert.equal(rows.length, 8);
    for (const status of bank_user_statuses) assert.ok(sectionOf('Who may read').includes(`\`${status}\``), status);
  });
});

/** The text of these sections of the third level, one after the other. */
function sectionOf(...names: readonly string[]): string {
  const sections = guide.split(/^#{2,3} /m).filter((section) => names.includes(section.split('\n', 1)[0]!));
  assert.equal(sections.length, names.length, `the guide has no section ${names}`);
  return sections.join('');
}

/** The codes of the service. Does not compile when one is missing. */
const error_codes: Readonly<Record<OpenBankingErrorCode, true>> = {
  'UK.OBIE.Field.Invalid': true,
  'UK.OBIE.Field.InvalidDate': true,
  'UK.OBIE.Field.Missing': true,
  'UK.OBIE.Field.Unexpected': true,
  'UK.OBIE.Header.Invalid': true,
  'UK.OBIE.Resource.ConsentMismatch': true,
  'UK.OBIE.Resource.InvalidConsentStatus': true,
  'UK.OBIE.Resource.InvalidFormat': true,
  'UK.OBIE.Resource.NotFound': true,
  'UK.OBIE.Unsupported.AccountIdentifier': true,
  'UK.OBIE.Unsupported.Currency': true,
  'UK.OBIE.Unsupported.Scheme': true,
  'UK.OBIE.UnexpectedError': true,
  'Tallystick.Consent.NotGranted': true,
  'Tallystick.Permission.Missing': true,
  'Tallystick.Access.NotEligible': true,
};

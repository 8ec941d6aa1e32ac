import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runAdminToEnd, scratchDatabase, startServer, test_keys } from '@tallystick/test-support';
import { ConfigError, readConfig } from '../../src/configuration/config.ts';
import { runKeyCommand, splitCommand } from '../../src/configuration/key-source.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const ring = `k2:${key}`;
const live = { DATABASE_URL: 'postgres://a@b/c' };
const posix = { skip: process.platform === 'win32' };

describe('the key ring comes from a file or a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-keys-'));
  after(() => rmSync(folder, { recursive: true }));

  const write = (name: string, text: string, mode: number): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const file = (text: string, mode = 0o600) => ({ ...live, TALLYSTICK_KEYS_FILE: write('keys', text, mode) });
  /** A command that runs these lines as a script, named with a blank in its path. */
  const script = (lines: string) => ({
    ...live,
    TALLYSTICK_KEYS_COMMAND: `"${write('get keys', `#!/bin/sh\n${lines}\n`, 0o700)}" --region 'eu west'`,
    PATH: process.env.PATH as string,
  });
  /** The problem of the environment, as `variable: message`. No problem shows the key. */
  const problem = (environment: Record<string, string>): string => {
    try {
      readConfig(environment);
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      assert.doesNotMatch(error.message, new RegExp(key.slice(0, 20)));
      return error.problems.map(({ variable, message }) => `${variable}: ${message}`).join('\n');
    }
    return 'none';
  };

  it('reads a file, and what a command prints, like the variable', posix, () => {
    for (const given of [file(`${ring}\n`), script(`[ "$2" = "eu west" ] && echo '${ring}'`)]) {
      const { key_ring, sandbox, notices } = readConfig(given);
      assert.equal(key_ring?.reveal(), ring);
      assert.equal(sandbox, false);
      assert.doesNotMatch(notices.join(), /KEYS/);
    }
    const { DATABASE_URL: _, ...without_database } = file(ring);
    assert.equal(readConfig(without_database).sandbox, false, 'an installation that names keys is no sandbox');
  });

  it('accepts only one of the three settings', () => {
    assert.match(
      problem({ ...live, TALLYSTICK_KEYS: ring, TALLYSTICK_KEYS_COMMAND: 'touch /nonexistent/x' }),
      /^TALLYSTICK_KEYS: is set beside TALLYSTICK_KEYS_COMMAND; one of them/,
    );
    assert.match(problem({ ...file(ring), TALLYSTICK_KEYS_COMMAND: 'true' }), /^TALLYSTICK_KEYS_FILE: is set beside/);
  });

  it('refuses a file that others may write, and notices one that all may read', posix, () => {
    assert.match(problem(file(ring, 0o620)), /^TALLYSTICK_KEYS_FILE: other users may write .*chmod 600$/);
    assert.match(problem(file(ring, 0o602)), /other users may write/);
    assert.match(readConfig(file(ring, 0o444)).notices.join(), /every user of this machine may read .*keys/);
    assert.doesNotMatch(readConfig(file(ring, 0o440)).notices.join(), /KEYS_FILE/, 'a group of the platform');
  });

  it('says what is wrong with a file or an output, without showing it', posix, () => {
    const missing = join(folder, 'nothing');
    assert.equal(
      problem({ ...live, TALLYSTICK_KEYS_FILE: missing }),
      `TALLYSTICK_KEYS_FILE: there is no file ${missing}`,
    );
    assert.match(problem({ ...live, TALLYSTICK_KEYS_FILE: folder }), /EISDIR/);
    assert.match(
      problem(file(`k1:${key.slice(4)}`)),
      /^TALLYSTICK_KEYS_FILE: .*keys: key 1 \(k1\) has 29 bytes; a key is base64 of 32 bytes$/,
    );
    assert.match(problem(file(key.repeat(2_000))), /is too long for a key ring/);
    assert.match(problem(script('')), /^TALLYSTICK_KEYS_COMMAND: the output of .*get keys: is empty$/);
    assert.match(problem(script(`echo 'k1:x${key}'`)), /the output of .*: key 1 is not base64/);
  });

  it('shows why a command failed, without its arguments and without a key', posix, () => {
    const failed = problem(script(`echo '${ring}'; echo 'AccessDenied for + ${ring}' >&2; exit 7`));
    assert.match(failed, /get keys ended with status 7: AccessDenied for \+ k2:\*\*\*$/);
    assert.match(problem(script('kill -9 $$')), /was ended by SIGKILL/);
    assert.equal(
      problem({ ...live, TALLYSTICK_KEYS_COMMAND: '/nonexistent/kms --token hunter2' }),
      'TALLYSTICK_KEYS_COMMAND: there is no program /nonexistent/kms',
    );
    write('not executable', '', 0o600);
    assert.match(
      problem({ ...live, TALLYSTICK_KEYS_COMMAND: `'${join(folder, 'not executable')}'` }),
      /may not be executed by this user/,
    );
    assert.match(problem(script('yes')), /is too long for a key ring/);
  });

  it('ends a command that hangs, also when a child of it keeps the output open', posix, () => {
    assert.throws(
      () => runKeyCommand("sh -c 'sleep 30 & wait'", process.env, { ms_max: 200 }),
      /^UnreadableKeys: sh did not end within 200 ms$/,
    );
  });

  it('runs no shell, and refuses what only a shell understands', () => {
    assert.deepEqual(splitCommand(` kms  decrypt --key=a'b c'd "x|y" '$HOME' `), [
      'kms',
      'decrypt',
      '--key=ab cd',
      'x|y',
      '$HOME',
    ]);
    for (const command of ['kms get | base64 -d', 'kms > f', 'kms $HOME', 'a;b', 'a && b', '`a`']) {
      assert.throws(() => splitCommand(command), /only a shell understands: write these steps into a script/);
    }
    assert.throws(() => splitCommand(`kms 'a b`), /a quotation mark that nothing closes/);
    assert.throws(() => splitCommand('  '), /names no program/);
    assert.throws(() => splitCommand(`'' a`), /names no program/);
  });

  it('is the same ring for a server with a file and a command line with a command', posix, async () => {
    const database = await scratchDatabase('sqlite');
    try {
      const from_file = { TALLYSTICK_KEYS: undefined, TALLYSTICK_KEYS_FILE: write('ring', test_keys, 0o600) };
      const from_command = { TALLYSTICK_KEYS: undefined, TALLYSTICK_KEYS_COMMAND: `cat '${join(folder, 'ring')}'` };
      const server = await startServer({ ...database, env: from_file });
      await server.stop();
      const admin = (env: Record<string, string | undefined>) =>
        runAdminToEnd(['company', 'list'], { ...database, env });
      assert.equal((await admin(from_command)).status, 0);
      const other = await admin({ TALLYSTICK_KEYS: undefined, TALLYSTICK_KEYS_FILE: write('other', key, 0o600) });
      assert.deepEqual([other.status, /last used with it \(TALLYSTICK_KEYS_FILE\)/.test(other.err)], [1, true]);
    } finally {
      await database.dispose();
    }
  });
});

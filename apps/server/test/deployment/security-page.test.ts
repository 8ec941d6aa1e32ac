import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { admin } from '../../src/admin/command-line.ts';
import { variable_names } from '../../src/configuration/config.ts';

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

describe('docs/security.md', () => {
  const page = read('docs/security.md');

  it('is linked from where an auditor begins', () => {
    for (const [path, link] of [
      ['README.md', 'docs/security.md'],
      ['SECURITY.md', 'docs/security.md'],
      ['docs/deployment.md', 'security.md'],
    ] as const) {
      assert.ok(read(path).includes(`(${link})`), path);
    }
  });

  it('names commands and settings that exist', async () => {
    const commands = [...page.matchAll(/npm run admin -- ([a-z]+(?:-[a-z]+)* [a-z]+)/g)].map(([, command]) => command!);
    assert.ok(commands.length > 5);
    for (const command of new Set(commands)) {
      let help = '';
      const out = (text: string): void => {
        help += text;
      };
      const err = (text: string): void => assert.fail(`${command}: ${text}`);
      assert.equal(await admin([...command.split(' '), '--help'], {}, { out, err }), 0, command);
      // Of a command that does not exist, the help is that of all.
      assert.ok(help.includes(`npm run admin -- ${command}`), command);
    }
    for (const [name] of page.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)) {
      assert.ok(variable_names.includes(name), name);
    }
  });

  it('says for every requirement where to see it and what stays with the operator', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Asked'));
    assert.ok(rows.length >= 15);
    for (const row of rows) assert.equal(row.split(' | ').length, 4, row);
  });
});

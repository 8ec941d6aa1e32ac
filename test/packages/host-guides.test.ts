import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { own_servers_expected } from '@tallystick/test-support';
import { followGuide, type Guide, readGuides } from './host-guides.ts';

const node_programs = dirname(process.execPath);

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\`\`\`\n`;

const program = `## The program\n\n${block('js', '// shop.js\nconsole.log(process.env.DATABASE_URL);\n')}`;

function guideOf(...blocks: readonly string[]): Guide {
  const [guide] = readGuides(`${program}\n## Node\n\n${blocks.join('\n')}`);
  assert.ok(guide !== undefined);
  return guide;
}

describe('docs/hosts.md', () => {
  it('has a guide for each bundler, runner, framework, runtime and library', () => {
    const document = readFileSync(new URL('../../docs/hosts.md', import.meta.url), 'utf8');
    assert.deepEqual(
      readGuides(document).map(({ name }) => name),
      ['esbuild', 'webpack', 'tsx', 'Jest', 'Vitest', 'NestJS', 'Bun', 'Deno', 'Knex', 'Prisma'],
    );
  });
});

describe('a guide', { skip: !own_servers_expected && 'there is no Postgres to start' }, () => {
  /** The folder is removed after the test. */
  function emptyFolder(t: TestContext): string {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-guide-'));
    t.after(() => rmSync(folder, { recursive: true }));
    return folder;
  }
  const follow = (t: TestContext, guide: Guide) => followGuide(guide, emptyFolder(t), [], node_programs);

  it('is followed with its files in an empty folder, on Postgres', async (t) => {
    const guide = guideOf(block('sh', 'ls -A\nnode shop.js\n'), block('text', 'shop.js\npostgres://\n'));
    assert.deepEqual(await follow(t, guide), []);
  });

  it('that installs what SQLite needs ends in memory, on SQLite and on Postgres', async (t) => {
    const guide = guideOf(block('sh', 'echo better-sqlite3\n'), block('sh', 'node shop.js >> databases\n'));
    const folder = emptyFolder(t);
    assert.deepEqual(await followGuide(guide, folder, [], node_programs), []);
    const databases = readFileSync(join(folder, 'program', 'databases'), 'utf8');
    assert.match(databases, /^undefined\nsqlite:\.\/shop\.db\npostgres:\/\/.+\n$/);
  });

  it('is followed with the given programs in place of those of the machine', async (t) => {
    const folder = emptyFolder(t);
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'node'), '#!/bin/sh\necho another node\n', { mode: 0o755 });
    const guide = guideOf(block('sh', 'node shop.js\n'), block('text', 'another node\n'));
    assert.deepEqual(await followGuide(guide, folder, [], programs), []);
  });

  it('fails by a command that fails, with what it wrote', async (t) => {
    const [problem = ''] = await follow(t, guideOf(block('sh', 'echo before\nfalse\necho after\n')));
    assert.match(problem, /the guide Node: .*failed:\n[\s\S]*\nbefore$/);
  });

  it('fails when the output lacks a line that it shows', async (t) => {
    const guide = guideOf(block('sh', 'echo approved\n'), block('text', 'approved\napproved\n'));
    assert.match((await follow(t, guide)).join(), /"approved" is missing in the output/);
  });
});

describe('a block of a guide', () => {
  it('is a file with its name in the first line, commands, or their output', () => {
    for (const wrong of [block('ts', 'const unnamed = 1;\n'), block('text', 'approved\n')]) {
      assert.throws(() => guideOf(wrong, block('sh', 'true\n')), /neither a file with its name/);
    }
  });
});

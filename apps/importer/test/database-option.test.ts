import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseOption } from '../src/import-words.ts';

describe('the database in the command of a hint', () => {
  it('is as a shell takes it, and has no password', () => {
    for (const [database_url, option] of [
      [undefined, ''],
      ['sqlite:./data/a.db', ' --database-url sqlite:./data/a.db'],
      ["sqlite:./it's here.db", " --database-url 'sqlite:./it'\\''s here.db'"],
      ['postgres://bank:secret@db.example:5432/cards', ' --database-url postgres://bank@db.example:5432/cards'],
      ['postgres://db.example/cards?password=secret', ' --database-url postgres://db.example/cards'],
    ] as const) {
      assert.equal(databaseOption(database_url), option);
    }
  });
});

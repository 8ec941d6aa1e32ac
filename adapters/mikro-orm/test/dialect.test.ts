import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PostgreSqlPlatform } from '@mikro-orm/postgresql';
import { SqlitePlatform } from '@mikro-orm/sql';
import { dialectOf } from '../src/schema/dialect.ts';

test('the dialect is known when a bundler has renamed the classes of MikroORM', () => {
  assert.equal(dialectOf(new (class A extends SqlitePlatform {})()), 'sqlite');
  assert.equal(dialectOf(new (class B extends PostgreSqlPlatform {})()), 'postgres');
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSameSubject } from '../src/protocol/client-metadata.ts';

describe('the subject of a client certificate', () => {
  const same = ['CN=tpp,O=Example', 'cn=tpp, o=Example', ' CN = tpp ,O=Example'];
  for (const subject of same) {
    it(`${JSON.stringify(subject)} is the registered one`, () => {
      assert.equal(isSameSubject(subject, 'CN=tpp,O=Example'), true);
    });
  }
  const others = [
    undefined,
    '',
    'CN=tpp',
    'CN=tpp,O=Example,C=GB',
    'O=Example,CN=tpp',
    'CN=TPP,O=Example',
    'CN=tpp\\,O=Example',
  ];
  for (const subject of others) {
    it(`${JSON.stringify(subject)} is another one`, () => {
      assert.equal(isSameSubject(subject, 'CN=tpp,O=Example'), false);
    });
  }
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkedDocument } from '../src/documented-answers.ts';

it('the formats of an answer are checked as RFC 3986 has them: a URI has no raw brackets in its query', () => {
  const document = checkedDocument(JSON.stringify({ paths: {}, webhooks: {}, components: { schemas: { Error: {} } } }));
  const problemOf = (format: string, text: string) => document.findMisfit({ type: 'string', format }, text);
  for (const text of ['/v1/events?filter[id]=1', '/a b', '/%zz', '/"', '/ä']) {
    assert.match(problemOf('uri-reference', text) ?? '', /must match format/, text);
    assert.match(problemOf('uri', `https://a.example${text}`) ?? '', /must match format/, text);
  }
  for (const text of ['/v1/events?filter%5Bid%5D=1', '../x#y', '/card-details/a~b']) {
    assert.equal(problemOf('uri-reference', text), null, text);
  }
  assert.equal(problemOf('uri', 'https://a.example:8443/x?y=1'), null);
});

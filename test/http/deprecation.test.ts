import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Deprecation } from '@tallystick/koa';
import { type Service, startService } from './service.ts';

const cards = '/v1/virtualcards';
const header_names = ['deprecation', 'sunset', 'link'] as const;

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly tags: readonly string[]; readonly deprecated?: true }>>>
  >;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: { readonly headers: Readonly<Record<string, unknown>> };
}

async function read({ send }: Service): Promise<Document> {
  return (await send('GET', '/openapi.json', { key: null })).json;
}

function aboutCards({ tags }: Document): string {
  return tags.find(({ name }) => name === 'Virtual cards')!.description;
}

/**
 * Answers about virtual cards: a success, an error of each kind, and one to a caller who is not
 * known.
 */
async function answersAboutCards({ send }: Service): Promise<readonly Headers[]> {
  const body = { data: { total_card_amount: 5000 } };
  const replies = [
    await send('POST', cards, { body }),
    await send('GET', cards),
    await send('GET', `${cards}/999`),
    await send('GET', `${cards}/1/clearings`),
    await send('POST', cards, { body: { data: {} } }),
    await send('GET', cards, { key: null }),
  ];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 404, 200, 400, 401],
  );
  return replies.map(({ headers }) => headers);
}

describe('the interface of virtual cards, when its operator announces nothing,', () => {
  it('marks no operation as deprecated, and no answer: the section states the label', async (t) => {
    const service = await startService(t);
    for (const headers of await answersAboutCards(service)) {
      for (const name of header_names) assert.equal(headers.get(name), null, name);
    }
    const document = await read(service);
    assert.doesNotMatch(JSON.stringify(document), /"deprecated":/);
    for (const name of Object.keys(document.components.headers))
      assert.ok(!header_names.some((one) => one === name.toLowerCase()), name);
    const about = aboutCards(document);
    assert.match(about, /labelled v1 and deprecated/);
    assert.match(about, /served without an end/);
    assert.match(about, /no successor is named/);
  });
});

describe('the interface of virtual cards, when its operator announces a deprecation,', () => {
  const date = { deprecated_on: '2031-01-01', sunset_on: null, successor: null };
  const expected: readonly (readonly [string, Deprecation, readonly (string | null)[], RegExp])[] = [
    ['a date', date, ['@1924992000', null, null], /deprecated, since 2031-01-01\. It is served without an end/],
    [
      'an end',
      { ...date, sunset_on: '2032-06-30' },
      ['@1924992000', 'Wed, 30 Jun 2032 00:00:00 GMT', null],
      /may be gone from 2032-06-30 on, and no successor/,
    ],
    [
      'a successor',
      { ...date, sunset_on: '2032-06-30', successor: 'https://cards.example/v2' },
      ['@1924992000', 'Wed, 30 Jun 2032 00:00:00 GMT', '<https://cards.example/v2>; rel="successor-version"'],
      /its successor is <https:\/\/cards\.example\/v2>/,
    ],
  ];
  for (const [what, v1_deprecation, values, about] of expected) {
    it(`says so in each of its answers and in the document: ${what}`, async (t) => {
      const service = await startService(t, 'sqlite', (ports) => ({ ...ports, v1_deprecation }));
      for (const headers of await answersAboutCards(service))
        assert.deepEqual(
          header_names.map((name) => headers.get(name)),
          values,
        );
      const document = await read(service);
      assert.match(aboutCards(document), about);
      for (const [path, operations] of Object.entries(document.paths)) {
        for (const { tags, deprecated } of Object.values(operations))
          assert.equal(deprecated === true, tags.includes('Virtual cards'), path);
      }
    });
  }

  it('says nothing of the kind in other answers', async (t) => {
    const [, , everything] = expected;
    const service = await startService(t, 'sqlite', (ports) => ({ ...ports, v1_deprecation: everything![1] }));
    for (const path of ['/v1/events', '/v1/realcards', '/v1/virtualcardsx', '/healthz', '/openapi.json']) {
      const { headers } = await service.send('GET', path);
      for (const name of header_names) assert.equal(headers.get(name), null, `${path}: ${name}`);
    }
  });
});

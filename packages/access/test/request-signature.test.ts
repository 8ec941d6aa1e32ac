import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { type SignedHeaders, type SignedParts, verifySignature } from '@tallystick/access';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { hmacSha256 } from './access-storage.ts';
import { refusalOf } from './refusal.ts';

const secret = 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C';
const now_ms = 1_490_041_002_000;
const timestamp = '1490041002';

/** Computed with `openssl dgst -sha256 -hmac`. */
const vectors: readonly (readonly [string, SignedParts, string])[] = [
  [
    secret,
    {
      method: 'GET',
      path: '/v1/events',
      query: 'filter%5Bpayload.mcc%5D=5812&page[limit]=2',
      body: new Uint8Array(),
    },
    'eacc319d74e0203cf9409b508d3a803c52b857a3c215e4c44c30c0129ea2d38a',
  ],
  [
    secret,
    {
      method: 'POST',
      path: '/v1/virtualcards',
      query: '',
      body: Buffer.from('{"data":{"total_card_amount":10000}}'),
    },
    'ef68add7a3af1ed6a861fc7192f71a8b0785e1c54b11ed2f6af277730d92841a',
  ],
  [
    'schlüssel-mit-umlaut',
    { method: 'DELETE', path: '/v1/virtualcards/17', query: '', body: new Uint8Array() },
    '1dacc05b5f62978a3b89b8854771b8f092f0b49e01c33ce302d16a35e148f84b',
  ],
  [
    secret,
    { method: 'POST', path: '/x', query: '', body: Uint8Array.of(0xff, 0x00, 0x0a) },
    'c981ee53e3f5438cf9e16289eac38fd968644412e942882ac5c52f4cc9881c98',
  ],
];

/** Version 2, computed with `openssl dgst -sha256 -hmac`. */
const vectors_2: readonly (readonly [SignedParts, SignedHeaders, string])[] = [
  [
    vectors[1]![1],
    { content_type: 'application/json', idempotency_key: 'order-17' },
    '672ae5846db8d09c1b9cfe7246329074d3b680373446c6264d21b701a09ff454',
  ],
  [
    { method: 'DELETE', path: '/v1/virtualcards/17', query: '', body: new Uint8Array() },
    { content_type: '', idempotency_key: '' },
    'ce4338a787368e227e40b996dd46c619a54127b03efde756bf04d449c0ce46c1',
  ],
];

const no_headers: SignedHeaders = { content_type: '', idempotency_key: '' };

const line = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replaceAll('\n', ''));
const parts = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE'),
  path: line,
  query: line,
  body: fc.uint8Array({ maxLength: 50 }),
});

/** What a caller computes: of version 2 with `headers`, else of version 1. */
function sign(key: string, seconds: string, signed: SignedParts, headers?: SignedHeaders): string {
  const { method, path, query, body } = signed;
  const lines = [seconds, method, path, query];
  const covered = headers === undefined ? lines : ['v2', ...lines, headers.content_type, headers.idempotency_key];
  return createHmac('sha256', key)
    .update(`${covered.join('\n')}\n`)
    .update(body)
    .digest('hex');
}

function verify(
  signing_secret: string | null,
  headers: { readonly timestamp?: string; readonly signature?: string; readonly version?: string | undefined },
  signed: SignedParts,
  machine_ms = now_ms,
  signed_headers = no_headers,
): void {
  const { timestamp, signature, version } = headers;
  verifySignature(
    hmacSha256,
    { signing_secret },
    { timestamp, signature, version },
    signed,
    signed_headers,
    machine_ms,
  );
}

test('signatures meet the published vectors', () => {
  for (const [key, signed, signature] of vectors) {
    assert.equal(sign(key, timestamp, signed), signature);
    verify(key, { timestamp, signature }, signed);
  }
});

test('a signature verifies, and with any part changed it does not', async () => {
  const changes: readonly ((signed: SignedParts) => SignedParts)[] = [
    (signed) => ({ ...signed, method: signed.method === 'GET' ? 'POST' : 'GET' }),
    (signed) => ({ ...signed, path: `${signed.path}/` }),
    (signed) => ({ ...signed, query: `${signed.query}&` }),
    (signed) => ({ ...signed, body: Uint8Array.of(...signed.body, 0) }),
    (signed) => ({ ...signed, path: signed.path + signed.query, query: signed.query === '' ? 'x' : '' }),
    (signed) => ({ ...signed, body: signed.body.length === 0 ? Uint8Array.of(10) : signed.body.slice(1) }),
  ];
  await fc.assert(
    fc.asyncProperty(parts, line, fc.integer({ min: 0, max: 63 }), async (signed, key, at) => {
      const signature = sign(key, timestamp, signed);
      verify(key, { timestamp, signature }, signed);
      for (const change of changes) await refusalOf(() => verify(key, { timestamp, signature }, change(signed)));
      await refusalOf(() => verify(`${key}.`, { timestamp, signature }, signed));
      await refusalOf(() => verify(key, { timestamp: '1490041003', signature }, signed));
      const digit = signature[at] === '0' ? '1' : '0';
      const altered = signature.slice(0, at) + digit + signature.slice(at + 1);
      await refusalOf(() => verify(key, { timestamp, signature: altered }, signed));
    }),
    propertyParameters(),
  );
});

test('the clocks may differ by 300 seconds in either direction, and by no millisecond more', async () => {
  const [, signed, signature] = vectors[1]!;
  for (const difference_ms of [-300_000, 0, 300_000]) {
    verify(secret, { timestamp, signature }, signed, now_ms + difference_ms);
  }
  for (const difference_ms of [-300_001, 300_001, 86_400_000]) {
    const refusal = await refusalOf(() => verify(secret, { timestamp, signature }, signed, now_ms + difference_ms));
    assert.match(refusal.message, /more than 300 seconds/);
  }
});

test('a key with a secret must sign, and a key without one cannot', async () => {
  const [, signed, signature] = vectors[1]!;
  verify(null, {}, signed);
  verify(null, { timestamp }, signed);
  const refused: readonly (readonly [string | null, { timestamp?: string; signature?: string }, RegExp])[] = [
    [null, { signature }, /this key has no signing secret/],
    [null, { timestamp, signature }, /this key has no signing secret/],
    [secret, {}, /X-Signature is missing/],
    [secret, { timestamp }, /X-Signature is missing/],
    [secret, { signature }, /X-Timestamp is missing/],
    [secret, { timestamp: '', signature }, /X-Timestamp must be whole seconds/],
    [secret, { timestamp: '1490041002.0', signature }, /X-Timestamp must be whole seconds/],
    [secret, { timestamp: '-1490041002', signature }, /X-Timestamp must be whole seconds/],
    [secret, { timestamp: '1490041002000', signature }, /X-Timestamp must be whole seconds/],
    [secret, { timestamp, signature: '' }, /64 lower-case hex/],
    [secret, { timestamp, signature: signature.toUpperCase() }, /64 lower-case hex/],
    [secret, { timestamp, signature: signature.slice(1) }, /64 lower-case hex/],
    [secret, { timestamp, signature: `0${signature.slice(1)}` }, /does not match/],
  ];
  for (const [key, headers, message] of refused) {
    const refusal = await refusalOf(() => verify(key, headers, signed));
    assert.equal(refusal.code, 'unauthenticated');
    assert.match(refusal.message, message);
    assert.ok(!refusal.message.includes(secret));
  }
});

test('signatures of version 2 meet the published vectors', () => {
  for (const [signed, headers, signature] of vectors_2) {
    assert.equal(sign(secret, timestamp, signed, headers), signature);
    verify(secret, { timestamp, signature, version: '2' }, signed, now_ms, headers);
  }
});

test('a signature of version 2 covers Content-Type and Idempotency-Key, and one of version 1 does not', async () => {
  const header = fc.record({ content_type: line, idempotency_key: line });
  await fc.assert(
    fc.asyncProperty(parts, header, header, async (signed, headers, others) => {
      fc.pre(JSON.stringify(headers) !== JSON.stringify(others));
      const of_2 = sign(secret, timestamp, signed, headers);
      verify(secret, { timestamp, signature: of_2, version: '2' }, signed, now_ms, headers);
      const changed = await refusalOf(() =>
        verify(secret, { timestamp, signature: of_2, version: '2' }, signed, now_ms, others),
      );
      assert.match(changed.message, /version 2 covers/);
      const of_1 = sign(secret, timestamp, signed);
      for (const version of [undefined, '1']) {
        verify(secret, { timestamp, signature: of_1, version }, signed, now_ms, headers);
        verify(secret, { timestamp, signature: of_1, version }, signed, now_ms, others);
      }
    }),
    propertyParameters(),
  );
});

test('a signature of one version is not valid as the other, also with a body made from its text', async () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  await fc.assert(
    fc.asyncProperty(parts, line, line, async (signed, content_type, idempotency_key) => {
      const headers = { content_type, idempotency_key };
      const of_2 = sign(secret, timestamp, signed, headers);
      // The lines of the headers moved into the body, where version 1 would read them.
      const moved = { ...signed, body: Buffer.concat([encode(`${content_type}\n${idempotency_key}\n`), signed.body]) };
      for (const read of [signed, moved]) {
        for (const version of [undefined, '1'])
          await refusalOf(() => verify(secret, { timestamp, signature: of_2, version }, read, now_ms, headers));
      }
      const of_1 = sign(secret, timestamp, moved);
      await refusalOf(() => verify(secret, { timestamp, signature: of_1, version: '2' }, signed, now_ms, headers));
    }),
    propertyParameters(),
  );
});

test('a version that does not exist is refused', async () => {
  const [signed, headers, signature] = vectors_2[0]!;
  for (const version of ['', '0', '3', 'v2', '2.0', '1, 2', '2, 2']) {
    const refusal = await refusalOf(() => verify(secret, { timestamp, signature, version }, signed, now_ms, headers));
    assert.equal(refusal.code, 'unauthenticated');
    assert.match(refusal.message, /X-Signature-Version must be 1 or 2/, version);
  }
});

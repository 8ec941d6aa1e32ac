import type { SignedDelivery, SigningSecrets } from '../src/index.ts';

/** A delivery and the headers that the service sends with it. */
export interface Vector {
  readonly name: string;
  readonly secrets: SigningSecrets;
  readonly delivery: SignedDelivery & { readonly body: string };
  readonly headers: Readonly<Record<string, string>>;
}

const published = {
  id: '17',
  timestamp: 1_490_041_002,
  url: 'https://www.api-svb.com/svb-webhooks',
  body: '{"data":{}}',
};

/** The example of the Standard Webhooks specification, with a URL. */
const standard = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  url: 'https://hooks.example/a',
  body: '{"test": 2432232314}',
};

/**
 * The signatures were made by OpenSSL, except for the first `x-signature`, which is in the service
 * specification (5.3), and the first `webhook-signature` by a `whsec_` secret, which is in the
 * Standard Webhooks specification:
 * `printf '17.1490041002.{"data":{}}' | openssl dgst -sha256 -hmac "$secret" -binary | base64`.
 */
export const vectors: readonly Vector[] = [
  {
    name: 'the published vector',
    secrets: { current: 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C', previous: null },
    delivery: published,
    headers: {
      'x-timestamp': '1490041002',
      'x-signature': '1dc045e6c7f88861ba9bd87a34a5511308cd114dcfb1b5cfd6c9b7cf1ac9c4a9',
      'webhook-id': '17',
      'webhook-timestamp': '1490041002',
      'webhook-signature': 'v1,pPTP0YN8PtuwdgFe9oftx8TV2Cugka9me11TSa/Dc7c=',
    },
  },
  {
    name: 'two secrets during a rotation',
    secrets: { current: 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C', previous: 'the old secret 1' },
    delivery: published,
    headers: {
      'x-timestamp': '1490041002',
      'x-signature': '1dc045e6c7f88861ba9bd87a34a5511308cd114dcfb1b5cfd6c9b7cf1ac9c4a9',
      'x-signature-previous': 'd56180d92aa0bbf27c0b778b44034ff16f2f8e9e7b71f1c287089b62e6022b08',
      'webhook-id': '17',
      'webhook-timestamp': '1490041002',
      'webhook-signature':
        'v1,pPTP0YN8PtuwdgFe9oftx8TV2Cugka9me11TSa/Dc7c= v1,EkuztXnQ7TmEC4EicF1LPgSs0T0bdSw4ZJLYxVsuNZA=',
    },
  },
  {
    name: 'characters past ASCII in the secret and in the body',
    secrets: { current: 'ein Geheimnis mit Ümlaut, 16+', previous: null },
    delivery: {
      id: 'test-0a1b',
      timestamp: 1_490_041_002,
      url: 'https://hooks.example/a?b=c',
      body: '{"name":"Zoë 🧾"}',
    },
    headers: {
      'x-timestamp': '1490041002',
      'x-signature': 'aa495e97f3fdc4119cca87f86d5576d2b1bc2c6c522cd2d8ccaf414ee3e3fbae',
      'webhook-id': 'test-0a1b',
      'webhook-timestamp': '1490041002',
      'webhook-signature': 'v1,asudZtbRkohIAUadz6qy8vB1/ibjjz/vDy9rGO1MrVQ=',
    },
  },
  {
    name: 'a secret of Standard Webhooks: its text signs one scheme, its bytes the other',
    secrets: { current: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', previous: null },
    delivery: standard,
    headers: {
      'x-timestamp': '1614265330',
      'x-signature': 'ac77e9e3f2a23258d03500e8df007655ab1055ebd4f6ee218c706e97c08951f1',
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  },
  {
    name: 'a rotation from a text to a secret of Standard Webhooks',
    secrets: { current: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', previous: 'the old secret 1' },
    delivery: standard,
    headers: {
      'x-timestamp': '1614265330',
      'x-signature': 'ac77e9e3f2a23258d03500e8df007655ab1055ebd4f6ee218c706e97c08951f1',
      'x-signature-previous': '5348a1d3f1e902aef537b55caa4a93c9bd94d58c5d0ff1aa04b26711c838123a',
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,LQ7QT5NpP9WLl+qDdIii2S+x+GGMKF/LF8CwNViJeis=',
    },
  },
];

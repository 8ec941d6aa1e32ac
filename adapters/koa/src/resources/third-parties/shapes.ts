import { third_party_scopes } from '@tallystick/consents';
import * as z from 'zod';
import { id_text, nameText, resource_url, type ShapeOf, shown_instant } from '../fields.ts';
import type { presentThirdParty } from './presenter.ts';

const jwks = z
  .record(z.string(), z.unknown())
  .describe('Its public keys as a JWK set (RFC 7517): P-256 keys for ES256, RSA keys of at least 2,048 bits for PS256')
  .meta({ id: 'JwkSet' });

/** The content of `POST /operator/v1/third-parties`, which the domain checks. */
export const create_third_party = z
  .object({
    data: z.object({
      client_id: z.string().nullish().describe('Its OAuth client id. By default one is made'),
      name: nameText(255).describe('What users of the bank see'),
      scopes: z.array(z.enum(third_party_scopes)).min(1),
      redirect_uris: z.array(z.string()).min(1).describe('https addresses, compared as they are'),
      jwks: jwks.nullish(),
      jwks_uri: z.string().nullish().describe('The https address of its keys, in place of `jwks`'),
      certificate_subject: z
        .string()
        .nullish()
        .describe(
          'The subject of its client certificate (RFC 4514), if it authenticates by the certificate. By default it ' +
            'authenticates by private_key_jwt',
        ),
    }),
  })
  .meta({
    id: 'CreateThirdParty',
    examples: [
      {
        data: {
          name: 'Budget App',
          scopes: ['accounts'],
          redirect_uris: ['https://budget.example/callback'],
          jwks_uri: 'https://budget.example/jwks.json',
        },
      },
    ],
  });

/** A regulated third party. */
export const third_party = z
  .object({
    id: id_text,
    client_id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(third_party_scopes)),
    redirect_uris: z.array(z.string()),
    jwks: jwks.nullable(),
    jwks_uri: z.string().nullable(),
    certificate_subject: z.string().nullable(),
    status: z.enum(['active', 'suspended']),
    created_at: shown_instant,
    type: z.literal('thirdparty'),
    url: resource_url,
  } satisfies ShapeOf<ReturnType<typeof presentThirdParty>>)
  .meta({ id: 'ThirdParty' });

import { id_token_algorithms, third_party_scopes, third_party_statuses } from '@tallystick/consents';
import * as z from 'zod';
import { created_at, id_text, nameText, resource_url, resourceType, text_or_null, type_names } from '../fields.ts';

const jwks = z
  .record(z.string(), z.unknown())
  .describe('Its public keys as a JWK set (RFC 7517): P-256 keys for ES256, RSA keys of at least 2,048 bits for PS256')
  .meta({ id: 'JwkSet' });

const redirect_uris = z
  .array(z.string())
  .min(1)
  .describe('The https addresses to which users return, compared as they are');

const scope = z
  .enum(third_party_scopes)
  .describe('What a third party may ask users for')
  .register(type_names, { id: 'ThirdPartyScope' });
const scopes = z.array(scope).min(1);

const certificate_subject = z
  .string()
  .nullish()
  .describe(
    'The subject of its client certificate (RFC 4514), if it authenticates by the certificate; null: it ' +
      'authenticates by private_key_jwt',
  );

const id_token_algorithm = z.enum(id_token_algorithms);
const id_token_signed_response_alg = id_token_algorithm
  .nullish()
  .describe('How its id_tokens are signed, and the answers that it asks for as JWT (JARM); null: PS256');

/** The content of `POST /operator/v1/third-parties`, which the domain checks. */
export const create_third_party = z
  .object({
    data: z.object({
      client_id: z.string().nullish().describe('Its OAuth client id; null: one is made'),
      name: nameText(255).describe('What users of the bank see'),
      scopes: scopes.describe('What it may ask users for'),
      redirect_uris,
      jwks: jwks.nullish().describe('Its public keys (`JwkSet`); null: they are at `jwks_uri`'),
      jwks_uri: z.string().nullish().describe('The https address of its keys, in place of `jwks`; null: there is none'),
      certificate_subject,
      id_token_signed_response_alg,
    }),
  })
  .meta({
    id: 'CreateThirdParty',
    description: 'A new third party',
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

const present_value_only = 'Cannot be changed. Only its present value is accepted';

/** The content of `PATCH /operator/v1/third-parties/:id`, which the domain checks. */
export const update_third_party = z
  .object({
    data: z.object({
      name: nameText(255).optional().describe('What users of the bank see'),
      scopes: scopes.optional().describe('All its scopes. One that is missing here is taken away: all tokens end'),
      redirect_uris: redirect_uris
        .optional()
        .describe('All https addresses to which users return, compared as they are'),
      jwks: jwks
        .nullish()
        .describe('Its public keys (`JwkSet`). They take the place of `jwks_uri`; null: they are there'),
      jwks_uri: z
        .string()
        .nullish()
        .describe('The https address of its keys. It takes the place of `jwks`; null: they are in `jwks`'),
      certificate_subject,
      id_token_signed_response_alg,
      client_id: z.unknown().optional().describe(present_value_only),
      status: z.unknown().optional().describe(`${present_value_only}: suspend or activate the third party`),
    }),
  })
  .meta({
    id: 'UpdateThirdParty',
    description: 'A change of a third party. What is absent stays',
    examples: [{ data: { redirect_uris: ['https://budget.example/callback', 'https://budget.example/app'] } }],
  });

export const third_party = z
  .object({
    id: id_text,
    client_id: z.string().describe('Its OAuth client id'),
    name: z.string().describe('What users of the bank see'),
    scopes: z.array(scope).describe('What it may ask users for'),
    redirect_uris: z.array(z.string()).describe('The https addresses to which users return, compared as they are'),
    jwks: jwks.nullable().describe('Its public keys (`JwkSet`); null: they are at `jwks_uri`'),
    jwks_uri: text_or_null.describe('The https address of its keys; null: they are in `jwks`'),
    certificate_subject: text_or_null.describe(
      'The subject of its client certificate (RFC 4514); null: it authenticates by private_key_jwt',
    ),
    id_token_signed_response_alg: id_token_algorithm.describe(
      'How its id_tokens are signed, and the answers that it asks for as JWT (JARM)',
    ),
    status: z.enum(third_party_statuses).describe('`suspended`: it gets no token, and those that it had have ended'),
    created_at,
    type: resourceType('third_party'),
    url: resource_url,
  })
  .meta({ id: 'ThirdParty', description: 'A regulated third party' });

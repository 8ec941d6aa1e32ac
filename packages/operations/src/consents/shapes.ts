import { access_ends, consent_statuses, permissions } from '@tallystick/consents';
import * as z from 'zod';
import {
  account_number,
  created_at,
  id_number,
  resource_url,
  resourceType,
  shown_instant,
  text_or_null,
  type_names,
  user_id,
} from '../fields.ts';

/** `POST /sandbox/v1/consents`. */
export const create_consent = z
  .object({
    data: z.object({
      client_id: z.string().min(1).max(128).describe('A third party of the sandbox that may read accounts'),
    }),
  })
  .meta({
    id: 'CreateConsent',
    description: 'The request of a third party',
    examples: [{ data: { client_id: 'sandbox-aisp' } }],
  });

/** `POST /sandbox/v1/consents/:consent_id/decide`. */
export const decide_consent = z
  .object({
    data: z.object({
      decision: z.enum(['approve', 'reject']).describe('What the user decides'),
      user_id: user_id.nullish().describe('The user who decides; null: the first user of `GET /bank/v1/users`'),
      account_ids: z
        .array(account_number)
        .min(1)
        .max(1_000)
        .nullish()
        .describe('The accounts that the user chooses, by their numbers; null: all that the user may view'),
    }),
  })
  .meta({ id: 'DecideConsent', description: 'The decision of a user', examples: [{ data: { decision: 'approve' } }] });

/** A consent, with the user and the accounts that the third party does not see. */
export const consent = z
  .object({
    id: z.string().describe('Its ConsentId'),
    kind: z
      .enum(['account_access', 'funds_confirmation'])
      .describe('Whether it is about reading accounts, or about confirmations of funds'),
    client_id: z.string().describe('The third party that created it'),
    status: z
      .enum(consent_statuses)
      .describe('Its status in the standard. Third parties read only with an `Authorised` one')
      .register(type_names, { id: 'ConsentStatus' }),
    permissions: z
      .array(
        z.enum(permissions).describe('What a consent allows to read').register(type_names, { id: 'ConsentPermission' }),
      )
      .describe('What the third party may read; empty for a confirmation of funds'),
    expiration_date_time: text_or_null.describe(
      'When it ends, as the third party wrote it: ISO 8601 with an offset; null: it has no end',
    ),
    company_id: id_number.nullable().describe('The company of the user who authorised it; null before'),
    user_id: text_or_null.describe('The user who authorised it; null before'),
    account_ids: z.array(z.string()).describe('The accounts that the user chose, by their numbers; empty before'),
    access: z
      .enum(['none', 'active', ...access_ends])
      .register(type_names, { id: 'ConsentAccess' })
      .describe(
        'The access of the third party. `none`: no user has authorised the consent. `active`: it has access. ' +
          '`withdrawn`: the user ended it, or the bank for the user. `stopped`: the bank suspended the third party or ' +
          'took a scope from it. `tokens_revoked`: the third party revoked its tokens, or used a code twice. ' +
          '`deleted`: the third party deleted the consent. `expired`: its `expiration_date_time` has passed. ' +
          '`lapsed`: the user did not confirm it again within 90 days',
      ),
    access_ends_at: shown_instant
      .nullable()
      .describe('When the access ended, or ends at the latest, UTC; null: there was none'),
    created_at,
    status_updated_at: shown_instant.describe('When its status changed last, UTC'),
    authorised_at: shown_instant.nullable().describe('When it was authorised last, UTC; null: never'),
    withdrawn_at: shown_instant.nullable().describe('The withdrawal after the last authorisation; null: none'),
    deleted_at: shown_instant.nullable().describe('The deletion by the third party; null: it was not deleted'),
    type: resourceType('consent'),
    url: resource_url,
  })
  .meta({ id: 'Consent', description: 'A consent, with the user and the accounts that the third party does not see' });

import {
  account_range_form,
  alias_length_max,
  network_data_name_length_max,
  network_data_names_max,
} from '@tallystick/cards';
import * as z from 'zod';
import {
  created_at,
  currency,
  id_either,
  id_number,
  id_text,
  nameText,
  resource_url,
  resourceType,
} from '../fields.ts';

const account_range = z.string().regex(account_range_form, { error: () => 'must be 6 to 12 digits' });

/** `POST /operator/v1/realcards`. */
export const create_real_card = z
  .object({
    data: z.object({
      company_id: id_either.describe('The company that the card belongs to'),
      alias: nameText(alias_length_max).describe('Its name: `rcn_alias` of its virtual cards'),
      billing_currency: currency.describe('The currency in which its purchases are billed, ISO 4217'),
      account_range: account_range.describe('The first digits of the numbers of its virtual cards'),
      velocity_enabled: z.boolean().nullish().describe('False: its virtual cards can only be Continuous. Null: true'),
      network_data_names: z
        .array(nameText(network_data_name_length_max))
        .min(1)
        .max(network_data_names_max)
        .nullish()
        .describe('The names that `network_data` of its virtual cards may have; null: any name'),
      is_default: z
        .boolean()
        .nullish()
        .describe(
          'Whether virtual cards without `rcn_id` are tied to it. Null: true for the first real card of a company, else false',
        ),
    }),
  })
  .meta({
    id: 'CreateRealCard',
    description: 'A new real card',
    examples: [{ data: { company_id: 1, alias: 'Travel', billing_currency: 'EUR', account_range: '54545400' } }],
  });

export const real_card = z
  .object({
    id: id_text,
    rcn_id: id_number.describe('The id as a number: the rcn_id of its virtual cards'),
    rcn_alias: z.string().max(alias_length_max).describe('The name of the real card'),
    company_id: id_number.describe('The company that the card belongs to'),
    billing_currency: currency.describe('The currency in which its purchases are billed, ISO 4217'),
    account_range: account_range.describe('The first digits of the numbers of its virtual cards'),
    velocity_enabled: z.boolean().describe('False: its virtual cards can only be Continuous'),
    network_data_names: z
      .array(z.string().max(network_data_name_length_max))
      .max(network_data_names_max)
      .nullable()
      .describe('The names that network_data may have; null: any name'),
    is_default: z.boolean().describe('Whether a virtual card without rcn_id is tied to it'),
    created_at,
    type: resourceType('realcard'),
    url: resource_url,
  })
  .meta({ id: 'RealCard', description: 'A real card' });

import {
  type AllowAndDeny,
  card_presence_rules,
  type MerchantControls,
  type MerchantControlsRequest,
  merchant_controls_bytes_max,
  merchant_entry_length_max,
  merchant_list_max,
} from '@tallystick/templates';
import * as z from 'zod';
import { type ShapeOf, type_names } from '../fields.ts';

const entries = z
  .array(z.string().meta({ minLength: 1, maxLength: merchant_entry_length_max }))
  .min(1)
  .max(merchant_list_max);

const asked_lists = z
  .object({
    allow: entries.nullish().describe('Only these; null: all'),
    deny: entries.nullish().describe('Not these, also when `allow` has them; null: none'),
  } satisfies Record<keyof AllowAndDeny, z.ZodType>)
  .describe('The entries that a control allows or denies')
  .register(type_names, { id: 'AskedAllowAndDeny' })
  .nullish();

const shown_lists = z
  .object({
    allow: entries.nullable().describe('Only these; null: all'),
    deny: entries.nullable().describe('Not these, also when `allow` has them; null: none'),
  } satisfies ShapeOf<AllowAndDeny>)
  .describe('The entries that a control allows or denies')
  .register(type_names, { id: 'AllowAndDeny' })
  .nullable();

const card_present = z
  .enum(card_presence_rules)
  .register(type_names, { id: 'CardPresenceRule' })
  .describe(
    'Whether the card must be present (`required`: a message that does not say so is declined) or must not be (`forbidden`: only a message that says so is declined); null: either',
  );

const merchant_ids = 'Ids of merchants, compared as written without blanks around them';
const merchant_names =
  'Names of merchants, in any case and width, a run of blanks as one; `*` at the start or end stands for any text: `ACME*`, `*acme*`. A merchant is allowed when its id or its name is, and denied when either is';
const countries = 'Countries of merchants, as DEU or DE (ISO 3166-1); shown as DEU';

export const asked_merchant_controls = z
  .object({
    merchant_ids: asked_lists.describe(`${merchant_ids}; null: any`),
    merchant_names: asked_lists.describe(`${merchant_names}; null: any`),
    countries: asked_lists.describe(`${countries}; null: any`),
    card_present: card_present.nullish(),
  } satisfies Record<keyof MerchantControlsRequest, z.ZodType>)
  .describe('The merchants with which a card may be used, where and how')
  .register(type_names, { id: 'AskedMerchantControls' })
  .nullish()
  .describe(
    `The merchants that it allows, at most ${merchant_controls_bytes_max} bytes of UTF-8 JSON. An allow list declines a message that lacks the value, a deny list does not; null: any merchant`,
  );

export const shown_merchant_controls = z
  .object({
    merchant_ids: shown_lists.describe(`${merchant_ids}; null: any`),
    merchant_names: shown_lists.describe(`${merchant_names}; null: any`),
    countries: shown_lists.describe('Countries of merchants, ISO 3166-1 alpha-3; null: any'),
    card_present: card_present.nullable(),
  } satisfies ShapeOf<MerchantControls>)
  .describe('The merchants with which a card may be used, where and how')
  .register(type_names, { id: 'MerchantControls' })
  .nullable()
  .describe('The merchants that it allows; null: any merchant');

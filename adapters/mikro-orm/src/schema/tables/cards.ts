import { defineEntity, p } from '@mikro-orm/core';
import type { CardStatus } from '@tallystick/cards';
import type { MccRule, RequiredControl, PurchaseTemplate as Template, TemplateStatus } from '@tallystick/templates';
import type { Recurring } from '@tallystick/velocity';
import { company } from './access.ts';
import { columnsOf, id, int, json, money } from './columns.ts';

export const RealCard = defineEntity({
  name: 'RealCard',
  tableName: 'tallystick_real_cards',
  properties: {
    id: id(),
    company_id: company,
    alias: p.text(),
    billing_currency: p.text(),
    account_range: p.text(),
    velocity_enabled: p.boolean(),
    network_data_names: json().nullable(),
    is_default: p.boolean(),
    created_at_ms: int(),
  },
  indexes: [{ name: 'tallystick_real_cards_page', properties: ['company_id', 'id'] }],
  uniques: [{ name: 'tallystick_real_cards_default', properties: ['company_id'], where: 'is_default' }],
});

export const PurchaseTemplate = defineEntity({
  name: 'PurchaseTemplate',
  tableName: 'tallystick_purchase_templates',
  properties: {
    id: id(),
    company_id: () => company().nullable(),
    name: p.text(),
    description: p.text(),
    mcc_list: json(),
    mcc_rule: p.text().$type<MccRule>(),
    merchant_controls: json().nullable(),
    required_control: p.text().$type<RequiredControl>(),
    status: p.text().$type<TemplateStatus>(),
    transaction_key: p.text(),
    copy_from_template: p.text(),
    customer_number: p.text(),
    environment: p.text().$type<Template['environment']>(),
    created_at_ms: int(),
    updated_at_ms: int(),
    deleted_at_ms: int().nullable(),
    completes_at_ms: int().nullable(),
    version: int().defaultRaw('1'),
  },
  indexes: [
    { name: 'tallystick_purchase_templates_page', properties: ['company_id', 'id'] },
    {
      name: 'tallystick_purchase_templates_due',
      properties: ['completes_at_ms'],
      where: 'completes_at_ms is not null',
    },
  ],
  uniques: [
    { name: 'tallystick_purchase_templates_name', properties: ['company_id', 'name'], where: 'deleted_at_ms is null' },
    { name: 'tallystick_purchase_templates_transaction_key', properties: ['company_id', 'transaction_key'] },
  ],
});

/**
 * The part of a card that decisions read and write. Rows are short because every decision rewrites
 * one.
 */
export const VirtualCard = defineEntity({
  name: 'VirtualCard',
  tableName: 'tallystick_virtual_cards',
  properties: {
    id: id(),
    company_id: company,
    rcn_id: () => p.manyToOne(RealCard).mapToPk().fieldName('rcn_id').index(false).deleteRule('no action'),
    template_id: () =>
      p.manyToOne(PurchaseTemplate).mapToPk().fieldName('template_id').index(false).deleteRule('no action'),
    status: p.text().$type<CardStatus>(),
    last4: p.text(),
    expiry: p.text(),
    number_index: p.uint8array(),
    number_sealed: p.uint8array(),
    number_key_id: p.text(),
    supplier_id: int().nullable(),
    created_at_ms: int(),
    canceled_at_ms: int().nullable(),
    frozen_at_ms: int().nullable(),
    // Controls
    per_transaction_min: money(),
    per_transaction_max: money(),
    per_transaction_max_defaulted: p.boolean(),
    total_card_amount: money(),
    transactions_max: int().nullable(),
    recurring: p.text().$type<Recurring>().nullable(),
    authorization_hold_days: int().nullable(),
    aging_velocity_time_zone: p.text().nullable(),
    currency: p.text().nullable(),
    valid_starting_on: p.text(),
    valid_ending_on: p.text(),
    merchant_controls: json().nullable(),
    controls_version: int().defaultRaw('1'),
    // Counters
    window_start_ms: int(),
    held: money(),
    cleared: money(),
    uses: int(),
    next_hold_end_ms: int().nullable(),
    code_failures: int().defaultRaw('0'),
    code_failures_on: p.text().nullable(),
    // Triggers change these.
    provisional_clearings: int().defaultRaw('0'),
    settled_through: p.text().nullable(),
  },
  indexes: [
    { name: 'tallystick_virtual_cards_page', properties: ['company_id', 'id'] },
    { name: 'tallystick_virtual_cards_rcn', properties: ['company_id', 'rcn_id', 'id'] },
    { name: 'tallystick_virtual_cards_template', properties: ['company_id', 'template_id', 'id'] },
    { name: 'tallystick_virtual_cards_status', properties: ['company_id', 'status', 'id'] },
    { name: 'tallystick_virtual_cards_frozen', properties: ['company_id', 'id'], where: 'frozen_at_ms is not null' },
    // Operators find it in all companies. The company comes last, because no number is common.
    { name: 'tallystick_virtual_cards_last4', properties: ['last4', 'id', 'company_id'] },
    {
      name: 'tallystick_virtual_cards_supplier',
      properties: ['company_id', 'supplier_id', 'id'],
      where: 'supplier_id is not null',
    },
    { name: 'tallystick_virtual_cards_key', properties: ['number_key_id', 'id'] },
    { name: 'tallystick_virtual_cards_due', properties: ['next_hold_end_ms'], where: 'next_hold_end_ms is not null' },
  ],
  uniques: [{ name: 'tallystick_virtual_cards_number', properties: ['number_index'] }],
});

/**
 * The part of a card that no decision reads: up to 16 KiB that a change of the counters must not
 * rewrite.
 */
export const VirtualCardDetails = defineEntity({
  name: 'VirtualCardDetails',
  tableName: 'tallystick_virtual_card_details',
  properties: {
    card_id: p.bigint('number').primary().autoincrement(false),
    emails: json().nullable(),
    notified: p.boolean(),
    network_data: json().nullable(),
    metadata: json().nullable(),
  },
});

/** How the fields of a card that are columns of `virtual_card_details` are written and read. */
export const card_detail_columns = columnsOf(VirtualCardDetails, 'card_id');

/**
 * A row for each top-level name of a card's metadata, and for each value, so that a filter need not
 * read every card.
 */
export const VirtualCardMetadata = defineEntity({
  name: 'VirtualCardMetadata',
  tableName: 'tallystick_virtual_card_metadata',
  properties: {
    /** The company of the card, or 0: each entry stands also among those of all companies. */
    company_id: p.bigint('number').primary(),
    /** A hash of the name and its value as text, or of the value: short whatever their length. */
    entry: p.uint8array().primary(),
    card_id: p.bigint('number').primary(),
  },
});

/** The counters of a window of a card that is over. Only a pass over the card writes them. */
export const CardWindow = defineEntity({
  name: 'CardWindow',
  tableName: 'tallystick_card_windows',
  properties: {
    card_id: p.bigint('number').primary(),
    window_start_ms: p.bigint('number').primary(),
    held: money(),
    cleared: money(),
    uses: int(),
  },
});

const ended_version = {
  version: p.bigint('number').primary(),
  state: json(),
  ended_at_ms: int(),
  ended_by: p.text(),
  request_id: p.text().nullable(),
};

/** The states of cards that are over. A card that was never changed has none. */
export const CardVersion = defineEntity({
  name: 'CardVersion',
  tableName: 'tallystick_card_versions',
  properties: { card_id: p.bigint('number').primary(), ...ended_version },
});

/** The same of templates. */
export const TemplateVersion = defineEntity({
  name: 'TemplateVersion',
  tableName: 'tallystick_template_versions',
  properties: { template_id: p.bigint('number').primary(), ...ended_version },
});

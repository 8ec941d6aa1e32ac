import { defineEntity, p } from '@mikro-orm/core';
import { int } from './columns.ts';

/** An entry of the audit log. Only the sealer changes one: it writes the last three columns. */
export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'tallystick_audit_entries',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    company_id: int().nullable(),
    actor: p.text(),
    action: p.text(),
    object: p.text(),
    request_id: p.text().nullable(),
    source_address: p.text().nullable(),
    details: p.text(),
    at_ms: int(),
    content_hash: p.text().nullable(),
    number: int().nullable(),
    link: p.text().nullable(),
  },
  indexes: [
    { name: 'tallystick_audit_entries_page', properties: ['at_ms', 'id'] },
    { name: 'tallystick_audit_entries_company', properties: ['company_id', 'at_ms', 'id'] },
    { name: 'tallystick_audit_entries_actor', properties: ['actor', 'at_ms', 'id'] },
    { name: 'tallystick_audit_entries_action', properties: ['action', 'at_ms', 'id'] },
    { name: 'tallystick_audit_entries_object', properties: ['object', 'at_ms', 'id'] },
    { name: 'tallystick_audit_entries_unsealed', properties: ['id'], where: 'number is null' },
  ],
  uniques: [{ name: 'tallystick_audit_entries_number', properties: ['number'], where: 'number is not null' }],
});

/** One row, written by its migration: the head of the audit log's chain. */
export const AuditChain = defineEntity({
  name: 'AuditChain',
  tableName: 'tallystick_audit_chain',
  properties: {
    id: p.bigint('number').primary().autoincrement(false),
    number: int(),
    link: p.text(),
    removed_number: int(),
    removed_link: p.text(),
    accepted_number: int(),
    mac: p.text().nullable(),
  },
});

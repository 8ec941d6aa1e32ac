import { defineEntity, p } from '@mikro-orm/core';
import type { RetentionKind } from '@tallystick/kernel';
import type { StatementKeySetting } from '@tallystick/reconciliation';
import { int } from './columns.ts';

/** One row, written by the first migration. */
export const SandboxClock = defineEntity({
  name: 'SandboxClock',
  tableName: 'tallystick_sandbox_clock',
  properties: {
    id: p.bigint('number').primary().autoincrement(false),
    offset_ms: int(),
    frozen_at_ms: int().nullable(),
  },
});

/**
 * One row, written by its migration: facts that must not change during the life of the database.
 */
export const Installation = defineEntity({
  name: 'Installation',
  tableName: 'tallystick_installation',
  properties: {
    id: p.bigint('number').primary().autoincrement(false),
    /**
     * Fingerprint of the key that finds card numbers; null until the first start. Reveals nothing
     * about the key.
     */
    index_fingerprint: p.text().nullable(),
    /** How statement lines find their clearings; null until the first migration has ended. */
    statement_key: p.text().$type<StatementKeySetting>().nullable(),
    /** Random. Distinguishes this database from others. */
    installation_id: p.text().nullable(),
  },
});

/** How far the rows of a kind were examined for their retention time, and who is at work on it. */
export const Retention = defineEntity({
  name: 'Retention',
  tableName: 'tallystick_retention',
  properties: {
    kind: p.text().$type<RetentionKind>().primary(),
    after_id: p.bigint('number'),
    left_id: p.bigint('number').nullable(),
    began_at_ms: p.bigint('number'),
    lease: p.text().nullable(),
    lease_until_machine_ms: p.bigint('number').nullable(),
  },
});

import { p } from '@mikro-orm/core';
import type { Money } from '@tallystick/kernel';

/**
 * The columns of all tables. Properties have the names of columns, and of the domain record's fields
 * where it has them. Times are epoch milliseconds, dates YYYY-MM-DD, amounts minor units. JSON is
 * stored as the text that `JSON.stringify` wrote: no query reads inside it, and the bytes are returned
 * unchanged.
 *
 * The README of the package states the purpose and cost of each index.
 */

export const id = () => p.bigint('number').primary().autoincrement();
/** A primary key that is the id of another row. */
export const givenId = () => p.bigint('number').primary().autoincrement(false);
export const int = () => p.bigint('number');
export const money = () => p.bigint('number').$type<Money>();
export const json = () => p.text();

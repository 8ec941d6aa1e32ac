import { type Authorization, type Clearing, changing_clearing_fields } from '@tallystick/cards';
import { type ColumnKind, columnsOf } from '../tables/columns.ts';
import { Authorization as AuthorizationTable, Clearing as ClearingTable } from '../tables/network.ts';

/** The columns of `authorizations`: the fields of the record by name. */
export const authorization_columns: Readonly<Record<keyof Authorization, ColumnKind>> = columnsOf(AuthorizationTable);

/** The columns of `clearings`: the fields of the record by name. */
export const clearing_columns: Readonly<Record<keyof Clearing, ColumnKind>> = columnsOf(ClearingTable);

/** The columns of `clearings` that a later message may change. */
export const clearing_change_columns: Readonly<Record<string, ColumnKind>> = Object.fromEntries(
  changing_clearing_fields.map((name) => [name, clearing_columns[name]]),
);

export function selectList(columns: Readonly<Record<string, ColumnKind>>, alias: string): string {
  return Object.keys(columns)
    .map((column) => `${alias}.${column}`)
    .join(', ');
}

type Stored<Item, Flag extends keyof Item> = Omit<Item, Flag | 'details'> & {
  readonly details: string;
} & { readonly [Name in Flag]: boolean | 0 | 1 };

/** A row of `authorization_columns` as the drivers return it. */
export type AuthorizationRow = Omit<Stored<Authorization, 'incremental'>, 'facts'> & { readonly facts: string | null };

/** A row of `clearing_columns` as the drivers return it. */
export type ClearingRow = Omit<Stored<Clearing, 'partial' | 'review' | 'synthetic_id'>, 'sent' | 'choices'> & {
  readonly sent: string | null;
  readonly choices: string | null;
};

export function authorizationOf(row: AuthorizationRow): Authorization {
  return {
    ...row,
    incremental: Boolean(row.incremental),
    facts: row.facts === null ? null : JSON.parse(row.facts),
    details: JSON.parse(row.details),
  };
}

export function clearingOf(row: ClearingRow): Clearing {
  return {
    ...row,
    partial: Boolean(row.partial),
    review: Boolean(row.review),
    synthetic_id: Boolean(row.synthetic_id),
    sent: row.sent === null ? null : JSON.parse(row.sent),
    choices: row.choices === null ? null : JSON.parse(row.choices),
    details: JSON.parse(row.details),
  };
}

import type { ClearingFormat } from '@tallystick/imports';
import { bai2 } from './bai2/bai2.ts';
import { camt053 } from './camt053/camt053.ts';

/** The formats of this adapter, in the order in which a file is tried for them. */
export const statement_formats: readonly ClearingFormat[] = [bai2, camt053];

import type { StatementKeySetting } from '@tallystick/reconciliation';
import { ActWorld, clearing } from './act-world.ts';
import type { ContractRule } from './contract-rule.ts';
import { assertEqual } from './equality.ts';
import type { StorageUnderTest } from './storage.ts';

/** Storage that can be opened with each setting of the statement key. */
export interface StorageOfSettings extends StorageUnderTest {
  withStatementKey(setting: StatementKeySetting): Promise<StorageUnderTest>;
}

const long = '74123456061000000000017';
const short = '41234500000000001';
/** The same without its date. */
const dated = '74123456065000000000019';

const references = { net_reference_number: 'MCCCCCCCC0520', approval_code: 'A55555', merchant_id: 'M5' };

/** How the setting of the statement key decides pairs. */
export const statement_key_contract: readonly ContractRule<StorageOfSettings>[] = [
  {
    rule: 'references that differ in the date find each other by BIN and sequence, and not as a whole',
    async check(open) {
      const storage = await open();
      const lineOf = async (setting: StatementKeySetting, reference: string) => {
        const world = await ActWorld.on(await storage.withStatementKey(setting));
        await world.authorize(references);
        const clearing_id = await world.clear({ ...references, acquirer_reference_data: long });
        const line_id = await world.line({ reference });
        const { item } = await world.read(clearing(clearing_id));
        return item.line_ids.includes(line_id);
      };
      for (const reference of [long, short, dated]) {
        assertEqual(await lineOf('bin+sequence', reference), true, `${reference} by BIN and sequence`);
        assertEqual(await lineOf('whole', reference), reference === long, `${reference} as a whole`);
      }
    },
  },
];

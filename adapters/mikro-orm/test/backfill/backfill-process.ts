/**
 * A process that copies the keys of authorizations of the database in its argument, until it is
 * killed.
 */
import { authorization_keys_step } from '../../src/backfill/authorization-keys-step.ts';
import { backfillsOn } from '../../src/backfill/backfills.ts';
import { connect } from '../../src/connection/connection.ts';

const [database_url = ''] = process.argv.slice(2);
const backfills = backfillsOn(await connect({ database_url }), [{ ...authorization_keys_step, batch_max: 5 }]);
while (!backfills.isCopied(authorization_keys_step.name)) await backfills.runBatches();
process.exit();

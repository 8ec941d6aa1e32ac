import {
  import_continuation_contract,
  import_contract,
  import_process_contract,
  import_replay_contract,
  import_store_contract,
  statement_continuation_contract,
  statement_import_contract,
} from '@tallystick/harness';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({
  ImportStore: import_store_contract,
  Imports: import_contract,
  'Imports, and processes that stop': import_continuation_contract,
  'Imports, and several processes': import_process_contract,
  'Imports, and replays': import_replay_contract,
  'Imports of statements': statement_import_contract,
  'Imports of statements, and several processes': statement_continuation_contract,
});

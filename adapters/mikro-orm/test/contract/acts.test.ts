import {
  act_races_contract,
  actHistoriesContract,
  actSequencesContract,
  acts_contract,
  decision_tables_contract,
  periods_contract,
} from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({
  'acts of people on items': acts_contract,
  'acts at once': act_races_contract,
  'closed periods': periods_contract,
  'tables of decisions': decision_tables_contract,
  'sequences of acts': actSequencesContract(propertyParameters({ short: 5, full: 20 })),
  'records, acts and periods': actHistoriesContract(propertyParameters({ short: 5, full: 20 })),
});

import { reconciliationReportsContract, reconciliationStoreContract } from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({
  ReconciliationReports: reconciliationReportsContract(propertyParameters({ short: 6, full: 10 })),
  ReconciliationStore: reconciliationStoreContract(propertyParameters({ short: 8, full: 14 })),
});

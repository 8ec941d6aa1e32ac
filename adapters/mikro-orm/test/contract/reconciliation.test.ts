import { reconciliationReportsContract, reconciliationStoreContract } from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({
  ReconciliationReports: reconciliationReportsContract(propertyParameters({ short: 8, full: 24 })),
  ReconciliationStore: reconciliationStoreContract(propertyParameters({ short: 12, full: 30 })),
});

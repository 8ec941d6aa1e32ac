import { bankStoreContract } from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({ BankStore: bankStoreContract(propertyParameters({ short: 15, full: 45 })) });

import { import_store_contract } from '@tallystick/harness';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({ ImportStore: import_store_contract });

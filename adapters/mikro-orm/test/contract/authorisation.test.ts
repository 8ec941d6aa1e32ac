import { authorisation_store_contract } from '@tallystick/harness';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({ AuthorisationStore: authorisation_store_contract });

import { ledger_contract } from '@tallystick/harness';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({ Ledger: ledger_contract });

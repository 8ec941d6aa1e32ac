import { ledger_bounds, ledger_contract } from '@tallystick/harness';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({ Ledger: ledger_contract, 'Ledger, and what a pass must not load': ledger_bounds });

import {
  ledger_bounds,
  ledger_by_hand_contract,
  ledger_contract,
  ledger_deadline_contract,
  ledger_order_contract,
} from '@tallystick/harness';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({
  Ledger: ledger_contract,
  'Ledger, and the deadline of a pass': ledger_deadline_contract,
  'Ledger, and clearings that are matched again': ledger_order_contract,
  'Ledger, and clearings that are matched by hand': ledger_by_hand_contract,
  'Ledger, and what a pass must not load': ledger_bounds,
});

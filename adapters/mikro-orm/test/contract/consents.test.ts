import { consent_store_contract, third_party_store_contract } from '@tallystick/harness';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({
  ConsentStore: consent_store_contract,
  ThirdPartyStore: third_party_store_contract,
});

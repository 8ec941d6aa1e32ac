import {
  authorisation_store_contract,
  bankStoreContract,
  consent_store_contract,
  third_party_store_contract,
} from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import { keepsContracts } from './contract-suites.ts';

keepsContracts({
  BankStore: bankStoreContract(propertyParameters({ short: 15, full: 45 })),
  ConsentStore: consent_store_contract,
  ThirdPartyStore: third_party_store_contract,
  AuthorisationStore: authorisation_store_contract,
});

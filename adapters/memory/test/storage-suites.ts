import {
  account_store_contract,
  activity_store_contract,
  audit_log_contract,
  authorisation_store_contract,
  authorizationSearchContract,
  backtest_store_contract,
  bankStoreContract,
  card_store_contract,
  consent_store_contract,
  consultation_store_contract,
  eventStoreContract,
  import_store_contract,
  ledger_by_hand_contract,
  ledger_contract,
  ledger_deadline_contract,
  ledger_order_contract,
  quarantine_store_contract,
  real_card_store_contract,
  reconciliationReportsContract,
  reconciliationStoreContract,
  type StorageUnderTest,
  template_store_contract,
  third_party_store_contract,
  unit_of_work_contract,
} from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { memoryPersistence, type Tx } from '../src/index.ts';

/** Every suite of storage, by its port. */
export const storage_suites = {
  UnitOfWork: unit_of_work_contract,
  CardStore: card_store_contract,
  'CardStore, and searches of authorizations': authorizationSearchContract(propertyParameters({ short: 25, full: 75 })),
  RealCardStore: real_card_store_contract,
  TemplateStore: template_store_contract,
  EventStore: eventStoreContract(propertyParameters({ short: 25, full: 75 })),
  Ledger: [...ledger_contract, ...ledger_order_contract, ...ledger_by_hand_contract, ...ledger_deadline_contract],
  BacktestStore: backtest_store_contract,
  ConsultationStore: consultation_store_contract,
  ActivityStore: activity_store_contract,
  QuarantineStore: quarantine_store_contract,
  ImportStore: import_store_contract,
  ReconciliationReports: reconciliationReportsContract(propertyParameters({ short: 25, full: 75 })),
  ReconciliationStore: reconciliationStoreContract(propertyParameters({ short: 40, full: 120 })),
  AccountStore: account_store_contract,
  BankStore: bankStoreContract(propertyParameters({ short: 40, full: 120 })),
  AuthorisationStore: authorisation_store_contract,
  ConsentStore: consent_store_contract,
  ThirdPartyStore: third_party_store_contract,
  AuditLog: audit_log_contract,
} as const;

/** Storage in memory, before it is passed to a suite. */
export interface OpenStorage extends Pick<StorageUnderTest, 'ledger' | 'close'> {
  readonly unitOfWork: ReturnType<typeof memoryPersistence>['unitOfWork'];
}

const now_ms = Date.UTC(2026, 4, 20, 12);

/** Opens a separate storage for each rule, with the replacements of `plant`. */
export async function openStorage(
  plant: (open: OpenStorage) => Partial<OpenStorage> = () => ({}),
): Promise<StorageUnderTest> {
  const { unitOfWork, ledger, close } = memoryPersistence({ clock: fixedClock(now_ms) });
  const open: OpenStorage = { unitOfWork, ledger, close };
  return { ...open, ...plant(open), now_ms };
}

/** Replaces stores of every transaction. */
export function plantStores(change: (tx: Tx) => Partial<Tx>): (open: OpenStorage) => Partial<OpenStorage> {
  return ({ unitOfWork: { run, read } }) => ({
    unitOfWork: {
      run: (work) => run((tx) => work({ ...tx, ...change(tx) })),
      read: (work) => read((tx) => work({ ...tx, ...change(tx) })),
    },
  });
}

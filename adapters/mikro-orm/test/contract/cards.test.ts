import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  account_store_contract,
  activity_store_contract,
  audit_log_contract,
  authorizationSearchContract,
  backtest_store_contract,
  card_store_contract,
  consultation_store_contract,
  import_store_contract,
  makeCard,
  makeOwner,
  quarantine_store_contract,
  real_card_store_contract,
  sealedNumber,
} from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import { keepsContracts } from './contract-suites.ts';
import { onEveryDatabase } from './fixture.ts';

keepsContracts({
  CardStore: card_store_contract,
  'CardStore, and searches of authorizations': authorizationSearchContract(propertyParameters({ short: 25, full: 75 })),
  RealCardStore: real_card_store_contract,
  BacktestStore: backtest_store_contract,
  ConsultationStore: consultation_store_contract,
  'ActivityStore and BacklogStore': activity_store_contract,
  QuarantineStore: quarantine_store_contract,
  AuditLog: audit_log_contract,
  AccountStore: account_store_contract,
  ImportStore: import_store_contract,
});

onEveryDatabase('the store of virtual cards', (fixture, name) => {
  // On SQLite the other transaction would lock the whole database.
  if (name !== 'postgres') return;

  it('skips numbers that another rotation has locked, unless it must wait', async () => {
    const owner = await fixture().run(makeOwner);
    const card = await fixture().run((tx) => makeCard(tx, owner, {}, sealedNumber('held')));
    const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = fixture().run(async (tx) => {
      await tx.cards.sealedByOtherKeys('new', 100);
      started.resolve();
      await ended.promise;
    });
    await started.promise;
    const other = await fixture().another();
    assert.deepEqual(await other.unitOfWork.run((tx) => tx.cards.sealedByOtherKeys('new', 100)), []);
    const waiting = other.unitOfWork.run((tx) => tx.cards.sealedByOtherKeys('new', 100, { wait: true }));
    ended.resolve();
    await holder;
    assert((await waiting).some(({ card_id }) => card_id === card.id));
  });
});

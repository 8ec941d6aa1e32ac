import { card_store_contract, ledger_bounds, ledger_contract, ledger_order_contract } from '@tallystick/harness';
import { changeRows } from '@tallystick/test-support';
import { connect } from '../../src/connection/connection.ts';
import { keepsContracts } from './contract-suites.ts';

/** No batch of the backfill runs, so everything is read by the indexes of the first release. */
keepsContracts(
  {
    'Ledger, before the keys of authorizations are copied': ledger_contract,
    'Ledger, and clearings that are matched again, before the keys are copied': ledger_order_contract,
    'Ledger, and what a pass must not load, before the keys are copied': ledger_bounds,
    'CardStore, before the keys of authorizations are copied': card_store_contract,
  },
  async (database) => {
    const connection = await connect(database);
    await connection.orm.migrator.up({ to: '0008-mails-page' });
    await connection.close();
    const no = database.name === 'sqlite' ? '0' : 'false';
    await changeRows(
      database,
      `insert into authorizations (company_id, card_id, message_type, incremental, trace_id, system_trace_audit_number,
         transaction_date_time_ms, decided_at_ms, billing_amount, merchant_amount, merchant_currency, mcc, window_start_ms,
         status, authorized, held, cleared, uses, details)
       values (1, 1000000, '0100', ${no}, 'T', '1', 0, 0, 1, 1, 'USD', '5812', 0, 'declined', 0, 0, 0, 0, '{}')`,
    );
  },
);

import type { BankData } from '@tallystick/accounts';
import type { CardVault, Network } from '@tallystick/cards';
import type { ImportPorts } from '@tallystick/imports';
import type { Clock, Random, Sealer, Sha256, UnitOfWork, UrlPolicy } from '@tallystick/kernel';
import { accountOperations } from './accounts/operations.ts';
import { bankAccountOperations } from './bank/accounts.ts';
import { bankOperations } from './bank/operations.ts';
import { type RecordOperationPorts, recordOperations } from './bank/records.ts';
import { consentOperations } from './consents/operations.ts';
import { eventOperations } from './events/operations.ts';
import { type ImportOperationPorts, importOperations } from './imports/operations.ts';
import { mailboxOperations, mailOperations } from './mails/operations.ts';
import { type NetworkOperationPorts, networkOperations } from './network/operations.ts';
import type { Operation, OperationTx } from './operation.ts';
import { operatorOperations } from './operator/operations.ts';
import { oversightOperations } from './oversight/operations.ts';
import { quarantineOperations } from './quarantine/operations.ts';
import { realCardOperations } from './real-cards/operations.ts';
import { type ReconciliationOperationPorts, reconciliationOperations } from './reconciliation/operations.ts';
import { periodOperations } from './reconciliation/periods.ts';
import { toleranceOperations } from './reconciliation/tolerances.ts';
import { type Sandbox, sandboxOperations } from './sandbox/operations.ts';
import { templateOperations } from './templates/operations.ts';
import { thirdPartyOperations } from './third-parties/operations.ts';
import { virtualCardOperations } from './virtual-cards/operations.ts';
import { type WebhookServices, webhookOperations } from './webhooks/operations.ts';

export interface OperationPorts
  extends Pick<NetworkOperationPorts, 'metrics'>,
    ImportOperationPorts,
    Pick<RecordOperationPorts, 'spool' | 'readRecordLines'>,
    Pick<ReconciliationOperationPorts, 'readTable'> {
  readonly unitOfWork: UnitOfWork<OperationTx>;
  readonly network: Network;
  readonly clock: Clock;
  readonly vault: CardVault;
  readonly sealer: Sealer;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly imports: ImportPorts;
  readonly metrics: NetworkOperationPorts['metrics'] & ImportOperationPorts['metrics'];
  readonly template_completion_delay_ms: number;
  /** Null outside the sandbox: its operations do not exist. */
  readonly sandbox: Sandbox | null;
  /** Called when a key was revoked: what is remembered of it is stale. */
  readonly keyChanged: (key_id: number) => void;
  /** Called when a company was changed: what is remembered of its keys is stale. */
  readonly companyChanged: (company_id: number) => void;
  readonly webhooks: WebhookServices;
  /** Which callback URLs and addresses of keys are accepted. */
  readonly url_policy: UrlPolicy;
  /** Absent: the operations on consents and third parties do not exist. */
  readonly open_banking?: { readonly bank?: BankData } | undefined;
}

/** Returns everything that the system can do. */
export function listOperations(ports: OperationPorts): readonly Operation[] {
  const { sandbox, open_banking } = ports;
  const in_sandbox = sandbox !== null;
  return [
    ...networkOperations(ports),
    ...virtualCardOperations(ports),
    ...realCardOperations(),
    ...templateOperations(ports, {
      environment: in_sandbox ? 'sandbox' : 'live',
      completion_delay_ms: ports.template_completion_delay_ms,
    }),
    ...eventOperations(),
    ...webhookOperations(ports),
    ...reconciliationOperations(ports),
    ...periodOperations(ports),
    ...toleranceOperations(),
    ...operatorOperations({ ...ports, environment: in_sandbox ? 'test' : 'live' }),
    ...oversightOperations(),
    ...mailOperations(),
    ...quarantineOperations(ports),
    ...importOperations(ports),
    ...accountOperations(ports),
    ...bankOperations(ports),
    ...bankAccountOperations(ports),
    ...recordOperations(ports),
    ...(open_banking === undefined
      ? []
      : [...consentOperations(open_banking.bank, in_sandbox), ...thirdPartyOperations(ports)]),
    ...(in_sandbox ? [...sandboxOperations(ports, sandbox), ...mailboxOperations(ports)] : []),
  ];
}

/**
 * Describes everything that any installation can do: also what only a sandbox or Open Banking has.
 * The work of these operations cannot be called.
 */
export function describeOperations(): readonly Operation[] {
  const no_ports = { sandbox: {}, open_banking: {}, webhooks: {} } as unknown as OperationPorts;
  return listOperations(no_ports);
}

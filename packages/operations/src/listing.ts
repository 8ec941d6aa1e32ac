import type { BankData } from '@tallystick/accounts';
import type { CardVault, Network } from '@tallystick/cards';
import type { Clock } from '@tallystick/kernel';
import { accountOperations } from './accounts/operations.ts';
import { type ActivityOperationPorts, activityOperations } from './activity/operations.ts';
import { backtestOperations } from './backtests/operations.ts';
import { bankAccountOperations } from './bank/accounts.ts';
import { bankOperations } from './bank/operations.ts';
import { type RecordOperationPorts, recordOperations } from './bank/records.ts';
import { consentOperations } from './consents/operations.ts';
import { consultationOperations } from './decision-endpoint/consultations.ts';
import { type DecisionEndpointOperationPorts, decisionEndpointOperations } from './decision-endpoint/operations.ts';
import { eventOperations } from './events/operations.ts';
import { type ImportOperationPorts, importOperations } from './imports/operations.ts';
import { mailboxOperations, mailOperations } from './mails/operations.ts';
import { type NetworkOperationPorts, networkOperations } from './network/operations.ts';
import type { Operation } from './operation.ts';
import { type OperatorOperationPorts, operatorOperations } from './operator/operations.ts';
import { type AuditOperationPorts, auditOperations } from './oversight/audit.ts';
import { cardOversightOperations } from './oversight/cards.ts';
import { oversightOperations } from './oversight/operations.ts';
import { type PersonOperationPorts, personOperations } from './people/operations.ts';
import { type PortalOperationPorts, portalOperations } from './portal/operations.ts';
import { quarantineOperations } from './quarantine/operations.ts';
import { realCardOperations } from './real-cards/operations.ts';
import { approvalOperations } from './reconciliation/approvals.ts';
import { careOperations } from './reconciliation/care.ts';
import { type ReconciliationOperationPorts, reconciliationOperations } from './reconciliation/operations.ts';
import { periodOperations } from './reconciliation/periods.ts';
import { toleranceOperations } from './reconciliation/tolerances.ts';
import { type Sandbox, sandboxOperations } from './sandbox/operations.ts';
import { templateOperations } from './templates/operations.ts';
import { thirdPartyOperations } from './third-parties/operations.ts';
import { authorizationOperations } from './virtual-cards/authorizations.ts';
import { clearingOperations } from './virtual-cards/clearings.ts';
import { type DecisionOperationPorts, decisionOperations } from './virtual-cards/decisions.ts';
import { virtualCardOperations } from './virtual-cards/operations.ts';
import { recordOfActsOperations } from './virtual-cards/record-of-acts.ts';
import { type WebhookOperationPorts, webhookOperations } from './webhooks/operations.ts';

export interface OperationPorts
  extends DecisionOperationPorts,
    ActivityOperationPorts,
    WebhookOperationPorts,
    PortalOperationPorts,
    DecisionEndpointOperationPorts,
    Omit<OperatorOperationPorts, 'environment'>,
    Omit<PersonOperationPorts, 'unitOfWork'>,
    Pick<AuditOperationPorts, 'audit_mac'>,
    ImportOperationPorts,
    Pick<RecordOperationPorts, 'spool' | 'readRecordLines'>,
    Pick<ReconciliationOperationPorts, 'readTable'> {
  readonly network: Network;
  readonly clock: Clock;
  readonly vault: CardVault;
  readonly metrics: NetworkOperationPorts['metrics'] & ImportOperationPorts['metrics'];
  /** How long after its request a purchase template is completed, milliseconds. */
  readonly template_completion_delay_ms: number;
  /** Null outside the sandbox: its operations do not exist. */
  readonly sandbox: Sandbox | null;
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
    ...decisionOperations(ports),
    ...backtestOperations(),
    ...recordOfActsOperations(),
    ...authorizationOperations(),
    ...clearingOperations(),
    ...realCardOperations(),
    ...templateOperations(ports, {
      environment: in_sandbox ? 'sandbox' : 'live',
      completion_delay_ms: ports.template_completion_delay_ms,
    }),
    ...eventOperations(),
    ...webhookOperations(ports),
    ...portalOperations(ports),
    ...decisionEndpointOperations(ports),
    ...consultationOperations(),
    ...reconciliationOperations(ports),
    ...careOperations(),
    ...approvalOperations(ports),
    ...periodOperations(ports),
    ...toleranceOperations(),
    ...operatorOperations({ ...ports, environment: in_sandbox ? 'test' : 'live' }),
    ...personOperations(ports),
    ...activityOperations(ports),
    ...oversightOperations(),
    ...auditOperations(ports),
    ...cardOversightOperations(),
    ...mailOperations(),
    ...quarantineOperations(ports),
    ...importOperations(ports),
    ...accountOperations(ports),
    ...bankOperations(ports),
    ...bankAccountOperations(ports),
    ...recordOperations(ports),
    ...(open_banking === undefined
      ? []
      : [...consentOperations(open_banking.bank, ports, in_sandbox), ...thirdPartyOperations(ports)]),
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

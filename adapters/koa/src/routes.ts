import type { BankData } from '@tallystick/accounts';
import type { CardVault, Network } from '@tallystick/cards';
import type { ImportPorts } from '@tallystick/imports';
import type { Clock, Random, Sealer, Sha256, UnitOfWork } from '@tallystick/kernel';
import { listOperations } from '@tallystick/operations';
import { endpoints } from './endpoints.ts';
import type { Lifecycle } from './operations/lifecycle.ts';
import type { Log } from './operations/log.ts';
import type { Metrics } from './operations/metrics.ts';
import type { HttpTx } from './request/http-tx.ts';
import { routeOf } from './request/operation-route.ts';
import type { Route } from './request/route.ts';
import { accountRoutes } from './resources/accounts/routes.ts';
import { bankAccountRoutes } from './resources/bank/account-routes.ts';
import { bankCompanyRoutes } from './resources/bank/company-routes.ts';
import { recordRoutes } from './resources/bank/record-routes.ts';
import { bankUserRoutes } from './resources/bank/user-routes.ts';
import { codeFailureRoutes } from './resources/code-failures/routes.ts';
import { consentRoutes } from './resources/consents/routes.ts';
import { eventRoutes } from './resources/events/routes.ts';
import { importRoutes } from './resources/imports/routes.ts';
import { mailboxRoutes } from './resources/mailbox/routes.ts';
import { mailRoutes } from './resources/mails/routes.ts';
import { networkRoutes } from './resources/network/routes.ts';
import { operatorRoutes } from './resources/operator/routes.ts';
import { oversightRoutes } from './resources/oversight/routes.ts';
import { quarantineRoutes } from './resources/quarantine/routes.ts';
import { realCardRoutes } from './resources/real-cards/routes.ts';
import { actRoutes } from './resources/reconciliation/act-routes.ts';
import { decisionRoutes, type ReadTable } from './resources/reconciliation/decision-routes.ts';
import { periodRoutes } from './resources/reconciliation/period-routes.ts';
import { reconciliationRoutes } from './resources/reconciliation/routes.ts';
import { consentDecisionRoutes } from './resources/sandbox/consent-decisions.ts';
import { purchaseRoutes } from './resources/sandbox/purchases.ts';
import { sandboxRoutes } from './resources/sandbox/routes.ts';
import type { Sandbox } from './resources/sandbox/sandbox.ts';
import { templateRoutes } from './resources/templates/routes.ts';
import { thirdPartyRoutes } from './resources/third-parties/routes.ts';
import { type WebhookServices, webhookRoutes } from './resources/webhooks/routes.ts';

/** The ports that the routes need. */
export interface RoutePorts {
  readonly unitOfWork: UnitOfWork<HttpTx>;
  readonly network: Network;
  readonly clock: Clock;
  readonly readTable: ReadTable;
  readonly vault: CardVault;
  readonly sealer: Sealer;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly imports: ImportPorts;
  readonly lifecycle: Lifecycle;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'decision' | 'importEnded'>;
  readonly template_completion_delay_ms: number;
  /** Null outside the sandbox. */
  readonly sandbox: Sandbox | null;
  readonly keyRevoked: (key_id: number) => void;
  readonly companyChanged: (company_id: number) => void;
  readonly webhooks: WebhookServices;
  /** Absent: no routes of consents and third parties. */
  readonly open_banking?: { readonly bank?: BankData } | undefined;
}

/**
 * Returns every route of the interface. The network's routes are first: the router tries routes in
 * order, and these are the most used.
 */
export function apiRoutes(ports: RoutePorts): readonly Route[] {
  const { sandbox, open_banking } = ports;
  const in_sandbox = sandbox !== null;
  return [
    ...networkRoutes(ports),
    ...listOperations(ports).map((operation) => routeOf(operation, endpoints[operation.id]!)),
    ...realCardRoutes(),
    ...templateRoutes(ports, {
      environment: in_sandbox ? 'sandbox' : 'live',
      completion_delay_ms: ports.template_completion_delay_ms,
    }),
    ...eventRoutes(),
    ...webhookRoutes(ports),
    ...reconciliationRoutes(ports),
    ...actRoutes(ports),
    ...decisionRoutes(ports),
    ...periodRoutes(ports),
    ...operatorRoutes({ ...ports, environment: in_sandbox ? 'test' : 'live' }),
    ...codeFailureRoutes(),
    ...oversightRoutes(),
    ...mailRoutes(),
    ...quarantineRoutes(ports),
    ...importRoutes(ports),
    ...accountRoutes(ports),
    ...bankAccountRoutes(ports),
    ...bankUserRoutes(ports),
    ...bankCompanyRoutes(),
    ...recordRoutes(ports),
    ...(open_banking === undefined ? [] : [...consentRoutes(open_banking.bank), ...thirdPartyRoutes(ports)]),
    ...(open_banking === undefined || !in_sandbox ? [] : consentDecisionRoutes(open_banking.bank)),
    ...(in_sandbox ? [...sandboxRoutes(sandbox), ...purchaseRoutes(ports), ...mailboxRoutes(ports)] : []),
  ];
}

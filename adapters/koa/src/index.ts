export {
  type CertificateProxies,
  type ClientCertificate,
  createCertificateReader,
} from './connection/client-certificate.ts';
export { connections_max_default, createHttpServer, type TlsOptions } from './connection/http-server.ts';
export { createHttpApp, type HttpAppPorts } from './http-app.ts';
export type { AuthorisationEndpoints, OpenBankingPorts } from './open-banking/ports.ts';
export { createLifecycle, type Lifecycle } from './operations/lifecycle.ts';
export { type Log, logOptions } from './operations/log.ts';
export { measureLedger } from './operations/measured-ledger.ts';
export { createMetrics, type Metrics } from './operations/metrics.ts';
export { requests_max_default } from './request/admission.ts';
export { bodies_bytes_max_default } from './request/bodies.ts';
export type { HttpTx } from './request/http-tx.ts';
export { presentAccount } from './resources/accounts/presenter.ts';
export { card_details_path } from './resources/card-details/page.ts';
export { presentCodeFailures } from './resources/code-failures/presenter.ts';
export { presentImport } from './resources/imports/presenter.ts';
export { presentApiKey, presentCompany } from './resources/operator/presenter.ts';
export { presentAuditEntry } from './resources/oversight/presenter.ts';
export { presentQuarantined } from './resources/quarantine/presenter.ts';
export { presentItem } from './resources/reconciliation/presenter.ts';
export { presentBridge, presentRules, presentSummary } from './resources/reconciliation/report-presenter.ts';
export type { Sandbox } from './resources/sandbox/sandbox.ts';
export { presentTemplate, templateStatusPath } from './resources/templates/presenter.ts';
export { presentThirdParty } from './resources/third-parties/presenter.ts';
export type { WebhookServices } from './resources/webhooks/routes.ts';

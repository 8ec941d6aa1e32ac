export type { Deprecation } from './answer/deprecation.ts';
export { card_details_path } from './card-details-path.ts';
export { type CertificateProxies, createCertificateReader } from './connection/client-certificate.ts';
export { connections_max_default, createHttpServer, type TlsOptions } from './connection/http-server.ts';
export { findProxyProblem } from './connection/networks.ts';
export type { ConsoleEndpoint, ConsoleRequest } from './console/ports.ts';
export { endpoints, takesKey } from './endpoints.ts';
export {
  createHttpApp,
  createKeyAuthenticator,
  forgetting,
  type HttpApp,
  type HttpAppPorts,
  type ServedPart,
} from './http-app.ts';
export { createOperations } from './join-endpoints.ts';
export { createFetchHandler, type FetchHandler } from './mounting/fetch-handler.ts';
export { createKoaMiddleware, type KoaContext } from './mounting/koa-middleware.ts';
export type { MountOptions } from './mounting/mount.ts';
export { createNodeHandler, type MountedApp, type NodeHandler } from './mounting/node-handler.ts';
export type { AuthorisationEndpoints, OpenBankingPorts } from './open-banking/ports.ts';
export { createLifecycle, type Lifecycle } from './operations/lifecycle.ts';
export { type Log, logOptions } from './operations/log.ts';
export { measureLedger } from './operations/measured-ledger.ts';
export { createMetrics, type Metrics } from './operations/metrics.ts';
export { requests_max_default } from './request/admission.ts';
export { bodies_bytes_max_default } from './request/bodies.ts';
export type { Page, PageAnswer } from './request/page.ts';
export { readRequestId } from './request/request-id.ts';
export { transactions_max_default } from './request/shares.ts';

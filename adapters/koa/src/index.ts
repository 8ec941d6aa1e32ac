export { answerBrokenRequest } from './broken-request.ts';
export { card_details_path } from './card-details-page.ts';
export { createHttpApp, type HttpAppOptions, type Sandbox } from './http-app.ts';
export type { HttpTx } from './http-tx.ts';
export { createLifecycle, type Lifecycle } from './lifecycle.ts';
export { type Log, logOptions } from './log.ts';
export { measuredLedger } from './measured-ledger.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export type { WebhookServices } from './resources/webhook-routes.ts';

export * from './address-guard.ts';
export * from './decision-poster.ts';
export * from './document-reader.ts';
export type { ConnectionPorts } from './guarded-agent.ts';
export { urlPolicy } from './url-policy.ts';
export * from './webhook-client.ts';

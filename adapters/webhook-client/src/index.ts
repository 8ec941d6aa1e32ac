export * from './address-guard.ts';
export * from './document-reader.ts';
export { urlPolicy } from './url-policy.ts';
export * from './webhook-client.ts';

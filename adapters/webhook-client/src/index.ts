export * from './address-guard.ts';
export { callbackUrlPolicy } from './callback-url.ts';
export * from './webhook-client.ts';

export * from './address-guard.ts';
export * from './callback-url.ts';
export * from './verify-delivery.ts';
export * from './webhook-client.ts';

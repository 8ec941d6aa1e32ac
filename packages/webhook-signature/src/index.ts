export type { DeliveryHeaders, HeaderReader, ReceivedDelivery } from './received-delivery.ts';
export * from './sign.ts';
export { decodeStandardSecret, type SignedDelivery } from './signed-text.ts';
export * from './verify.ts';

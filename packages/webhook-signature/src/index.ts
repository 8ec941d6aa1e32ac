export type { DeliveryHeaders, HeaderReader, ReceivedDelivery } from './received-delivery.ts';
export { type SigningSecrets, type SynchronousHmac, signDelivery, signDeliveryWith } from './sign.ts';
export { decodeStandardSecret, type SignedDelivery } from './signed-text.ts';
export {
  type Refused,
  type RefusedReason,
  type Verification,
  type Verified,
  type VerifyOptions,
  type VerifyStandardOptions,
  verifyDelivery,
  verifyStandardWebhook,
} from './verify.ts';

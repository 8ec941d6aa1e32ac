export * from './api-key.ts';
export { type Authenticator, type AuthenticatorPorts, createAuthenticator } from './authenticate.ts';
export * from './company.ts';
export {
  type ClaimedKey,
  claimIdempotencyKey,
  type IdempotencyPorts,
  idempotency_keep_ms,
  isKept,
  keepAnswer,
  parseIdempotencyKey,
} from './idempotency.ts';
export { sandbox_keys } from './key-text.ts';
export * from './ports.ts';
export type { Principal } from './principal.ts';
export { requestSignature, type SignatureHeaders, type SignedParts, verifySignature } from './request-signature.ts';
export * from './resources.ts';
export { type Area, area_roles, companyOf, type Role, requireRole, roles } from './role.ts';
export { resealSigningSecrets } from './signing-secret.ts';

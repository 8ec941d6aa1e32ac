export * from './companies/company.ts';
export * from './companies/manage-companies.ts';
export * from './keys/api-key.ts';
export { sandbox_keys } from './keys/key-text.ts';
export * from './keys/manage-api-keys.ts';
export { type Area, area_roles, company_of_role, type Role, roles, rolesOf } from './keys/role.ts';
export { resealSigningSecrets } from './keys/signing-secret.ts';
export * from './ports.ts';
export {
  type Authenticator,
  type AuthenticatorPorts,
  createAuthenticator,
  TooManyLookUps,
} from './requests/authenticate.ts';
export {
  type ClaimedKey,
  claimIdempotencyKey,
  type IdempotencyPorts,
  idempotency_keep_ms,
  isKept,
  keepAnswer,
  parseIdempotencyKey,
  purgeIdempotencyKeys,
} from './requests/idempotency-key.ts';
export { companyOf, mayUse, type Principal, requireRole } from './requests/principal.ts';
export {
  type ExpectedSignature,
  expectSignature,
  type SignatureHeaders,
  type SignedHead,
  type SignedHeaders,
  type SignedParts,
  signRequest,
  verifySignature,
} from './requests/request-signature.ts';

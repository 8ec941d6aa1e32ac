export {
  type Company,
  type CompanyStatus,
  company_name_length_max,
  company_statuses,
  customer_number_length_max,
  type HoldDays,
  hold_days_max,
  rate_limit_max,
} from './companies/company.ts';
export * from './companies/manage-companies.ts';
export { type ApiKey, type Environment, environments, sandbox_keys } from './keys/api-key.ts';
export { createKeyUses, type KeyUses } from './keys/key-uses.ts';
export * from './keys/manage-api-keys.ts';
export * from './keys/role.ts';
export { resealSigningSecrets } from './keys/signing-secret.ts';
export { type ConsoleSession, session_absolute_ms, session_idle_ms } from './people/console-session.ts';
export * from './people/log-in.ts';
export {
  createPerson,
  endSessions,
  type GrantRequest,
  listPeople,
  type PersonChange,
  type PersonRequest,
  readPerson,
  refuseTakenHandle,
  refuseTakenSubject,
  updatePerson,
} from './people/manage-people.ts';
export * from './people/manage-sessions.ts';
export * from './people/open-portal.ts';
export {
  changeOwnPassword,
  person_password_length_max,
  person_password_length_min,
  resealTotpSecrets,
  resetTotp,
  type SetPasswordPorts,
  setPassword,
  type TotpSecret,
} from './people/password.ts';
export * from './people/person.ts';
export * from './people/person-role.ts';
export * from './people/portal-link.ts';
export { toBase32, totpCode, totpStepAt } from './people/totp.ts';
export * from './people/visitor.ts';
export * from './ports.ts';
export {
  type Authenticator,
  type AuthenticatorPorts,
  createAuthenticator,
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
  resealAnswers,
} from './requests/idempotency-key.ts';
export * from './requests/principal.ts';
export {
  type ExpectedSignature,
  expectSignature,
  type SignatureHeaders,
  type SignedHead,
  type SignedHeaders,
  type SignedParts,
  verifySignature,
} from './requests/request-signature.ts';

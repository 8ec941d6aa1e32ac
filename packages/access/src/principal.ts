import type { Environment } from './api-key.ts';
import type { Role } from './role.ts';

/** Who is calling. */
export interface Principal {
  /** `17`, or `sandbox:client` for the sandbox's fixed keys. Scopes idempotency keys and rate limits. */
  readonly key_id: string;
  readonly role: Role;
  readonly company_id: number | null;
  readonly environment: Environment;
  readonly signing_secret: string | null;
  readonly rate_limit_per_minute: number | null;
}

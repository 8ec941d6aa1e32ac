import type { AuditMac, Clock } from '@tallystick/kernel';

/** What a pass needs besides the database. */
export interface PassPorts {
  readonly clock: Clock;
  /** Hashes the audit entries of a pass. */
  readonly audit_mac: AuditMac;
}

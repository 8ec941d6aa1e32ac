import { createHmac } from 'node:crypto';

/** The hash of audit entries in tests without a vault. Its key is public. */
export function testAuditMac(text: string): string {
  return createHmac('sha256', 'test').update(text).digest('hex');
}

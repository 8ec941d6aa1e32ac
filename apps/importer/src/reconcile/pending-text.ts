import { type Approval, describeApproval } from '@tallystick/reconciliation';

/** What a command says when its act waits for a second person. */
export function describePending(found: Approval): string {
  return `Not done yet: ${describeApproval(found)} waits for a second person`;
}

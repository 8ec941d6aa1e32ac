import type { VirtualCard } from '@tallystick/cards';

/** The wrong codes of a card after a reset. */
export function presentCodeFailures({ id, company_id, last4 }: VirtualCard) {
  return {
    id: String(id),
    company_id,
    last4,
    code_failures: 0,
    type: 'code_failures' as const,
  };
}

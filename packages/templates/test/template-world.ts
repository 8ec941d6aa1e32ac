import type { Event } from '@tallystick/events';
import { fixedClock } from '@tallystick/kernel';
import { memoryPersistence } from '@tallystick/memory';

/** Storage in memory with companies 1 and 2, whose customer numbers are CN-1 and CN-2. */
export function templateWorld() {
  const { unitOfWork: unit_of_work, committed } = memoryPersistence({ clock: fixedClock('2026-11-21T10:30:00Z') });
  for (const id of [1, 2]) {
    const names = { id, name: `Company ${id}`, customer_number: `CN-${id}`, full_details_in_mail: false };
    const state = {
      hold_days: null,
      status: 'active',
      rate_limit_per_minute: null,
      four_eyes: null,
      endpoint_version: 0,
      created_at_ms: 0,
    } as const;
    committed().companies.set(id, { ...names, ...state });
  }
  return { unit_of_work, events: (): readonly Event[] => committed().events.values() };
}

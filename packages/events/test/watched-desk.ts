import { fixedClock } from '@tallystick/kernel';
import { memoryPersistence } from '@tallystick/memory';
import type { DeliveryDesk } from '../src/index.ts';

/** A delivery desk in memory that counts its claims, over tables that a test reads and fills. */
export function watchedDesk() {
  const { committed, delivery_desk } = memoryPersistence({ clock: fixedClock('2026-01-15T12:00:00Z') });
  const claim: DeliveryDesk['claim'] = (...claimed) => {
    desk.claims += 1;
    return delivery_desk.claim(...claimed);
  };
  const desk = {
    ...delivery_desk,
    claim,
    claims: 0,
    /** The committed rows. */
    get tables() {
      return committed();
    },
  };
  return desk;
}

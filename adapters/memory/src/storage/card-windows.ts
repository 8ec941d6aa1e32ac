import type { WindowKey } from '@tallystick/cards';

/** The key of a row of `card_windows`. */
export function windowKey({ card_id, window_start_ms }: WindowKey): string {
  return JSON.stringify([card_id, window_start_ms]);
}

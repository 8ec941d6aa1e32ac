/**
 * The advisory lock on Postgres that every transaction holds, shared, from before it draws ids of
 * events to its end (`event-index/event-writers.ts`). Any number below 2^31, the same in
 * all processes.
 */
export const event_writers_lock = 1_855_131_731;

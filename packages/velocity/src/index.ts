export * from './aging-hold.ts';
export { day_ms, utcDateAt, utcInstantAt, utcMonthStart } from './calendar.ts';
export * from './window.ts';

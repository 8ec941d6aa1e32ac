export * from './aging-hold.ts';
export { day_ms, daysAt, utcDateAt, utcInstantAt, utcMonthStart } from './calendar.ts';
export * from './window.ts';

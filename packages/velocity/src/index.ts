export * from './aging-hold.ts';
export * from './calendar.ts';
export * from './recurring.ts';
export * from './window.ts';

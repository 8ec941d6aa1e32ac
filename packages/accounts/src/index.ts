export * from './account.ts';
export * from './bai-codes.ts';
export * from './open-account.ts';
export * from './place-statement.ts';
export * from './ports.ts';
export * from './read-accounts.ts';
export * from './statement.ts';
export * from './statement-line.ts';

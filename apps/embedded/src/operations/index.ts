export type * from '@tallystick/operations/resources';
export type * from './call-options.ts';
export type * from './generated/methods.ts';
export type { List, ListPage } from './list.ts';
export type * from './logged-events.ts';
export type * from './operation-groups.ts';
export * from './refusals.ts';

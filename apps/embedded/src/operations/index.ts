export type * from './accounts.ts';
export type * from './bank.ts';
export type * from './call-options.ts';
export type * from './cards.ts';
export type * from './consents.ts';
export type * from './events.ts';
export type * from './file-content.ts';
export type * from './generated/resources.ts';
export type * from './imports.ts';
export type {
  CompanyFilter,
  DateFilter,
  FilteredListOptions,
  InstantFilter,
  List,
  ListOptions,
  ListPage,
  PageOptions,
  RangeFilter,
} from './list.ts';
export type * from './logged-events.ts';
export type * from './network.ts';
export type * from './operation-groups.ts';
export type * from './operator.ts';
export type * from './real-cards.ts';
export type * from './reconciliation.ts';
export type * from './reconciliation-items.ts';
export type * from './reconciliation-reports.ts';
export * from './refusals.ts';
export type * from './sandbox.ts';
export type * from './templates.ts';
export type * from './third-parties.ts';
export type * from './webhooks.ts';

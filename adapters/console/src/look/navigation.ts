import type { Results } from '@tallystick/operations';
import type { Section } from './icons.ts';

export interface NavigationEntry {
  readonly section: Section;
  readonly title: string;
  readonly path: string;
  /** Only who may call this operation sees the entry; null: everybody. */
  readonly needs: keyof Results | null;
  readonly only_sandbox?: boolean;
}

/** Pages of one company, below `/companies/<id>`. */
export const company_entries: readonly NavigationEntry[] = [
  { section: 'home', title: 'Home', path: '', needs: 'virtualCards.list' },
  { section: 'cards', title: 'Cards', path: '/cards', needs: 'virtualCards.list' },
  { section: 'breaks', title: 'Breaks', path: '/breaks', needs: 'reconciliation.items.list' },
  { section: 'bridge', title: 'Bridge', path: '/bridge', needs: 'reconciliation.bridge' },
  { section: 'periods', title: 'Periods', path: '/periods', needs: 'reconciliation.periods.list' },
  { section: 'approvals', title: 'Approvals', path: '/approvals', needs: 'reconciliation.approvals.list' },
  { section: 'webhooks', title: 'Webhooks', path: '/webhooks', needs: 'webhooks.list' },
  { section: 'events', title: 'Events', path: '/events', needs: 'events.list' },
  { section: 'sandbox', title: 'Try it', path: '/sandbox', needs: 'sandbox.purchases.create', only_sandbox: true },
  { section: 'settings', title: 'Settings', path: '/settings', needs: 'operator.companies.read' },
];

/** Pages about all companies, or about none. */
export const installation_entries: readonly NavigationEntry[] = [
  { section: 'overview', title: 'Overview', path: '/overview', needs: 'operator.companies.list' },
  { section: 'imports', title: 'Imports', path: '/imports', needs: 'operator.imports.list' },
  { section: 'quarantine', title: 'Quarantine', path: '/quarantine', needs: 'operator.quarantine.list' },
  { section: 'consents', title: 'Consents', path: '/consents', needs: 'bank.consents.read' },
  { section: 'third-parties', title: 'Third parties', path: '/third-parties', needs: 'operator.thirdParties.list' },
  { section: 'companies', title: 'Companies', path: '/companies', needs: 'operator.companies.list' },
  { section: 'people', title: 'People', path: '/people', needs: 'operator.people.list' },
  { section: 'keys', title: 'API keys', path: '/keys', needs: 'operator.keys.list' },
  { section: 'audit', title: 'Audit log', path: '/audit', needs: 'operator.audit.list' },
];

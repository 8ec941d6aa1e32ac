import type { Page } from 'playwright-core';

/** A page of the console, and how a person gets there. */
export interface ConsolePage {
  /** The name of its picture: `cards`. */
  readonly name: string;
  /** As the console registers it: `/companies/:company_id/cards/:id`. */
  readonly route: string;
  /** Where to begin: the page itself, unless links are followed from there. */
  readonly path: string;
  /** Forms of the links to follow, one after another. */
  readonly follow?: readonly RegExp[];
}

const company = '/companies/1';

/** Every page that a sandbox with examples shows to an administrator. */
export const console_pages: readonly ConsolePage[] = [
  { name: 'companies', route: '/companies', path: '/companies' },
  { name: 'account', route: '/account', path: '/account' },
  { name: 'people', route: '/people', path: '/people' },
  { name: 'person', route: '/people/:id', path: '/people/1' },
  { name: 'keys', route: '/keys', path: '/keys' },
  { name: 'key', route: '/keys/:id', path: '/keys/1' },
  { name: 'audit', route: '/audit', path: '/audit' },
  { name: 'audit-verification', route: '/audit/verify', path: '/audit/verify' },
  { name: 'consents', route: '/consents', path: '/consents' },
  {
    name: 'consent',
    route: '/consents/:consent_id',
    path: '/consents?user_id=alex',
    follow: [/\/consents\/[\w-]+$/],
  },
  { name: 'third-parties', route: '/third-parties', path: '/third-parties' },
  { name: 'third-party', route: '/third-parties/:id', path: '/third-parties/1' },
  { name: 'new-company', route: '/new-company', path: '/new-company' },
  { name: 'settings', route: '/companies/:company_id/settings', path: `${company}/settings` },
  { name: 'home', route: '/companies/:company_id', path: company },
  { name: 'search', route: '/companies/:company_id/search', path: `${company}/search?q=grocer` },
  { name: 'search-of-all', route: '/search', path: '/search?q=9.99' },
  { name: 'search-help', route: '/companies/:company_id/search', path: `${company}/search?q=` },
  { name: 'cards', route: '/companies/:company_id/cards', path: `${company}/cards` },
  { name: 'new-card', route: '/companies/:company_id/cards/new', path: `${company}/cards/new` },
  { name: 'card', route: '/companies/:company_id/cards/:id', path: `${company}/cards/1` },
  { name: 'limits', route: '/companies/:company_id/cards/:id/limits', path: `${company}/cards/1/limits` },
  {
    name: 'new-limits',
    route: '/companies/:company_id/cards/:id/limits/:backtest_id',
    path: `${company}/cards/1/limits/1`,
  },
  { name: 'card-number', route: '/companies/:company_id/cards/:id/number', path: `${company}/cards/1/number` },
  { name: 'cancel-card', route: '/companies/:company_id/cards/:id/cancel', path: `${company}/cards/1/cancel` },
  {
    name: 'decision',
    route: '/companies/:company_id/cards/:id/decisions/:authorization_id',
    path: `${company}/search?q=189.00`,
    follow: [/\/decisions\/\d+$/],
  },
  { name: 'breaks', route: '/companies/:company_id/breaks', path: `${company}/breaks` },
  { name: 'items', route: '/companies/:company_id/breaks', path: `${company}/breaks?status=any` },
  {
    name: 'item',
    route: '/companies/:company_id/items/:id',
    path: `${company}/breaks?kind=amount`,
    follow: [/\/items\/\d+$/],
  },
  { name: 'line', route: '/companies/:company_id/lines/:id', path: `${company}/lines/1` },
  { name: 'bridge', route: '/companies/:company_id/bridge', path: `${company}/bridge?from=&to=` },
  { name: 'periods', route: '/companies/:company_id/periods', path: `${company}/periods?closed_through=2999-01-01` },
  { name: 'approvals', route: '/companies/:company_id/approvals', path: `${company}/approvals` },
  {
    name: 'approval',
    route: '/companies/:company_id/approvals/:id',
    path: `${company}/approvals`,
    follow: [/\/approvals\/\d+$/],
  },
  { name: 'webhooks', route: '/companies/:company_id/webhooks', path: `${company}/webhooks` },
  { name: 'new-webhook', route: '/companies/:company_id/webhooks/new', path: `${company}/webhooks/new` },
  {
    name: 'webhook',
    route: '/companies/:company_id/webhooks/:id',
    path: `${company}/webhooks`,
    follow: [/\/webhooks\/\d+$/],
  },
  {
    name: 'edit-webhook',
    route: '/companies/:company_id/webhooks/:id/edit',
    path: `${company}/webhooks`,
    follow: [/\/webhooks\/\d+$/, /\/edit$/],
  },
  {
    name: 'rotate-secret',
    route: '/companies/:company_id/webhooks/:id/rotate',
    path: `${company}/webhooks`,
    follow: [/\/webhooks\/\d+$/, /\/rotate$/],
  },
  {
    name: 'delete-webhook',
    route: '/companies/:company_id/webhooks/:id/delete',
    path: `${company}/webhooks`,
    follow: [/\/webhooks\/\d+$/, /\/delete$/],
  },
  {
    name: 'delivery',
    route: '/companies/:company_id/webhooks/:id/deliveries/:delivery_id',
    path: `${company}/webhooks`,
    follow: [/\/webhooks\/\d+$/, /\/deliveries\/\d+$/],
  },
  {
    name: 'decision-endpoint',
    route: '/companies/:company_id/decision-endpoint',
    path: `${company}/webhooks`,
    follow: [/\/decision-endpoint$/],
  },
  { name: 'events', route: '/companies/:company_id/events', path: `${company}/events` },
  {
    name: 'event',
    route: '/companies/:company_id/events/:id',
    path: `${company}/events`,
    follow: [/\/events\/\d+$/],
  },
  { name: 'portal-link', route: '/companies/:company_id/portal-link', path: `${company}/portal-link` },
  { name: 'overview', route: '/overview', path: '/overview' },
  { name: 'imports', route: '/imports', path: '/imports' },
  { name: 'import', route: '/imports/:id', path: '/imports', follow: [/\/imports\/\d+$/] },
  { name: 'statements', route: '/imports/:id/statements', path: '/imports/1/statements' },
  { name: 'quarantine-of-import', route: '/imports/:id/quarantine', path: '/imports/1/quarantine' },
  { name: 'quarantine', route: '/quarantine', path: '/quarantine' },
  { name: 'quarantined', route: '/quarantine/:id', path: '/quarantine', follow: [/\/quarantine\/\d+$/] },
  { name: 'sandbox', route: '/companies/:company_id/sandbox', path: `${company}/sandbox` },
  {
    name: 'mail',
    route: '/companies/:company_id/sandbox/mails/:id',
    path: `${company}/sandbox`,
    follow: [/\/sandbox\/mails\/\d+$/],
  },
];

/** Opens the page. Returns the status and the bytes of its answer. */
export async function openPage(
  page: Page,
  console_url: string,
  { path, follow = [] }: ConsolePage,
): Promise<{ readonly status: number; readonly bytes: number }> {
  let response = await page.goto(console_url + path);
  for (const form of follow) {
    // The search leads to what it finds alone.
    if (form.test(new URL(page.url()).pathname)) continue;
    const addresses = await page.locator('main a[href]').evaluateAll((links) => links.map(({ href }) => href));
    const address = addresses.find((one) => form.test(new URL(one).pathname));
    if (address === undefined) throw new Error(`${page.url()} has no link to ${form}`);
    response = await page.goto(address);
  }
  if (response === null) throw new Error(`${path} has no answer`);
  return { status: response.status(), bytes: (await response.body()).length };
}

import type { ConsoleApp } from '../console-app.ts';
import { html } from '../look/html.ts';
import { link, pager, table } from '../look/parts.ts';
import { badge, foreign, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';

/** The companies, and where a visitor begins. */
export function companiesPages(app: ConsoleApp): void {
  app.get('/', async (c) => {
    const { visit } = c.var;
    const to = await firstPage(visit);
    return c.redirect(visit.rootPath(to), 303);
  });

  app.get('/companies', async (c) => {
    const { visit } = c.var;
    const { items, next } = await visit.call('operator.companies.list', { options: visit.paged() });
    return await visit.page({
      title: 'Companies',
      nav: 'companies',
      beside: visit.may('operator.companies.create')
        ? html`<a class="button" href="${visit.rootPath('/new-company')}">Create a company</a>`
        : undefined,
      content: html`${table({
        caption: 'Companies, newest first',
        columns: [
          { title: 'Company', cell: ({ id, name }) => link(visit.rootPath(`/companies/${id}`), foreign(name)) },
          { title: 'Number', cell: ({ customer_number }) => foreign(customer_number) },
          { title: 'Status', cell: ({ status }) => badge(status, status === 'active' ? 'ok' : 'quiet') },
          { title: 'Since', cell: ({ created_at }) => instant(created_at) },
        ],
        rows: items,
        empty: 'There is no company yet.',
      })}${pager(visit, visit.rootPath('/companies'), next)}`,
    });
  });
}

/** The company of a visitor who has one, else the overview of all. */
async function firstPage(visit: Visit): Promise<string> {
  const { grants } = visit.identity;
  const [first] = grants;
  if (grants.some(({ company_id }) => company_id === null)) {
    const { items } = await visit.call('operator.companies.list', { options: { limit: 2 } });
    return items.length === 1 ? `/companies/${items[0]!.id}` : '/overview';
  }
  return first?.company_id === undefined ? '/companies' : `/companies/${first.company_id}`;
}

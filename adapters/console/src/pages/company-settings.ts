import { company_statuses, hold_days_max, rate_limit_max } from '@tallystick/access';
import { invalid, isCurrency, Refusal } from '@tallystick/kernel';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf, wholeOf } from '../form.ts';
import { html, when } from '../look/html.ts';
import { choice, facts, field, panel } from '../look/parts.ts';
import { amountText, readTypedAmount } from '../look/typed-amount.ts';
import { foreign, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';

/** Creating a company, and what the operator sets of one. */
export function companySettingsPages(app: ConsoleApp): void {
  app.get('/new-company', (c) => showNew(c.var.visit));
  app.get('/companies/:company_id/settings', (c) => showSettings(c.var.visit));

  addForm(app, '/new-company', showNew, async (visit, form) => {
    const data = { name: textOf(form, 'name'), customer_number: textOf(form, 'customer_number') };
    const { id, name } = await visit.call('operator.companies.create', { data });
    const notice = `${name} was created. It needs a real card and a key.`;
    return { to: visit.rootPath(`/companies/${id}/settings`), notice };
  });

  addForm(app, '/companies/:company_id/settings', showSettings, async (visit, form) => {
    const data = {
      name: textOf(form, 'name'),
      status: textOf(form, 'status'),
      hold_days: wholeOf(form, 'hold_days'),
      full_details_in_mail: textOf(form, 'full_details_in_mail') === 'yes',
      rate_limit_per_minute: wholeOf(form, 'rate_limit_per_minute'),
      four_eyes: textOf(form, 'four_eyes') === 'on' ? { above: amountsOf(textOf(form, 'above')) } : null,
    };
    visit.refuseStale(form, await readCompany(visit));
    await visit.call('operator.companies.update', { parameters: { id: String(visit.company_id) }, data });
    return { to: visit.path('/settings'), notice: 'The settings are saved.' };
  });
}

function readCompany(visit: Visit) {
  return visit.call('operator.companies.read', { parameters: { id: String(visit.company_id) } });
}

async function showNew(visit: Visit): Promise<Response> {
  if (!visit.may('operator.companies.create')) {
    throw new Refusal('forbidden', 'you may not create companies; ask an administrator');
  }
  return await visit.page({
    title: 'Create a company',
    nav: 'companies',
    trail: [],
    content: panel(
      'Company',
      html`<form method="post" action="${visit.rootPath('/new-company')}">${visit.csrf}
${field({ ...visit.typed('name'), label: 'Name', maxlength: 255, required: true })}
${field({ ...visit.typed('customer_number'), label: 'Customer number', hint: 'The bank’s own number of it. No other company has it, and it never changes.', maxlength: 64, required: true })}
<button>Create</button></form>`,
    ),
  });
}

async function showSettings(visit: Visit): Promise<Response> {
  const company = await readCompany(visit);
  return await visit.page({
    title: 'Settings',
    nav: 'settings',
    content: html`${panel(
      'Company',
      facts([
        ['Name', foreign(company.name)],
        ['Customer number', foreign(company.customer_number)],
        ['Created', instant(company.created_at)],
        ['Keys', html`<a href="${visit.rootPath(`/keys?company_id=${company.id}`)}">its API keys</a>`],
      ]),
    )}${when(visit.may('operator.companies.update'), () =>
      panel(
        'Change',
        html`<form method="post" action="${visit.path('/settings')}">${visit.changing(company)}
${field({ ...visit.typed('name', company.name), label: 'Name', maxlength: 255, required: true })}
${choice({ ...visit.typed('status', company.status), label: 'Status', hint: 'While it is closed its keys are refused and its cards decline.', of: company_statuses.map((status) => [status, status] as const) })}
${field({ ...visit.typed('hold_days', company.hold_days), label: 'Holds end after', hint: `Days, 1 to ${hold_days_max}, or never; empty: the default. It counts for later holds.`, maxlength: 5 })}
${choice({
  ...visit.typed('full_details_in_mail', company.full_details_in_mail ? 'yes' : 'no'),
  label: 'Mails about its cards',
  of: [
    ['no', 'only a link that shows the number once'],
    ['yes', 'number and code in the mail, beside the link'],
  ],
})}
${field({ ...visit.typed('rate_limit_per_minute', company.rate_limit_per_minute), label: 'Requests per minute', hint: `Of all its keys together, 1 to ${rate_limit_max}; empty: no common limit.`, inputmode: 'numeric', maxlength: 7 })}
${choice({
  ...visit.typed('four_eyes', company.four_eyes === null ? 'off' : 'on'),
  label: 'Four eyes',
  hint: 'A second person approves large acts in its reconciliation, and closing and reopening a period.',
  of: [
    ['off', 'one person decides'],
    ['on', 'a second person approves'],
  ],
})}
${field({ ...visit.typed('above', shownAmounts(company.four_eyes?.above ?? {})), label: 'One person decides up to', hint: 'For each currency, for example 500.00 EUR; 600.00 USD. In a currency without an amount each act needs two.', maxlength: 500 })}
<button>Save</button></form>`,
      ),
    )}`,
  });
}

function shownAmounts(above: Readonly<Record<string, number>>): string {
  return Object.entries(above)
    .map(([currency, amount]) => `${amountText(amount, currency)} ${currency}`)
    .join('; ');
}

/** Reads `500.00 EUR; 600.00 USD`. Refuses (`validation_failed`) what is not an amount with its currency. */
function amountsOf(text: string): Readonly<Record<string, number>> {
  const parts = text.split(';').map((part) => part.trim());
  const amounts = new Map<string, number>();
  for (const part of parts.filter((one) => one !== '')) {
    const currency = part.slice(-3).toUpperCase();
    if (!isCurrency(currency) || amounts.has(currency)) {
      throw invalid({
        path: 'above',
        message: 'must be one amount for each currency, such as 500.00 EUR; 600.00 USD',
      });
    }
    amounts.set(currency, readTypedAmount(part, 'above', currency));
  }
  return Object.fromEntries(amounts);
}

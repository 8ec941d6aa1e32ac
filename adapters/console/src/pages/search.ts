import { maskCardNumbers } from '@tallystick/kernel';
import type { ConsoleApp } from '../console-app.ts';
import { type Content, html } from '../look/html.ts';
import { panel } from '../look/parts.ts';
import { type Kind, parseSearch } from '../search/parse-search.ts';
import { directHit, type Found, search } from '../search/search.ts';
import type { Visit } from '../visit.ts';

/** The search of every page. What a text names is shown at once; else what it may mean, by kind. */
export function searchPages(app: ConsoleApp): void {
  app.get('/companies/:company_id/search', async (c) => {
    const { visit } = c.var;
    const typed = c.req.query('q') ?? '';
    const reading = parseSearch(typed);
    if (reading === null) return await visit.page({ title: 'Search', content: help() });
    // The number of a card is not searched for, and stays in no address.
    if (reading.is_masked) return c.redirect(visit.path(`/search?q=${encodeURIComponent(reading.text)}`), 303);
    const found = await search(visit, reading);
    const hit = directHit(reading, found);
    if (hit !== null) return c.redirect(hit.to, 303);
    return await visit.page({ title: `Search: ${reading.text}`, content: results(found) });
  });

  app.get('/search', async (c) => {
    const { visit } = c.var;
    const q = encodeURIComponent(maskCardNumbers(c.req.query('q') ?? ''));
    const company_ids = await companiesOf(visit);
    if (company_ids.length === 1) return c.redirect(visit.rootPath(`/companies/${company_ids[0]}/search?q=${q}`), 303);
    const content = html`<p>In which company?</p><ul>${company_ids.map(
      (id) => html`<li><a href="${visit.rootPath(`/companies/${id}/search?q=${q}`)}">Company ${id}</a></li>`,
    )}</ul>`;
    return await visit.page({ title: 'Search', content });
  });
}

/** The companies in which a visitor may search; of all, the newest. */
async function companiesOf(visit: Visit): Promise<readonly (number | string)[]> {
  if (!visit.may('operator.companies.list', null)) {
    return [...new Set(visit.identity.grants.flatMap(({ company_id }) => company_id ?? []))];
  }
  return (await visit.call('operator.companies.list', { options: { limit: 50 } })).items.map(({ id }) => id);
}

const titles: Readonly<Record<Kind, string>> = {
  card: 'Cards',
  authorization: 'Authorizations',
  clearing: 'Clearings',
  item: 'Breaks and other items',
  line: 'Lines of bank statements',
  webhook: 'Webhooks',
  import: 'Imported files',
  consent: 'Consents',
};

function results(found: readonly Found[]): Content {
  if (found.length === 0)
    return html`<p class="empty">Nothing was found. Try less of it: part of the name of the merchant, or only the exact amount.</p>${help()}`;
  const groups = Map.groupBy(found, ({ kind }) => kind);
  return html`${[...groups].map(([kind, items]) =>
    panel(
      titles[kind],
      html`<ul class="found">${items.map(
        ({ to, name, facts }) =>
          html`<li><a href="${to}">${name}</a><span class="quiet">${facts
            .filter((fact) => fact !== '' && fact !== null)
            .map((fact, at) => html`${at === 0 ? '' : ' · '}${fact}`)}</span></li>`,
      )}</ul>`,
    ),
  )}`;
}

function help(): Content {
  const examples = [
    ['4711', 'the last four digits of a card, an id, or an amount'],
    ['120.00 EUR', 'an authorization, a clearing, a break or a line of a statement with this amount'],
    ['12.50 at Shell', 'the same at a merchant with this in its name'],
    ['Shell', 'a merchant with this in its name, or a bank line with this text'],
    ['order: PO-7', 'a card with this metadata; the value alone finds it, too'],
    ['A1B2C3', 'an approval code; also a reference of the network, the acquirer or the bank'],
    ['declined F', 'the newest declines of this reason; without a letter of any'],
    [
      'webhook 7',
      'one thing by its id: card, authorization, clearing, item, line, webhook, import; also a ConsentId or a user of the bank',
    ],
  ] as const;
  return panel(
    'What can be found',
    html`<dl class="facts">${examples.map(([text, meaning]) => html`<div><dt><code>${text}</code></dt><dd>${meaning}</dd></div>`)}</dl>`,
  );
}

import { Refusal } from '@tallystick/kernel';
import type { PortalLink } from '@tallystick/operations/resources';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { type Content, html } from '../look/html.ts';
import { choice, facts, panel, tick } from '../look/parts.ts';
import { badge, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';

/** A link with which the company itself looks at its webhooks. */
export function portalPages(app: ConsoleApp): void {
  app.get('/companies/:company_id/portal-link', (c) => askPage(c.var.visit));

  // The answer is the page with the link, which no redirect may carry.
  addForm(app, '/companies/:company_id/portal-link', askPage, async (visit, form) => {
    const data = { read_only: form.has('read_only'), expires_in_s: Number(form.get('expires_in_s')) };
    return await linkPage(visit, await visit.call('portalLinks.create', { data }));
  });
}

async function askPage(visit: Visit): Promise<Response> {
  if (!visit.may('portalLinks.create')) throw new Refusal('forbidden', 'you may not make portal links');
  // Nobody passes on what they may not do themselves.
  const may_pass_on = visit.may('webhooks.update');
  const read_only: Content = may_pass_on
    ? tick('read_only', 'Only read: nothing can be changed or sent', { checked: true })
    : html`<input type="hidden" name="read_only" value="on"><p>Its visit only reads.</p>`;
  return await visit.page({
    title: 'Portal link',
    nav: 'webhooks',
    trail: [],
    content: panel(
      'Who gets it',
      html`<p>A link shows the company its own webhooks, deliveries and events, and nothing else. Whoever opens it first has the visit, for an hour.</p>
<form method="post" action="${visit.path('/portal-link')}">${visit.csrf}${read_only}${choice({
        ...visit.typed('expires_in_s', 300),
        label: 'To be opened within',
        of: [
          ['60', '1 minute'],
          ['300', '5 minutes'],
          ['3600', '1 hour'],
        ],
      })}<button>Create the link</button></form>`,
    ),
  });
}

async function linkPage(visit: Visit, link: PortalLink): Promise<Response> {
  return await visit.page({
    title: 'Portal link',
    nav: 'webhooks',
    trail: [],
    content: panel(
      'Copy it now',
      html`<p class="warning">It opens once. This page shows it only now.</p>${facts([
        ['Link', html`<code>${link.url}</code>`],
        ['It may', link.read_only ? badge('only read') : badge('read and change webhooks', 'warn')],
        ['Open it before', instant(link.expires_at)],
      ])}<p><a class="button" href="${link.url}" target="_blank" rel="noopener noreferrer">Open in a new tab</a></p>`,
    ),
  });
}

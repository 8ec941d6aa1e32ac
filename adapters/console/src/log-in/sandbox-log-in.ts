import { createHmac, timingSafeEqual } from 'node:crypto';
import { type PersonRole, person_roles } from '@tallystick/access';
import type { Random } from '@tallystick/kernel';
import { html } from '../look/html.ts';
import { renderDocument } from '../look/layout.ts';
import type { Identity, LogIn, RequestFacts } from '../ports.ts';

const cookie_name = 'tallystick_console';

const abouts: Readonly<Record<PersonRole, string>> = {
  viewer: 'reads everything and changes nothing',
  support: 'helps cardholders: freezes cards, changes limits, explains declines',
  risk: 'controls limits and merchants, and tries them on the past',
  finance: 'works through breaks, closes the month, brings in files',
  admin: 'does all of it, and manages people, keys and companies',
};

/** The log-in of a sandbox: one click for each role. */
export function sandboxLogIn(
  random: Pick<Random, 'bytes'>,
): LogIn & { identify(request: Request): Promise<Identity | null> } {
  const key = random.bytes(32);
  const sign = (role: string): string => createHmac('sha256', key).update(role).digest('base64url');
  const cookie = (facts: RequestFacts, value: string, max_age_s: number): string =>
    `${cookie_name}=${value}; Path=${facts.base || '/'}; HttpOnly; SameSite=Lax; Max-Age=${max_age_s}`;

  return {
    async identify(request) {
      const sent = new RegExp(`(?:^|;\\s*)${cookie_name}=([a-z]+)\\.([\\w-]+)`).exec(
        request.headers.get('cookie') ?? '',
      );
      const role = person_roles.find((one) => one === sent?.[1]);
      if (role === undefined) return null;
      const [own, other] = [Buffer.from(sign(role)), Buffer.from(sent?.[2] ?? '')];
      if (own.length !== other.length || !timingSafeEqual(own, other)) return null;
      const grants = [{ role, company_id: null }];
      return { actor: `person:${role}`, name: `Sandbox ${role}`, grants, secret: sign(role) };
    },
    async answer(request, facts) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === '/log-out') {
        return leadTo(`${facts.base}/log-in`, cookie(facts, '', 0));
      }
      const form = request.method === 'POST' ? await request.formData() : null;
      const role = person_roles.find((one) => one === form?.get('role'));
      if (role !== undefined) {
        return leadTo(facts.base + backOf(form?.get('back')), cookie(facts, `${role}.${sign(role)}`, 12 * 3_600));
      }
      const body = html`<main id="main" class="log-in"><h1>Tallystick console</h1>
<p>This is a sandbox: choose who you are.</p>
<form method="post" action="${facts.base}/log-in"><input type="hidden" name="back" value="${backOf(searchParams.get('back'))}">
<ul class="choices">${person_roles.map(
        (one) =>
          html`<li><button name="role" value="${one}"><strong>${one}</strong> <span>${abouts[one]}</span></button></li>`,
      )}</ul></form></main>`;
      return new Response(await renderDocument(facts.base, { title: 'Log in', body }), {
        headers: { 'Content-Type': 'text/html; charset=utf-8' },
      });
    },
  };
}

function leadTo(location: string, set_cookie: string): Response {
  return new Response(null, { status: 303, headers: { Location: location, 'Set-Cookie': set_cookie } });
}

/** A path of the console, and of nothing else. */
function backOf(text: unknown): string {
  return typeof text === 'string' && /^\/(?!\/)[^\\\s]*$/.test(text) ? text : '/';
}

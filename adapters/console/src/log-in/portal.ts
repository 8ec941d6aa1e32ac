import {
  endPortalVisit,
  findPortalVisit,
  isPortalLinkOpen,
  openPortalLink,
  type PeopleTx,
  type PortalVisit,
} from '@tallystick/access';
import type { AuditLog, Clock, Random, Sha256, UnitOfWork } from '@tallystick/kernel';
import { readFields, textOf } from '../form.ts';
import { isAutomatic } from '../live/automatic.ts';
import { html } from '../look/html.ts';
import { narrowPage } from '../look/layout.ts';
import type { PortalDoor, RequestFacts } from '../ports.ts';
import { cookie, leadTo, readCookie, sessionCookie } from './cookie.ts';

export interface PortalPorts {
  readonly unitOfWork: UnitOfWork<PeopleTx & { readonly audit: AuditLog }>;
  readonly random: Pick<Random, 'bytes'>;
  readonly sha256: Sha256;
  /** Service time, by which links expire. */
  readonly clock: Clock;
  /** Machine time, by which visits end. */
  readonly machine: Clock;
}

const cookie_name = 'portal';

/**
 * The visits by portal links, below `/portal`. They have a cookie of their own, so that a person who
 * opens a link in the same browser stays logged in elsewhere.
 */
export function portalDoor(ports: PortalPorts): PortalDoor {
  const { unitOfWork, clock, machine } = ports;

  async function find(
    request: Request,
    facts: RequestFacts,
  ): Promise<(PortalVisit & { readonly token: string }) | null> {
    const { transaction } = facts;
    const token = readCookie(request, facts, cookie_name);
    if (token === null) return null;
    const machine_ms = machine.nowMs();
    const work = (tx: PeopleTx) => findPortalVisit(tx, ports, token, machine_ms);
    const visit = await transaction(() => unitOfWork.read(work));
    if (visit?.is_unseen === true && !isAutomatic(request)) {
      await transaction(() => unitOfWork.run((tx) => tx.console_sessions.touch(visit.session_id, machine_ms)));
    }
    return visit === null ? null : { ...visit, token };
  }

  async function open(request: Request, facts: RequestFacts): Promise<Response> {
    const code = textOf(await readFields(request), 'code');
    // Whoever pastes the whole address means what is behind the #.
    const token = code.slice(code.lastIndexOf('#') + 1);
    const now_ms = clock.nowMs();
    const is_open = await facts.transaction(() => unitOfWork.read((tx) => isPortalLinkOpen(tx, ports, token, now_ms)));
    const { request_id, source_address } = facts;
    const caller = { token, request_id, source_address, now_ms, machine_ms: machine.nowMs() };
    const begun = is_open
      ? await facts.transaction(() => unitOfWork.run((tx) => openPortalLink(tx, ports, caller)))
      : null;
    if (begun === null) return await closedPage(facts);
    return leadTo(`${facts.base}/portal/webhooks`, sessionCookie(facts, cookie_name, begun, 'Strict'));
  }

  return {
    async identify(request, facts) {
      const visit = await find(request, facts);
      if (visit === null) return null;
      const { link, visitor, token } = visit;
      return { ...visitor, name: `Company ${link.company_id}`, secret: token, portal_of: link.company_id };
    },

    async answer(request, facts) {
      const { pathname } = new URL(request.url);
      if (pathname === '/portal') {
        return request.method === 'POST' ? await open(request, facts) : await openingPage(facts);
      }
      const visit = await find(request, facts);
      const { request_id, source_address } = facts;
      const caller = { request_id, source_address, now_ms: clock.nowMs() };
      if (visit !== null) await facts.transaction(() => unitOfWork.run((tx) => endPortalVisit(tx, visit, caller)));
      const answer = await narrowPage(facts, 200, 'The visit has ended', html`<p>You can close this tab.</p>`);
      answer.headers.append('Set-Cookie', cookie(facts, cookie_name, '', 0, 'Strict'));
      return answer;
    },

    nobody: (facts) => closedPage(facts),
  };
}

/** The script sends the secret behind the # of the address. Without a script it is pasted. */
function openingPage(facts: RequestFacts): Promise<Response> {
  return narrowPage(
    facts,
    200,
    'Open your webhooks',
    html`<form method="post" action="${facts.base}/portal" id="portal-code"><div class="field"><label for="field-code">The code of your link</label>
<p class="hint" id="hint-code">What is behind the # in the address of this page. It works once.</p>
<input id="field-code" name="code" aria-describedby="hint-code" autocomplete="off" spellcheck="false" maxlength="2000" required></div><button>Open</button></form>`,
  );
}

function closedPage(facts: RequestFacts): Promise<Response> {
  return narrowPage(
    facts,
    410,
    'This visit is over',
    html`<p>A link works once and for a short time, and a visit ends after an hour, or after half an hour without a page. Ask for a new link where you got this one.</p>`,
  );
}

import type { ConsoleApp } from '../console-app.ts';
import type { Live } from '../live/live.ts';

/** What is new in a company, for pages that are open. */
export function livePages(app: ConsoleApp, live: Live): void {
  app.get('/companies/:company_id/live', async (c) => {
    const { visit } = c.var;
    const { company_id, identity, facts, ports } = visit;
    if (company_id === null) return c.notFound();
    // Whoever may read the events of the company may know that there are new ones.
    const { items } = await visit.call('events.list', { options: { limit: 50 } });
    const events = items.map(({ id, event_type, payload }) => ({
      id: Number(id),
      company_id,
      event_type,
      payload: { ...payload },
    }));
    const heard = Number(c.req.header('last-event-id') ?? c.req.query('after') ?? Number.NaN);
    const missed = events.filter(({ id }) => id > heard).toReversed();
    const known = { newest_id: events[0]?.id ?? 0, missed };
    // 204: the browser does not ask again by itself.
    const is_host = ports.log_in === undefined && identity.portal_of === undefined;
    const session = is_host ? null : identity.secret;
    const listening = { visitor: identity.actor, session, company_id, isGone: facts.isGone };
    const answer = live.open(listening, known) ?? new Response(null, { status: 204 });
    facts.leavePlace();
    return answer;
  });
}

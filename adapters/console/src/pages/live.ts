import type { ConsoleApp } from '../console-app.ts';
import type { Live } from '../live/live.ts';

/** What is new in a company, for pages that are open. */
export function livePages(app: ConsoleApp, live: Live): void {
  app.get('/companies/:company_id/live', async (c) => {
    const { visit } = c.var;
    const { company_id, identity, facts, ports } = visit;
    if (company_id === null) return c.notFound();
    // A host decides itself who is logged in.
    const is_host = ports.log_in === undefined && identity.portal_of === undefined;
    const session = is_host ? null : identity.secret;
    const opened = live.open({ visitor: identity.actor, session, company_id, isGone: facts.isGone });
    // The browser does not ask again by itself.
    if (opened === null) return c.body(null, 204);
    try {
      // Whoever may read the events of the company may know that there are new ones.
      const { items } = await visit.call('events.list', { options: { limit: 50 } });
      const events = items.map(({ id, event_type, payload }) => ({
        id: Number(id),
        company_id,
        event_type,
        payload: { ...payload },
      }));
      const heard = Number(c.req.header('last-event-id') ?? c.req.query('after') ?? Number.NaN);
      opened.begin({
        newest_id: events[0]?.id ?? 0,
        missed: events.filter(({ id }) => id > heard).toReversed(),
      });
    } catch (error) {
      opened.end();
      throw error;
    }
    facts.leavePlace();
    return opened.answer;
  });
}

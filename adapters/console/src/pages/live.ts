import type { ConsoleApp } from '../console-app.ts';
import type { Live } from '../live/live.ts';

/** What is new in a company, for pages that are open. */
export function livePages(app: ConsoleApp, live: Live): void {
  app.get('/companies/:company_id/live', async (c) => {
    const { visit } = c.var;
    const { company_id } = visit;
    if (company_id === null) return c.notFound();
    // Whoever may read the events of the company may know that there are new ones.
    await visit.call('events.list', { options: { limit: 1 } });
    // 204: the browser does not ask again.
    const answer =
      live.open(visit.identity.actor, company_id, visit.facts.isGone) ?? new Response(null, { status: 204 });
    visit.facts.leavePlace();
    return answer;
  });
}

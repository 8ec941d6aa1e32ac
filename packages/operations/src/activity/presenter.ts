import { type ActivityHour, consultation_outcomes, decline_codes } from '@tallystick/cards';
import { type Backlog, toInstantText } from '@tallystick/kernel';
import { bucketOf, type SummaryCell } from '@tallystick/reconciliation';

export function presentActivity(company_id: number | null, hours: readonly ActivityHour[]) {
  return { company_id, hours: hours.map(presentHour), type: 'activity' as const };
}

function presentHour({ at_ms, counts }: ActivityHour) {
  const of = <Name extends Parameters<typeof counts.get>[0]>(names: readonly Name[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const count = counts.get(name);
        return count === undefined ? [] : [[name, count] as const];
      }),
    ) as Partial<Record<Name, number>>;
  return {
    at: toInstantText(at_ms),
    approved: counts.get('V') ?? 0,
    declined: of(decline_codes),
    asked: of(consultation_outcomes),
  };
}

export function presentBacklog(counted: Backlog, cells: readonly SummaryCell[], now_ms: number) {
  const breaks_by_age: Partial<Record<ReturnType<typeof bucketOf>, number>> = {};
  for (const { status, due_date, count } of cells) {
    if (status !== 'break' || due_date === null) continue;
    const age = bucketOf(due_date, now_ms);
    breaks_by_age[age] = (breaks_by_age[age] ?? 0) + count;
  }
  return { ...counted, breaks_by_age, type: 'backlog' as const };
}

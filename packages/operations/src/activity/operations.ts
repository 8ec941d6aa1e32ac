import { type Activity, all_companies, readActivity } from '@tallystick/cards';
import { companyCall, type Operation, operation } from '../operation.ts';
import { presentActivity, presentBacklog } from './presenter.ts';
import { activity, activity_hours, backlog, backlog_max } from './shapes.ts';

export interface ActivityOperationPorts {
  /** What this process has counted. */
  readonly activity: Pick<Activity, 'store'>;
}

const stores_first = 'it first stores what the process has counted, in a transaction of its own';

const counted =
  'Repeats, advices and reversals are not counted. Counts of other processes are a few seconds old, and a process that dies loses those of its last seconds.';

/** `/v1/activity`, `/operator/v1/{activity,backlog}`: what happens, in numbers. */
export function activityOperations(ports: ActivityOperationPorts): readonly Operation[] {
  return [
    operation('virtualcards', {
      id: 'activity.read',
      method: 'company.activity',
      summary: 'Count the requests with the cards of the company by hour and outcome',
      description: counted,
      runs_alone: stores_first,
      answer: activity,
      before: () => ports.activity.store(),
      async read(tx, call) {
        const { company_id } = companyCall(call);
        return presentActivity(company_id, await readActivity(tx, company_id, activity_hours, call.now_ms));
      },
    }),
    operation('oversight', {
      id: 'operator.activity.read',
      method: 'operator.activity',
      summary: 'Count the requests of all companies by hour and outcome',
      description: counted,
      runs_alone: stores_first,
      answer: activity,
      before: () => ports.activity.store(),
      async read(tx, { now_ms }) {
        return presentActivity(null, await readActivity(tx, all_companies, activity_hours, now_ms));
      },
    }),
    operation('oversight', {
      id: 'operator.backlog.read',
      method: 'operator.backlog',
      summary: 'Count what waits in all companies for the service or for a person',
      answer: backlog,
      async read(tx, { now_ms }) {
        const waiting = await tx.backlog.count(now_ms, backlog_max);
        return presentBacklog(waiting, await tx.reconciliation.allCells(), now_ms);
      },
    }),
  ];
}

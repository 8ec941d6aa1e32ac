import { type BacklogName, backlog_names } from '@tallystick/kernel';
import * as z from 'zod';
import { consultation_outcome } from '../decision-endpoint/consultation-shapes.ts';
import { id_number, resourceType, type ShapeOf, shown_instant } from '../fields.ts';
import { decline_code } from '../network/shapes.ts';
import { break_age } from '../reconciliation/shapes.ts';
import type { presentActivity, presentBacklog } from './presenter.ts';

/** How many hours the activity shows: a day, and the day before it. */
export const activity_hours = 48;

/** The most of each kind that the backlog counts. */
export const backlog_max = 1_000;

const count = z.int().min(0);

const activity_hour = z
  .object({
    at: shown_instant.describe('When the hour began, UTC'),
    approved: count.describe('Requests that were approved'),
    declined: z
      .partialRecord(decline_code, count)
      .describe('Requests that were declined, by `decline_reason`. U: because of a fault or too much load'),
    asked: z
      .partialRecord(consultation_outcome, count)
      .describe('Questions to the decision endpoint, by how they ended: `answered`, `timeout` and others'),
  })
  .meta({ id: 'ActivityHour', description: 'What the requests of one hour came to' });

export const activity = z
  .object({
    company_id: id_number.nullable().describe('The company; null: all companies, and requests of no known card'),
    hours: z
      .array(activity_hour)
      .length(activity_hours)
      .describe(`The last ${activity_hours} hours of the UTC clock, the present one last`),
    type: resourceType('activity'),
  } satisfies ShapeOf<ReturnType<typeof presentActivity>>)
  .meta({ id: 'Activity', description: 'Requests that were approved, declined and left undecided, by hour' });

const bounded = count.max(backlog_max);

const meanings: Readonly<Record<BacklogName, string>> = {
  deliveries_due: 'Deliveries to active webhooks that are due',
  events_unrelayed: 'Events from which no delivery was made yet',
  mails_due: 'Mails that are due',
  mails_failed: 'Mails that failed, until they are sent again',
  audit_entries_unsealed: 'Audit entries that are not in the chain yet',
  webhooks_failing: 'Webhooks that are failing',
  imports_held: 'Files of which nothing is applied until a person releases them',
  imports_in_part: 'Files with records in quarantine, or with held statements',
  quarantine_open: 'Clearings in quarantine',
};

const counts = Object.fromEntries(backlog_names.map((name) => [name, bounded.describe(meanings[name])])) as Record<
  BacklogName,
  typeof bounded
>;

export const backlog = z
  .object({
    ...counts,
    breaks_by_age: z.partialRecord(break_age, count).describe('Breaks, by the days since their due date'),
    type: resourceType('backlog'),
  } satisfies ShapeOf<ReturnType<typeof presentBacklog>>)
  .meta({
    id: 'Backlog',
    description: `What waits in all companies. Of everything but breaks at most ${backlog_max} are counted; ${backlog_max}: so many or more`,
  });

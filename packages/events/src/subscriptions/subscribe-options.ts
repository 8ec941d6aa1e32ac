import { invalid, nearestName, RequestFields, showValue } from '@tallystick/kernel';

export interface SubscribeOptions {
  /**
   * Where a new name starts: at `now` when absent, or at the oldest stored event. A known name
   * continues where it was.
   */
  readonly from?: 'now' | 'beginning';
  /** Only events of this company. Absent: of every company. */
  readonly company_id?: number | string;
}

const option_names: readonly string[] = ['from', 'company_id'];

/** Refuses (`validation_failed`) what is no object, unknown options, and values that are none. */
export function readSubscribeOptions(options: SubscribeOptions = {}): {
  readonly from: 'now' | 'beginning';
  readonly company_id: number | null;
} {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid({ path: 'options', message: `must be an object, not ${showValue(options)}` });
  }
  const fields = new RequestFields(options);
  for (const name of Object.keys(options)) {
    if (option_names.includes(name)) continue;
    const nearest = nearestName(name, option_names);
    fields.addProblem(name, `is no option; ${nearest === null ? 'there are from and company_id' : `use ${nearest}`}`);
  }
  const { from = 'now' } = options;
  if (from !== 'now' && from !== 'beginning') fields.addProblem('from', 'must be "now" or "beginning"');
  const company_id = fields.readId('company_id');
  // Null would mean every company, which nobody may have meant.
  if (fields.resets('company_id')) fields.addProblem('company_id', 'must be an id, or absent for every company');
  fields.refuseInvalid();
  return { from, company_id };
}

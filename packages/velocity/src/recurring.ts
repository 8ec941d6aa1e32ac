/** The velocity windows of service specification 2.2, case-sensitive. */
export const recurring_values = ['Continuous', 'Daily', 'Weekly', 'Quarterly', 'Monthly', 'Yearly'] as const;

export type Recurring = (typeof recurring_values)[number];

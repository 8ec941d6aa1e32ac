/**
 * How long finished deliveries and the log of attempts are kept unless the operator chooses
 * otherwise, in days of service time. A delivery counts from its end, an attempt from its time.
 * Pending deliveries are never deleted.
 */
export const deliveries_kept_days_default = 30;

/** Retention finds the old consents that nobody authorised. */
export function unauthorisedConsents(): readonly string[] {
  return ['create index consents_never_authorised on consents (created_at_ms) where authorised_at_ms is null'];
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessEnd, authorisation_ms, type Consent, hasAccess, isActive } from '@tallystick/consents';
import { newAccessConsent } from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';

describe('the access that a user gave', () => {
  const instant = fc.integer({ min: 0, max: 2 * authorisation_ms });
  const nullable = fc.option(instant, { freq: 2 });
  const consents = fc
    .record({
      authorised: nullable,
      withdrawn: nullable,
      stopped: nullable,
      revoked: nullable,
      left: nullable,
      deleted: nullable,
      expires: nullable,
    })
    .map(({ authorised, withdrawn, stopped, revoked, left, deleted, expires }): Consent => {
      const after = (at: number | null) => (at === null || authorised === null ? null : authorised + at);
      return {
        id: 1,
        ...newAccessConsent({
          status: authorised === null ? 'AwaitingAuthorisation' : 'Authorised',
          authorised_at_ms: authorised,
          withdrawn_at_ms: after(withdrawn),
          stopped_at_ms: after(stopped),
          tokens_revoked_at_ms: after(revoked),
          tokens_end_at_ms: after(left),
          deleted_at_ms: after(deleted),
          expires_at_ms: after(expires),
        }),
      };
    });

  it('ends with the first of a withdrawal, a stop, a revocation, a deletion, its expiration and 90 days, and stays ended', () => {
    fc.assert(
      fc.property(consents, instant, (consent, at) => {
        const end = accessEnd(consent);
        const { authorised_at_ms, withdrawn_at_ms, stopped_at_ms, tokens_revoked_at_ms, deleted_at_ms, expires_at_ms } =
          consent;
        assert.equal(end === null, authorised_at_ms === null);
        if (end === null) return assert.ok(!hasAccess(consent, at));
        const instants = {
          withdrawn: withdrawn_at_ms,
          stopped: stopped_at_ms,
          tokens_revoked: tokens_revoked_at_ms,
          deleted: deleted_at_ms,
          expired: expires_at_ms,
          lapsed: consent.tokens_end_at_ms ?? authorised_at_ms! + authorisation_ms,
        };
        assert.equal(end.at_ms, instants[end.how]);
        for (const other of Object.values(instants)) assert.ok(other === null || other >= end.at_ms);
        assert.equal(hasAccess(consent, at), at < end.at_ms);
      }),
      propertyParameters({ short: 300, full: 1_000 }),
    );
  });

  it('is over after each end alone, of the consent and of its tokens', () => {
    const given = { status: 'Authorised', authorised_at_ms: 10 } as const;
    const consent: Consent = { id: 1, ...newAccessConsent(given) };
    assert.deepEqual([isActive(consent, 20), hasAccess(consent, 20)], [true, true]);
    for (const end of ['withdrawn', 'stopped', 'tokens_revoked', 'deleted', 'expires'] as const) {
      const ended: Consent = { ...consent, [`${end}_at_ms`]: 15 };
      assert.deepEqual([isActive(ended, 20), hasAccess(ended, 20)], [false, false], end);
    }
  });

  it('is that of a consent in force that was confirmed within 90 days', () => {
    fc.assert(
      fc.property(consents, instant, (consent, at) => {
        // All but the expiration are stored when they happen, so never ahead of the time.
        const { authorised_at_ms, withdrawn_at_ms, stopped_at_ms, tokens_revoked_at_ms, deleted_at_ms } = consent;
        const stored = [withdrawn_at_ms, stopped_at_ms, tokens_revoked_at_ms, deleted_at_ms];
        fc.pre(stored.every((one) => one === null || one <= at));
        const is_confirmed =
          authorised_at_ms !== null && at < (consent.tokens_end_at_ms ?? authorised_at_ms + authorisation_ms);
        assert.equal(hasAccess(consent, at), isActive(consent, at) && is_confirmed);
      }),
      propertyParameters({ short: 300, full: 1_000 }),
    );
  });
});

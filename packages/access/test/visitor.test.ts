import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Area, area_roles, person_roles, roleFor, type Visitor } from '../src/index.ts';

const areas = Object.keys(area_roles) as Area[];
const anyArea = fc.constantFrom(...areas);
const anyRole = fc.constantFrom(...person_roles, 'portal' as const, 'portal_reader' as const);
const anyCompany = fc.option(fc.integer({ min: 1, max: 3 }), { nil: null });
const visitor = (...grants: Visitor['grants']): Visitor => ({ actor: 'person:anna', grants });

describe('a visitor', () => {
  it('may do nothing for a company without a grant for it or for all', () => {
    fc.assert(
      fc.property(anyArea, anyRole, fc.constantFrom('read', 'change'), (area, role, effect) => {
        assert.equal(roleFor(visitor({ role, company_id: 1 }), area, effect, 2), null);
        assert.equal(roleFor(visitor({ role, company_id: 1 }), area, effect, null), null);
        assert.equal(roleFor(visitor(), area, effect, 2), null);
      }),
    );
  });

  it('may do with several grants what one of them permits', () => {
    const grant = fc.record({ role: anyRole, company_id: anyCompany });
    fc.assert(
      fc.property(
        anyArea,
        fc.constantFrom('read', 'change'),
        fc.array(grant),
        anyCompany,
        (area, effect, grants, to) => {
          const alone = grants.map((one) => roleFor(visitor(one), area, effect, to)).filter((role) => role !== null);
          assert.equal(roleFor(visitor(...grants), area, effect, to), alone[0] ?? null);
        },
      ),
    );
  });

  it('that only views changes nothing and sees no card number', () => {
    for (const area of areas) {
      for (const role of ['viewer', 'portal_reader'] as const) {
        for (const company_id of [1, null]) {
          assert.equal(roleFor(visitor({ role, company_id }), area, 'change', company_id), null, area);
        }
        assert.equal(roleFor(visitor({ role, company_id: 1 }), 'card_numbers', 'read', 1), null);
      }
    }
  });

  it('of a portal link has webhooks and events, and nothing else', () => {
    const readable = areas.filter((area) => roleFor(visitor({ role: 'portal', company_id: 1 }), area, 'read', 1));
    const changeable = areas.filter((area) => roleFor(visitor({ role: 'portal', company_id: 1 }), area, 'change', 1));
    assert.deepEqual([readable, changeable], [['events', 'webhooks'], ['webhooks']]);
  });

  it('sends no message of the card network, whatever the role', () => {
    for (const role of person_roles) {
      assert.equal(roleFor(visitor({ role, company_id: null }), 'network_messages', 'change', null), null);
    }
  });
});

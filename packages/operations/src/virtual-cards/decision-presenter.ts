import { authorizationItem, type CardState, type ExplainedDecision, type TriedDecision } from '@tallystick/cards';
import { type FieldChange, toInstantText, type Version } from '@tallystick/kernel';
import type { TemplateState } from '@tallystick/templates';
import { presentConsultation } from '../decision-endpoint/consultations.ts';
import { type Shown, showAs } from '../fields.ts';
import { card_version, explained_decision, template_version, tried_decision } from './decision-shapes.ts';

export function presentExplainedDecision(explained: ExplainedDecision) {
  const { authorization, card, is_applied_anyway, is_reproduced, state, unknown, changed_since, client, ...others } =
    explained;
  return showAs(explained_decision, {
    ...others,
    id: String(authorization.id),
    vcn_id: card.id,
    decided_at: toInstantText(authorization.decided_at_ms),
    client: client === null ? null : presentConsultation(client),
    applied_anyway: is_applied_anyway,
    reproduced: is_reproduced,
    controls: state === null ? null : presentState(state),
    no_longer_known: unknown,
    changed_since: changed_since.map(presentCardVersion),
    authorization: authorizationItem(authorization, card) as Shown<typeof explained_decision>['authorization'],
    type: 'decision',
  });
}

export function presentTriedDecision({ card, at_ms, ...tried }: TriedDecision) {
  return showAs(tried_decision, { ...tried, vcn_id: card.id, at: toInstantText(at_ms), type: 'tried_decision' });
}

export function presentCardVersion(version: Version<CardState>) {
  return showAs(card_version, { ...presentVersion(version), type: 'virtualcard_version' });
}

export function presentTemplateVersion(version: Version<TemplateState>) {
  return showAs(template_version, { ...presentVersion(version), type: 'purchase_template_version' });
}

function presentVersion<State extends object>(one: Version<State>) {
  return {
    version: one.version,
    from: one.began_at_ms === null ? null : toInstantText(one.began_at_ms),
    until: one.ended_at_ms === null ? null : toInstantText(one.ended_at_ms),
    by: one.began_by,
    request_id: one.request_id,
    changes: one.changes?.map(presentChange) ?? null,
    state: presentState(one.state),
  };
}

const in_ms = /_ms$/;

/** The fields of a state, with instants as they are shown elsewhere. */
function presentState(state: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [name.replace(in_ms, ''), presentValue(name, value)]),
  );
}

function presentChange({ name, before, after }: FieldChange) {
  return { name: name.replace(in_ms, ''), before: presentValue(name, before), after: presentValue(name, after) };
}

function presentValue(name: string, value: unknown): unknown {
  return in_ms.test(name) && typeof value === 'number' ? toInstantText(value) : value;
}

import type { ThirdParty } from '@tallystick/consents';
import { toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import { third_party as third_party_shape } from './shapes.ts';

/** A third party as the operator's API shows it. Its keys are public. */
export function presentThirdParty(third_party: ThirdParty) {
  return showAs(third_party_shape, {
    ...third_party,
    id: String(third_party.id),
    jwks: third_party.jwks as Readonly<Record<string, unknown>> | null,
    created_at: toInstantText(third_party.created_at_ms),
    type: 'third_party',
    url: `/operator/v1/third-parties/${third_party.id}`,
  });
}

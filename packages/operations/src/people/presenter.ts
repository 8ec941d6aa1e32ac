import type { Person } from '@tallystick/access';
import { toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import { person } from './shapes.ts';

export function presentPerson(found: Person) {
  return showAs(person, {
    ...found,
    id: String(found.id),
    has_password: found.password_hash !== null,
    has_totp: found.totp_secret_sealed !== null,
    created_at: toInstantText(found.created_at_ms),
    type: 'person',
    url: `/operator/v1/people/${found.id}`,
  });
}

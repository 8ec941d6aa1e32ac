import { maskCardNumbers } from '@tallystick/kernel';

/** `5, but the records make 3, a difference of 2`. */
export function contradiction(stated: bigint, counted: bigint, show: (total: bigint) => string = String): string {
  const text = show(stated);
  const masked = maskCardNumbers(text);
  const difference = show(stated > counted ? stated - counted : counted - stated);
  // The difference and the other total would give away a number that is masked.
  const by = masked === text ? `, a difference of ${difference}` : '';
  return maskCardNumbers(`${masked}, but the records make ${show(counted)}${by}`);
}

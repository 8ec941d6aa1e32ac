/**
 * Whether two byte strings are equal. The time depends only on their lengths, which are not secret.
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= a[at]! ^ b[at]!;
  return difference === 0;
}

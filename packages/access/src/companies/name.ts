/** What is wrong with a name or number that people give to something, or null: 1 to `length_max` characters, none of them a control. */
export function nameFault(name: unknown, length_max: number): string | null {
  if (typeof name !== 'string') return 'must be a string';
  if (name.trim() === '' || name.length > length_max)
    return `must be 1 to ${length_max} characters, not all of them blank`;
  return /\p{Cc}|\p{Cs}/u.test(name) ? 'must have no control characters' : null;
}

/** The value of an option as a whole number. Throws an error with the option's name if it is none. */
export function wholeNumber(option: string, text: string, least = 0): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`${option} ${text}: it must be a whole number of at least ${least}`);
}

/** The value of an option as one of the known names. */
export function oneOf<Name extends string>(option: string, text: string, known: readonly Name[]): Name {
  const name = known.find((one) => one === text);
  if (name === undefined) throw new Error(`${option} ${text}: it must be one of ${known.join(', ')}`);
  return name;
}

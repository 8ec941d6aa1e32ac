import { nearestName } from '@tallystick/kernel';

/** Some of a list by their names: those that are included, or all; without the excluded ones. */
export interface Choice<Name extends string> {
  readonly include?: readonly Name[];
  readonly exclude?: readonly Name[];
}

/** Throws a TypeError for an unknown name, and when nothing is left. `what` names one of the list. */
export function choose<Name extends string, Item extends { readonly name: Name }>(
  what: string,
  items: readonly Item[],
  { include, exclude = [] }: Choice<Name>,
): readonly Item[] {
  const names = items.map(({ name }) => name);
  for (const name of [...(include ?? []), ...exclude]) {
    if (names.includes(name)) continue;
    const nearest = nearestName(name, names);
    const instead = nearest === null ? `the ${what}s are ${names.join(', ')}` : `did you mean ${nearest}?`;
    throw new TypeError(`no ${what} is named ${name}: ${instead}`);
  }
  const left = items.filter(({ name }) => (include?.includes(name) ?? true) && !exclude.includes(name));
  if (left.length === 0) throw new TypeError(`no ${what} is left of those that are included and not excluded`);
  return left;
}

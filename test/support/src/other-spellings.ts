/**
 * Paths that a lenient server would read as this one: a proxy or a host that guards the path by its
 * text does not see them.
 */
export function otherSpellings(path: string): readonly string[] {
  const [, first = '', ...rest] = path.split('/');
  const after = rest.map((part) => `/${part}`).join('');
  const encoded = `%${first.charCodeAt(0).toString(16)}${first.slice(1)}`;
  return [
    `/${encoded}${after}`,
    `/${encoded.toUpperCase()}${after}`,
    path.replace(/[a-z](?=[^a-z]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    `/${first.toUpperCase()}${after}`,
    `/${path}`,
    `/.${path}`,
    `/%2e${path}`,
    `/x/..${path}`,
    ...(after === '' ? [] : [`/${first}/${after}`, `/${first}/.${after}`]),
    `/${first};x${after}`,
    `/${[first, ...rest].join('%2f')}/`,
    `/${[first, ...rest].join('\\')}/`,
    `${path}/`,
    // At the end of an id they name another one.
    ...(/\d$/.test(path) ? [] : [`${path}%20`, `${path}%00`]),
  ];
}

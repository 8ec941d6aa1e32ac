/**
 * Reads the path under which a host mounts the interface: `/cards`, `/bank/cards/`; `/` is the root.
 * Returns it as clients send it: with a slash before each segment, empty at the root, characters
 * beyond ASCII percent-encoded in upper case, as browsers do. Throws a `TypeError` for a text that is
 * no path: without a slash at its start, with a query or a fragment, with an empty segment, or with
 * `.` or `..`.
 */
export function parsePrefix(text: string): string {
  const path = text.replace(/\/$/, '');
  const segments = path.split('/').slice(1).map(decode);
  const is_path = (path === '' || path.startsWith('/')) && !/[?#\\\s]/.test(path);
  const is_plain = segments.every((segment) => segment !== null && !['', '.', '..'].includes(segment));
  if (!is_path || !is_plain) {
    throw new TypeError(`the prefix must be a path such as /cards, not ${JSON.stringify(text)}`);
  }
  return path.replace(/[^!-~]+/g, encodeURIComponent);
}

/**
 * Whether a path as the client sent it is below the prefix. The texts are compared without decoding:
 * a host that guards `/cards/operator` compares them too, and `/%63ards` is another path for it.
 */
export function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

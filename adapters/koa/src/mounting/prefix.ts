/** The path under which a host mounts the interface, as the host's configuration has it. */
export interface Prefix {
  /** With a slash before each segment: `/bank/cards`; empty at the root. In ASCII, for links. */
  readonly text: string;
  /** Decoded. */
  readonly segments: readonly string[];
}

/**
 * Parses a prefix: `/cards`, `/bank/cards/`; `/` is the root. Throws a `TypeError` for a text that
 * is no path: without a slash at its start, with a query or a fragment, with an empty segment, or
 * with `.` or `..`.
 */
export function parsePrefix(text: string): Prefix {
  const path = text.replace(/\/$/, '');
  const segments = path.split('/').slice(1).map(decode);
  const is_path = (path === '' || path.startsWith('/')) && !/[?#\\\s]/.test(path);
  const is_plain = segments.every((segment) => segment !== null && !['', '.', '..'].includes(segment));
  if (!is_path || !is_plain) {
    throw new TypeError(`the prefix must be a path such as /cards, not ${JSON.stringify(text)}`);
  }
  return { text: path.replace(/[^!-~]+/g, encodeURIComponent), segments: segments as string[] };
}

/**
 * Returns how many characters of the path are the prefix, as the client wrote it (a character may be
 * percent-encoded); null when the path is not below the prefix.
 */
export function lengthOfPrefix(path: string, { segments }: Prefix): number | null {
  let length = 0;
  for (const segment of segments) {
    if (path[length] !== '/') return null;
    const slash = path.indexOf('/', length + 1);
    const end = slash < 0 ? path.length : slash;
    if (decode(path.slice(length + 1, end)) !== segment) return null;
    length = end;
  }
  return length;
}

/** Whether a path that a framework has removed ends with the prefix. Express compares without case. */
export function endsWithPrefix(removed: string, { segments }: Prefix): boolean {
  const wanted = `/${segments.join('/')}`.toLowerCase();
  return decode(removed)?.toLowerCase().endsWith(wanted) === true;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

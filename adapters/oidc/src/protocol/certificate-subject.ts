/** Whether two subjects have the same parts (RFC 4514), regardless of spaces and case of names. */
export function isSameSubject(subject: string | undefined, expected: string): boolean {
  return subject !== undefined && partsOf(subject) === partsOf(expected);
}

function partsOf(subject: string): string {
  const parts = subject.split(/(?<!\\),/).map((part) => {
    const at = part.indexOf('=');
    return `${part.slice(0, at).trim().toUpperCase()}=${part.slice(at + 1).trim()}`;
  });
  return parts.join(',');
}

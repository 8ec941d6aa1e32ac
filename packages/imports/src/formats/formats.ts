import { type ClearingFormat, head_bytes } from './clearing-format.ts';

/** The formats of an installation, by name and by what a file begins with. */
export interface Formats {
  readonly names: readonly string[];
  find(name: string): ClearingFormat | null;
  /** The first format that recognises the file; null when none does. */
  detect(head: Uint8Array, file_name: string | null): ClearingFormat | null;
}

/**
 * The formats in the order in which they are tried. A later one of the same name replaces a former.
 */
export function createFormats(formats: readonly ClearingFormat[]): Formats {
  const by_name = new Map(formats.map((format) => [format.name, format]));
  return {
    names: [...by_name.keys()],
    find: (name) => by_name.get(name) ?? null,
    detect(head, file_name) {
      const first = head.subarray(0, head_bytes);
      return [...by_name.values()].find((format) => format.detect(first, file_name)) ?? null;
    },
  };
}

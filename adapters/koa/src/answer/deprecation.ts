/** What an operator announces about the virtual card interface (decision: deprecation). */
export interface Deprecation {
  /** `YYYY-MM-DD`; from its first instant in UTC. */
  readonly deprecated_on: string;
  /**
   * `YYYY-MM-DD`: the interface may be gone from the first instant of this day in UTC; null: it
   * stays.
   */
  readonly sunset_on: string | null;
  /** The address of the interface that replaces it; null: none is named. */
  readonly successor: string | null;
}

/** The headers of an announcement, by name: RFC 9745, RFC 8594 and RFC 5829. */
export type DeprecationHeaders = Readonly<Partial<Record<(typeof deprecation_header_names)[number], string>>>;

export const deprecation_header_names = ['Deprecation', 'Sunset', 'Link'] as const;

export function deprecationHeaders({ deprecated_on, sunset_on, successor }: Deprecation): DeprecationHeaders {
  return {
    Deprecation: `@${startOf(deprecated_on).getTime() / 1000}`,
    ...(sunset_on === null ? {} : { Sunset: startOf(sunset_on).toUTCString() }),
    ...(successor === null ? {} : { Link: `<${successor}>; rel="successor-version"` }),
  };
}

/** Whether a path belongs to the interface that an operator may announce as deprecated. */
export function isOfVirtualCards(path: string): boolean {
  return path === '/v1/virtualcards' || path.startsWith('/v1/virtualcards/');
}

function startOf(date: string): Date {
  return new Date(`${date}T00:00:00Z`);
}

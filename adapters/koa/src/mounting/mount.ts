import type { IncomingMessage, ServerResponse } from 'node:http';
import { nearestName, showValue } from '@tallystick/kernel';
import { hasBody } from '../request/body.ts';
import { isBelow, parsePrefix } from './prefix.ts';

/** Where in its own paths a host mounts the interface. */
export interface MountOptions {
  /**
   * The path before those of the interface: `/cards`, `/bank/cards`. Absent or `/`: none beside
   * what the framework strips.
   */
  readonly prefix?: string | undefined;
  /**
   * The host has removed the prefix from the URL, and nothing in the request says so (Hono's
   * `mount`, a proxy that rewrites paths). Express, connect and koa-mount need it not: what they
   * remove is recognized.
   */
  readonly is_stripped?: boolean | undefined;
}

/** A request as its client sees it: what a host's server and framework changed is undone. */
export interface Mount {
  /** What the client wrote before the path of the interface: `/cards`, or nothing. */
  readonly prefix: string;
  /** Path and query as the client sent them, with the prefix. Signatures cover them. */
  readonly target: string;
  /** Absent: that of the connection. */
  readonly protocol?: 'http' | 'https';
  /** Something else has begun to read the body. */
  readonly is_body_taken: boolean;
  /** Headers that the host has set before. They stay in the answer. */
  readonly host_headers: ReadonlySet<string>;
  /** The path is not below the prefix. */
  readonly is_outside: boolean;
  /** It was accepted before the stop, and arrives in a later turn. */
  readonly is_accepted?: boolean;
}

const mounts = new WeakMap<IncomingMessage, Mount>();

/** Remembers the mount of a request, for all steps of its answer. */
export function recordMount(req: IncomingMessage, mount: Mount): void {
  mounts.set(req, mount);
}

/** Returns the mount of a request of a host; undefined for a request of our own server. */
export function mountOf(req: IncomingMessage): Mount | undefined {
  return mounts.get(req);
}

export function headersSetOn(res: Pick<ServerResponse, 'getHeaderNames'>): ReadonlySet<string> {
  return new Set(res.getHeaderNames());
}

/** The place of a request under its prefix. */
export interface Place extends Pick<Mount, 'prefix' | 'target'> {
  /** Path and query below the prefix. */
  readonly url: string;
}

/** A request as a handler gets it from a host. */
export interface HostTarget {
  readonly url: string;
  /** The URL before the framework removed a part of it; undefined when the framework keeps none. */
  readonly original_url: string | undefined;
}

/**
 * Returns a function that finds the place of each request; null: the request is not below the
 * prefix. Throws a `TypeError` for an unknown option, one of the wrong type, and a prefix that is
 * no path.
 */
export function createPlaceFinder(options: MountOptions): (host: HostTarget) => Place | null {
  refuseWrongOptions(options);
  const { prefix = '/', is_stripped = false } = options;
  const wanted = parsePrefix(prefix);

  const find = ({ url, original_url = url }: HostTarget): Place | null => {
    // Another form (`http://host/path`, `*`) would pass by what a host does to its paths.
    if (!url.startsWith('/')) return null;
    const seen = split(url);
    const sent = split(original_url);
    const removed = removedFrom(sent.path, seen.path);
    const target = sent.path + sent.query;
    const below = (at: string, path: string): Place => ({ prefix: at, target, url: (path || '/') + seen.query });
    if (wanted === '') return below(removed, seen.path);
    if (is_stripped && removed === '') return { ...below(wanted, seen.path), target: wanted + target };
    if (isBelow(seen.path, wanted)) return below(removed + wanted, seen.path.slice(wanted.length));
    return removed.endsWith(wanted) ? below(removed, seen.path) : null;
  };
  return (host) => {
    const place = find(host);
    // A link that began with two slashes would lead to another host.
    return place?.prefix.startsWith('//') ? null : place;
  };
}

const option_types: Readonly<Record<keyof MountOptions, string>> = { prefix: 'string', is_stripped: 'boolean' };

/** A misspelt prefix would serve the interface at the root of the host. */
function refuseWrongOptions(options: MountOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(
      `the options of a mount must be an object such as { prefix: '/cards' }, not ${showValue(options)}`,
    );
  }
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(option_types, name) ? option_types[name as keyof MountOptions] : null;
    if (type === null) {
      const nearest = nearestName(name, Object.keys(option_types));
      const hint = nearest === null ? 'the options are prefix and is_stripped' : `did you mean ${nearest}?`;
      throw new TypeError(`${showValue(name)} is not an option of a mount: ${hint}`);
    }
    if (value !== undefined && typeof value !== type) {
      const expected = type === 'string' ? 'a path such as /cards' : 'true or false';
      throw new TypeError(`the option ${name} of a mount must be ${expected}, not ${showValue(value)}`);
    }
  }
}

/** What a framework removed from the start of a path. Express and connect leave a slash of `/cards`. */
function removedFrom(sent: string, seen: string): string {
  const is_end = sent.endsWith(seen);
  if (!is_end && seen === '/') return sent;
  return is_end ? sent.slice(0, sent.length - seen.length) : '';
}

function split(target: string): { readonly path: string; readonly query: string } {
  const question = target.indexOf('?');
  return question < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, question), query: target.slice(question) };
}

/** Says what to do about a body that the host has read. For the answer and for the log. */
export const taken_body_message =
  'the host application has read the body before Tallystick could: mount Tallystick before the body parser';

/**
 * Whether something else has read from the body, or has begun to: what it takes would be missing
 * here, and the end would never come.
 */
export function isBodyTaken(req: IncomingMessage): boolean {
  if (!hasBody(req)) return false;
  const { readableDidRead, readableEnded, readableFlowing } = req;
  const listeners = req.listenerCount('data') + req.listenerCount('readable');
  return readableDidRead || readableEnded || readableFlowing === true || listeners > 0;
}

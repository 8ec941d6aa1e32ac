/**
 * What is new in a company, as server-sent events:
 *
 *   id: 18
 *   event: news
 *   data: {"break":[18],"event":[17,18]}
 *
 * Each name has the ids of its new events; `card-7` those of one card. All streams of a process share
 * one listener of the event log, which also hears what other processes commit, and one look at their
 * sessions with each heartbeat, and soon after a form, which may have ended some. What is new gathers
 * for half a second, so that a busy company sends few messages. A stream ends after five minutes, and
 * the browser opens another: log-in and roles are checked again. It also ends with its session, when
 * the process stops, and when its browser reads too slowly. A browser that comes back names the last
 * id, and hears what it has missed.
 */
import type { ConsolePorts, NewsEvent } from '../ports.ts';

const gather_ms = 500;
const heartbeat_ms = 15_000;
const stream_ms_max = 5 * 60_000;

/** Streams of one visitor, and of all, in one process. */
const streams_per_visitor_max = 6;
const streams_max = 500;

/** The ids that one message has of a name. More are not needed to know that there are many. */
const ids_max = 50;

/** The names that one message has: a busy company has more cards. */
const names_max = 100;

/** Messages that a browser may leave unread. */
const unread_max = 16;

/** Who listens. */
export interface Listening {
  readonly visitor: string;
  /** The token of the visitor's session; null: a host decides who is logged in. */
  readonly session: string | null;
  readonly company_id: number;
  /** Whether its browser has left. A server that keeps its own side open gets no event of that. */
  readonly isGone: () => boolean;
}

interface Stream extends Listening {
  begin(events: KnownEvents): void;
  tell(name: string, id: number): void;
  /** Sends something through proxies that end what is silent. Ends the stream when nobody reads it. */
  beat(): void;
  end(): void;
}

/** The newest events of the company, and which of them the browser has missed. */
export interface KnownEvents {
  readonly newest_id: number;
  readonly missed: readonly NewsEvent[];
}

/** A stream that hears what happens from now on, and says nothing yet. */
export interface OpenedStream {
  readonly answer: Response;
  /** Sends where the stream is, and what was missed: what is listed after `open` leaves no gap. */
  begin(events: KnownEvents): void;
  end(): void;
}

export interface Live {
  /** The news of a company; null: there are too many streams. */
  open(listening: Listening): OpenedStream | null;
  /** Soon ends the streams whose sessions have ended, with one look however often it is called. */
  lookSoon(): void;
}

type LivePorts = Pick<ConsolePorts, 'news' | 'openSessions' | 'timers' | 'stop' | 'log'>;

export function createLive({ news, openSessions, timers, stop, log }: LivePorts): Live {
  const streams = new Set<Stream>();
  let endShared: (() => void) | null = null;
  let is_looking_soon = false;
  const after = (ms: number, run: () => void) => timers.after(ms, run, { keeps_alive: false });
  const encoder = new TextEncoder();

  function hear(event: NewsEvent): void {
    for (const stream of streams) if (stream.company_id === event.company_id) tellOf(stream, event);
  }

  function tellOf(stream: Stream, { id, event_type, payload }: NewsEvent): void {
    if (event_type === 'reconciliation.break.opened') stream.tell('break', id);
    stream.tell('event', id);
    const card_id = event_type.startsWith('virtualcard.') ? (payload.vcn_id ?? payload.id) : undefined;
    if (card_id !== undefined) stream.tell(`card-${card_id}`, id);
  }

  function endAll(): void {
    for (const stream of streams) stream.end();
  }

  async function endEnded(): Promise<void> {
    const asked = [...streams].flatMap(({ session, end }) => (session === null ? [] : { session, end }));
    try {
      const open = asked.length === 0 ? null : await openSessions(asked.map(({ session }) => session));
      for (const { session, end } of asked) if (open?.has(session) === false) end();
    } catch (error) {
      log.error({ err: error }, 'the sessions of open pages were not read');
    }
  }

  /** Ends the streams whose sessions have ended, and keeps the others open. */
  async function beatAll(): Promise<void> {
    await endEnded();
    for (const stream of streams) stream.beat();
  }

  /** Begins what all streams share. */
  function begin(): () => void {
    const end = news!(hear);
    stop.addEventListener('abort', endAll);
    let cancelBeat: () => void;
    const beat = () => {
      cancelBeat = after(heartbeat_ms, beat);
      void beatAll();
    };
    cancelBeat = after(heartbeat_ms, beat);
    return () => {
      stop.removeEventListener('abort', endAll);
      cancelBeat();
      end();
    };
  }

  function openStream(listening: Listening) {
    let stream!: Stream;
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const gathered = new Map<string, number[]>();
          let last_id = 0;
          let cancelSend = (): void => {};
          const write = (text: string): void => controller.enqueue(encoder.encode(text));
          const send = (): void => {
            write(`id: ${last_id}\nevent: news\ndata: ${JSON.stringify(Object.fromEntries(gathered))}\n\n`);
            gathered.clear();
          };
          const cancelEnd = after(stream_ms_max, () => stream.end());
          stream = {
            ...listening,
            begin({ newest_id, missed }) {
              last_id = Math.max(last_id, newest_id);
              write(`retry: 3000\nid: ${last_id}\nevent: at\ndata: ${last_id}\n\n`);
              for (const event of missed) tellOf(stream, event);
            },
            tell(name, id) {
              const is_first = gathered.size === 0;
              last_id = Math.max(last_id, id);
              const ids = gathered.get(name) ?? [];
              if (ids.length < ids_max && !ids.includes(id)) ids.push(id);
              if (gathered.size < names_max) gathered.set(name, ids);
              if (is_first) cancelSend = after(gather_ms, send);
            },
            beat() {
              if (listening.isGone() || (controller.desiredSize ?? 0) <= 0) stream.end();
              else write(':\n\n');
            },
            end() {
              if (!streams.delete(stream)) return;
              for (const cancel of [cancelSend, cancelEnd]) cancel();
              if (streams.size === 0) {
                endShared?.();
                endShared = null;
              }
              // A stream that its browser has left is closed already.
              try {
                controller.close();
              } catch {}
            },
          };
          streams.add(stream);
          endShared ??= begin();
        },
        cancel: () => stream.end(),
      },
      new CountQueuingStrategy({ highWaterMark: unread_max }),
    );
    return { body, stream };
  }

  return {
    open(listening) {
      for (const stream of streams) if (stream.isGone()) stream.end();
      const own = [...streams].filter(({ visitor }) => visitor === listening.visitor).length;
      if (news === undefined || stop.aborted || streams.size >= streams_max || own >= streams_per_visitor_max)
        return null;
      const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };
      const { body, stream } = openStream(listening);
      return { answer: new Response(body, { headers }), begin: stream.begin, end: stream.end };
    },
    lookSoon() {
      if (streams.size === 0 || is_looking_soon) return;
      is_looking_soon = true;
      after(gather_ms, () => {
        is_looking_soon = false;
        void endEnded();
      });
    },
  };
}

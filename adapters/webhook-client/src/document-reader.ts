import { abortAfter, machine_timers } from '@tallystick/kernel';
import { type ConnectionPorts, explain, guardedAgent, toDialableUrl } from './guarded-agent.ts';

const document_bytes_max = 65_536;
const read_ms_max = 2_500;

/** Reads small documents of others, such as the key sets of third parties. */
export interface DocumentReader {
  /**
   * Reads the document at a URL: over https, without redirects, at most 64 KiB within 2.5 seconds.
   * Rejects with an `Error` that says why. The reason is for the log: it may show to whoever named
   * the URL what is in a private network.
   */
  read(url: string): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

export interface DocumentReaderPorts extends ConnectionPorts {
  /** In milliseconds; 2,500 by default. */
  readonly read_time_ms?: number;
}

/** A reader over undici, with the same guard of addresses as `webhookClient`. */
export function documentReader(ports: DocumentReaderPorts): DocumentReader {
  const { timers = machine_timers, read_time_ms: time_ms = read_ms_max } = ports;
  const agent = guardedAgent(ports, time_ms);
  return {
    async read(text) {
      const url = toDialableUrl(text, ports.guard);
      const { statusCode, body } = await agent
        .request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'GET',
          headers: { accept: 'application/json, application/jwk-set+json' },
          signal: abortAfter(timers, time_ms),
          headersTimeout: time_ms,
          bodyTimeout: time_ms,
        })
        .catch(throwExplained);
      if (statusCode !== 200) {
        body.on('error', () => undefined).destroy();
        throw new Error(`the answer has the status ${statusCode}, not 200`);
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      try {
        for await (const chunk of body) {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes > document_bytes_max) break;
        }
      } catch (error) {
        throwExplained(error);
      }
      if (bytes > document_bytes_max) throw new Error(`the answer is larger than ${document_bytes_max} bytes`);
      return Buffer.concat(chunks);
    },
    close: () => agent.close(),
  };

  function throwExplained(error: unknown): never {
    throw new Error(explain(error, time_ms).detail, { cause: error });
  }
}

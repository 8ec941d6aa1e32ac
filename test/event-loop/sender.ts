/** Sends requests from a thread of its own, whose work is not that of the service. */
import { Agent, request } from 'node:http';
import { parentPort } from 'node:worker_threads';
import type { Sending, Sent } from './turns.ts';

const agent = new Agent({ keepAlive: true });

function send({ url, method, headers, body }: Sending): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, text: text.slice(0, 4_000), length: text.length });
      });
      response.on('error', reject);
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

parentPort!.on('message', (sending: Sending) => {
  send(sending).then(
    (sent) => parentPort!.postMessage(sent),
    (error: Error) => parentPort!.postMessage({ status: 0, text: error.message, length: 0 } satisfies Sent),
  );
});

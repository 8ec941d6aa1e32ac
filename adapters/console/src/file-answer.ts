import type { ResultFile } from '@tallystick/operations';
import type { Visit } from './visit.ts';

/**
 * Answers with the file of an operation as it is written. A long file takes no place of those who
 * wait for pages: the operation bounds how many are written at the same time.
 */
export function fileAnswer(visit: Visit, { media_type, name, pieces }: ResultFile): Response {
  visit.facts.leavePlace();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await pieces.return();
      },
    },
    // A body that is never read, as that of HEAD, begins no file: nobody would end it.
    { highWaterMark: 0 },
  );
  const headers = { 'Content-Type': media_type, 'Content-Disposition': `attachment; filename="${name}"` };
  return new Response(body, { headers });
}

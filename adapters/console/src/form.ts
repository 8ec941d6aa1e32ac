import { Refusal } from '@tallystick/kernel';

/** The most bytes of a form, with its file if it has one. */
const form_bytes_max = 8 * 1024 * 1024;

/** How much of a longer form is received, so that its sender can read the answer. */
const received_bytes_max = 4 * form_bytes_max;

const of_fields = /^application\/x-www-form-urlencoded\b/i;

/**
 * Reads the fields of a form. Refuses (`validation_failed`) what is none, is broken off, or is too
 * long.
 */
export async function readForm(request: Request): Promise<FormData> {
  const type = request.headers.get('content-type') ?? '';
  const bytes = await bytesOf(request.body);
  if (bytes === null) {
    const message = `must have at most ${form_bytes_max / 1024 / 1024} MB: send a larger file to the interface`;
    throw new Refusal('validation_failed', `the form ${message}`);
  }
  try {
    return await new Response(bytes, { headers: { 'Content-Type': type } }).formData();
  } catch {
    throw unreadable('it is not as a browser sends one');
  }
}

/**
 * Reads the fields of a form that anybody may send. Its body has arrived in whole, unlike one in
 * parts: no sender is waited for. Refuses as `readForm` does.
 */
export async function readFields(request: Request): Promise<FormData> {
  if (!of_fields.test(request.headers.get('content-type') ?? '')) throw unreadable('it is not as a browser sends one');
  return await readForm(request);
}

/** The bytes of a body; null: there are too many. Rejects when it is broken off. */
async function bytesOf(body: Request['body']): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of body ?? []) {
      length += piece.length;
      if (length <= form_bytes_max) pieces.push(piece);
      else pieces.length = 0;
      if (length > received_bytes_max) break;
    }
  } catch {
    throw unreadable('it ended too early');
  }
  return length > form_bytes_max ? null : Buffer.concat(pieces);
}

function unreadable(why: string): Refusal {
  return new Refusal('validation_failed', `the form cannot be read: ${why}; reload the page, and try again`);
}

/** The text of a field as it was typed; empty: it has none. */
export function typedTextOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** The text of a field without blanks around it; empty: it has none. */
export function textOf(form: FormData, name: string): string {
  return typedTextOf(form, name).trim();
}

/** The lines of a text that are not blank, without blanks around them. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/).flatMap((line) => line.trim() || []);
}

/**
 * The whole number of a field; null: it is empty. What is no number is passed on, so that the domain
 * says what is wrong with it.
 */
export function wholeOf(form: FormData, name: string): number | string | null {
  const text = textOf(form, name);
  return /^\d{1,9}$/.test(text) ? Number(text) : text || null;
}

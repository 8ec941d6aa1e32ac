import {
  boundElement,
  FileProblem,
  run_bytes_max,
  SourceText,
  type XmlPart,
  XmlTextReader,
  xml_bounds,
} from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';
import { SaxesParser, type SaxesTagPlain } from 'saxes';

export type Attributes = Readonly<Record<string, string>>;

/** What the parts of a message are reported to, with names that have no prefix. */
export interface XmlHandler {
  /** `path`: the names of the elements from the message to this one, joined with `/`. */
  open(path: string, name: string, attributes: Attributes): void;
  /** `text`: what is directly in the element, without white space at its ends. */
  close(path: string, name: string, text: string): void;
}

/**
 * Parses an XML document as a stream, within bounds: no document types, no text, markup or depth
 * without an end. Everything else in it is a `FileProblem`. Reports the messages in it: what is
 * around them, such as an envelope with a header, is skipped.
 */
export class BoundedXml {
  readonly #message: RegExp;
  readonly #handler: XmlHandler;
  readonly #parser = new SaxesParser({
    xmlns: false as const,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  readonly #bytes = new XmlTextReader();
  readonly #paths: string[] = [];
  readonly #texts: string[] = [];
  #is_closed = false;

  readonly #source = new SourceText();
  readonly #refuseHere = (code: string, message: string): never => this.refuse(code, message);
  /** Where the last event was in the text of the whole file. */
  #event_at = 0;

  /** `message`: its first group is the name of a message without a version. */
  constructor(message: RegExp, handler: XmlHandler) {
    this.#message = message;
    this.#handler = handler;
    // No more handlers: the engine compiles the parser well with up to seven.
    const parser = this.#parser;
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('text', (text) => this.#addText(text));
    parser.on('cdata', (text) => this.#addText(text));
    parser.on('closetag', () => this.#close());
    parser.on('doctype', () => this.refuse('doctype_present', 'a document type declaration is not accepted'));
  }

  get received(): number {
    return this.#bytes.received;
  }

  /** Reports the document. Yields bytes of the file after each part. */
  *push(chunk: Uint8Array): Generator<number> {
    for (const part of this.#bytes.push(chunk)) {
      this.#parse(part);
      yield part.end;
    }
  }

  /** Refuses a document that has no end, and bytes after it. */
  finish(): void {
    const { received } = this;
    if (!this.#is_closed) {
      const message = `the file ends at offset ${received}, within the document`;
      throw new FileProblem('truncated', 'file_truncated', message, received);
    }
    if (this.#bytes.finish()) return;
    const message = `bytes follow the document, which ends before offset ${this.#source.end}`;
    throw new FileProblem('refused', 'bytes_after_end', message, this.#source.end);
  }

  /** Bytes from the start of the file to the tag that was just read. */
  tagOffset(): number {
    return this.#source.tagStart(this.#parser.position).offset;
  }

  /** Keeps the text from the tag that was just read. Returns its offset. */
  beginRaw(): number {
    const start = this.#source.tagStart(this.#parser.position);
    this.#source.beginRaw(start);
    return start.offset;
  }

  /** The kept text up to here, of which a long one lacks a part. */
  endRaw(): string {
    return this.#source.endRaw(this.#parser.position);
  }

  /** Refuses the file. The problem is at the offset of the parser or before. */
  refuse(code: string, message: string): never {
    throw new FileProblem('refused', code, maskCardNumbers(message), this.#source.offsetOf(this.#parser.position));
  }

  #parse(part: XmlPart): void {
    this.#source.beginPart(part);
    try {
      this.#parser.write(part.text);
    } catch (problem) {
      // The parser reports what is wrong with the text by an error of the plain class.
      if (!(problem instanceof Error) || problem.constructor !== Error) throw problem;
      const shown = maskCardNumbers(problem.message).slice(0, 200);
      if (this.#is_closed) this.refuse('bytes_after_end', `after the end of the document: ${shown}`);
      this.refuse('xml_malformed', `not well-formed XML: ${shown}`);
    }
    this.#boundEvent(this.#source.endPosition);
    this.#source.endPart();
  }

  #open(tag: SaxesTagPlain): void {
    this.#passEvent();
    const { name: full_name, attributes } = tag;
    boundElement(tag, this.#paths.length + 1, this.#refuseHere);
    const name = full_name.slice(full_name.indexOf(':') + 1);
    const parent = this.#paths.at(-1) ?? '';
    const path = parent === '' ? (this.#message.exec(name)?.[1] ?? '') : `${parent}/${name}`;
    this.#paths.push(path);
    this.#texts.push('');
    if (path !== '') this.#handler.open(path, name, attributes);
  }

  #addText(text: string): void {
    this.#passEvent();
    if ((this.#paths.at(-1) ?? '') === '') return;
    const last = this.#texts.length - 1;
    const whole = this.#texts[last] + text;
    if (whole.length > xml_bounds.text_length) {
      // White space between elements is no text of the element around them.
      if (/[^ \t\r\n]/.test(whole)) {
        this.refuse('text_too_long', `the text of an element is longer than ${xml_bounds.text_length} characters`);
      }
      return;
    }
    this.#texts[last] = whole;
  }

  #close(): void {
    this.#passEvent();
    const path = this.#paths.pop()!;
    const text = this.#texts.pop()!.trim();
    if (path !== '') this.#handler.close(path, path.slice(path.lastIndexOf('/') + 1), text);
    if (this.#paths.length === 0) this.#is_closed = true;
  }

  #passEvent(): void {
    const at = this.#parser.position;
    this.#boundEvent(at);
    this.#event_at = at;
  }

  /** The parser keeps what comes between two events: a text, comments or a tag. */
  #boundEvent(at: number): void {
    if (at - this.#event_at > run_bytes_max) {
      this.refuse('markup_too_long', `a text or markup is longer than ${run_bytes_max} characters`);
    }
  }
}

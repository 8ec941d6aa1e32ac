/** A line of a body, without its end: LF, or CR LF. */
export interface Line {
  /** Counted from 1. */
  readonly line: number;
  /** Null: the line is too long, and its bytes are dropped. */
  readonly content: Buffer | null;
}

/** Divides the bytes of a body into lines, as they arrive. */
export interface LineSplitter {
  /** Returns the lines that end in the piece. They may share its memory. */
  split(piece: Uint8Array): readonly Line[];
  /** Returns the last line if its end is that of the body; null when there is none. */
  end(): Line | null;
}

/** The most parts of a begun line: a sender can make a piece of each byte. */
const parts_max = 64;

const newline = 0x0a;
const carriage_return = 0x0d;

/** Lines of at most `bytes_max`. Between two pieces it keeps no more than that. */
export function createLineSplitter(bytes_max: number): LineSplitter {
  let line = 0;
  /** The begun line: copies of its parts, because pieces may be reused. */
  let parts: Uint8Array[] = [];
  let length = 0;

  function begin(part: Uint8Array): void {
    length += part.length;
    // One byte more than a line has: its end can be CR LF.
    if (length > bytes_max + 1) parts = [];
    else if (part.length > 0) parts.push(Uint8Array.from(part));
    if (parts.length > parts_max) parts = [Buffer.concat(parts)];
  }

  function endWith(part: Buffer): Line {
    line += 1;
    length += part.length;
    const is_whole = length <= bytes_max + 1;
    const joined = !is_whole ? null : parts.length === 0 ? part : Buffer.concat([...parts, part]);
    parts = [];
    length = 0;
    const content = joined?.at(-1) === carriage_return ? joined.subarray(0, -1) : joined;
    return { line, content: content !== null && content.length > bytes_max ? null : content };
  }

  return {
    split(piece) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
      const lines: Line[] = [];
      let from = 0;
      for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
        lines.push(endWith(bytes.subarray(from, at)));
        from = at + 1;
      }
      begin(bytes.subarray(from));
      return lines;
    },
    end: () => (length === 0 ? null : endWith(Buffer.alloc(0))),
  };
}

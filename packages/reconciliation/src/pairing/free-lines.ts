/** Lines in their order, of which each is taken once. To skip all that are taken costs no more. */
export class FreeLines<Line> {
  readonly #lines: Line[] = [];
  /** For each place a later one before which all are taken, or the place itself. */
  readonly #next: number[] = [0];

  add(line: Line): void {
    this.#lines.push(line);
    this.#next.push(this.#lines.length);
  }

  /** The first free line that is allowed, which is taken then; null when there is none. */
  takeFirst(isAllowed: (line: Line) => boolean): Line | null {
    for (let at = this.#freeFrom(0); at < this.#lines.length; at = this.#freeFrom(at + 1)) {
      const line = this.#lines[at]!;
      if (!isAllowed(line)) continue;
      this.#next[at] = at + 1;
      return line;
    }
    return null;
  }

  #freeFrom(from: number): number {
    const next = this.#next;
    let at = from;
    while (next[at] !== at) {
      // Path halving: the next search takes half as many steps.
      next[at] = next[next[at]!]!;
      at = next[at]!;
    }
    return at;
  }
}

import { Groups } from './clusters.ts';

/** Lines in their order, of which each is taken once. To skip all that are taken costs no more. */
export class FreeLines<Line> {
  readonly #lines: Line[] = [];
  /** Places that are taken, each with the next free one as its root. */
  readonly #taken = new Groups();

  add(line: Line): void {
    this.#lines.push(line);
  }

  /** The first free line that is allowed, which is taken then; null when there is none. */
  takeFirst(isAllowed: (line: Line) => boolean): Line | null {
    for (let at = this.#taken.rootOf(0); at < this.#lines.length; at = this.#taken.rootOf(at + 1)) {
      const line = this.#lines[at]!;
      if (!isAllowed(line)) continue;
      this.#taken.join(at, at + 1);
      return line;
    }
    return null;
  }
}

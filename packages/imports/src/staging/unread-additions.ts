import type { FileClearing } from '../formats/clearing-format.ts';
import type { FileLine } from '../statements/statement-items.ts';

/** Counts the stated additions that cannot be read, over the records of one file. */
export class UnreadAdditions {
  readonly #of_name = new Map<string, { records: number; readonly first: number }>();

  add({ unread = [], ordinal }: Pick<FileClearing | FileLine, 'unread' | 'ordinal'>): void {
    for (const name of unread) {
      const found = this.#of_name.get(name);
      if (found === undefined) this.#of_name.set(name, { records: 1, first: ordinal });
      else found.records += 1;
    }
  }

  /** A sentence for each name. */
  get warnings(): readonly string[] {
    return [...this.#of_name].map(([name, { records, first }]) =>
      records === 1
        ? `the ${name} of record ${first} cannot be read and is left out`
        : `the ${name} of ${records} records cannot be read and is left out; the first is record ${first}`,
    );
  }
}

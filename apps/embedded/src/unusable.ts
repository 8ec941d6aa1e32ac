/** The options cannot be used. The message is one sentence for each problem. */
export class UnusableOptions extends Error {
  override readonly name = 'UnusableOptions';
}

/** The database cannot be used as it is. The message says what is wrong and what to do. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

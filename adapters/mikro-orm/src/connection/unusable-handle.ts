/** The handle cannot be used as a database. The message says what to pass. */
export class UnusableHandle extends Error {
  override readonly name = 'UnusableHandle';
}

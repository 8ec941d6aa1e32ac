/** The words of the command line cannot be used. The message is one sentence. */
export class WrongWords extends Error {
  override readonly name = 'WrongWords';
}

/** The request is refused because of load. The same request may succeed later. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

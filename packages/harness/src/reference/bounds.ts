/** The largest amount of a message or of a card, minor units. */
export const amount_max = 10 ** 12;

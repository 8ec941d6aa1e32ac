import { maskCardNumbers } from '@tallystick/kernel';

/** No true sum has more digits. */
const sum_digits_max = 15;

/**
 * `5, but the records make 3, a difference of 2`. A total that could be a card number in a wrong
 * place is masked, and then the difference is not shown, because it would give the number away.
 */
export function contradiction(
  stated: bigint,
  counted: bigint,
  show: (total: bigint) => string = (total) => String(total),
): string {
  const totals = [stated, counted].map(show);
  const shown = totals.map((text) =>
    text.replace(/\D/g, '').length > sum_digits_max ? '(many digits)' : maskCardNumbers(text),
  );
  const are_plain = shown.every((text, at) => text === totals[at]);
  const difference = show(stated > counted ? stated - counted : counted - stated);
  return `${shown[0]}, but the records make ${shown[1]}${are_plain ? `, a difference of ${difference}` : ''}`;
}

/** The digit that makes `digits` followed by it Luhn-valid (ISO/IEC 7812-1, annex B). */
export function luhnCheckDigit(digits: string): string {
  return String((10 - (luhnSum(`${digits}0`) % 10)) % 10);
}

/** Whether the last digit is the check digit of the digits before it. */
export function isLuhnValid(digits: string): boolean {
  return /^[0-9]+$/.test(digits) && luhnSum(digits) % 10 === 0;
}

/**
 * Every second digit from the right, beginning with the second to last, counts double, minus 9 if
 * above 9.
 */
function luhnSum(digits: string): number {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const counted = place % 2 === 0 ? digit : digit * 2;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum;
}

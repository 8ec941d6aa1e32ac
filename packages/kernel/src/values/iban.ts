/** Whether the text has the form of an IBAN (ISO 13616), in capitals and without blanks. */
export function isIbanForm(text: string): boolean {
  return /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(text);
}

/** Whether the text is an IBAN whose check digits are right. */
export function isIban(text: string): boolean {
  if (!isIbanForm(text)) return false;
  let remainder = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    // Letters count as two digits: A is 10, Z is 35.
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

import { html, raw } from 'hono/html';

export { html, raw };

/** HTML, or text that is escaped where it stands. */
export type Content = ReturnType<typeof html> | string | number | null | readonly Content[];

/** Returns HTML where the condition holds; else nothing. */
export function when<Value>(value: Value, show: (value: NonNullable<Value>) => Content): Content {
  return value === null || value === undefined || value === false ? '' : show(value as NonNullable<Value>);
}

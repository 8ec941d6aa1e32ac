/**
 * Which URLs of others the service may call, as far as their text shows. Returns the end of a
 * sentence that begins with the field's name, or null for a URL that is allowed.
 */
export type UrlPolicy = (url: string) => string | null;

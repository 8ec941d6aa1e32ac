import { default_interface_url } from 'tallystick/inversify';

/** The interface's default address. */
export const default_host = '127.0.0.1';
export const default_port = 8080;

/**
 * The value of an option as an address. Throws an error with the option's name if the value is
 * invalid.
 */
export function httpAddress(option: string, text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Error(`${option} ${text} is not an address such as ${default_interface_url}`);
}

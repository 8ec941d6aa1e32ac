import type { Console, ConsolePorts } from '@tallystick/console';

/** Where the console is beside the interface. */
export const console_path = '/console';

/** How visitors of a console log in. */
export type Door = Pick<ConsolePorts, 'identify' | 'log_in'> & {
  /** Whether it opens portal links. */
  readonly opens_portal: boolean;
};

/** Creates a console with its own way to log in. */
export type CreateConsole = (door: Door) => Promise<Console>;

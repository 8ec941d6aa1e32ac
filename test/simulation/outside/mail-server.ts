import { type Mailer, type MailMessage, type MailOutcome, mailer_ms_max } from '@tallystick/cards';
import type { Machine } from '../machine.ts';
import type { World } from '../world.ts';

/** What the mail server does with a message. */
export type MailConduct = 'takes' | 'is_down' | 'refuses_address' | 'hangs' | 'loses_answer';

/** The mail server of the installation. */
export class MailServer {
  conductOf: () => MailConduct = () => 'takes';
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  mailerOf(machine: Machine): Mailer {
    return { send: (message) => this.#send(message, machine), close: async () => {} };
  }

  async #send(message: MailMessage, machine: Machine): Promise<MailOutcome> {
    const { time, random, history, trace } = this.#world;
    if (machine.is_dead) return await new Promise<never>(() => {});
    const conduct = this.conductOf();
    const duration_ms = conduct === 'hangs' ? mailer_ms_max : random.between(1, 500);
    const is_confirmed = conduct === 'takes';
    if (is_confirmed || conduct === 'loses_answer') {
      time.after(random.below(duration_ms), () => {
        trace(`mail to ${message.to}: ${message.subject} ${conduct} ${message.text}`);
        history.mails.push({ at_ms: time.now_ms, ...message, is_confirmed });
      });
    }
    await new Promise<void>((resolve) => void time.after(duration_ms, resolve, machine));
    if (is_confirmed) return { kind: 'taken' };
    return { kind: 'not_taken', error: conduct, for_good: conduct === 'refuses_address' };
  }
}

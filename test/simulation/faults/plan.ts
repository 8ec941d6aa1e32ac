import { faultless_queue } from '../outside/offer-queue.ts';
import type { SeededRandom } from '../random.ts';
import { randomFaults } from '../storage.ts';
import type { World } from '../world.ts';

/** The kinds of faults, by what they strike. A seed has some of them, at its own rates. */
export const fault_names = [
  'storage_rejects',
  'process_dies',
  'process_stands_still',
  'process_restarts',
  'slow_storage',
  'wrong_clocks',
  'lost_answers',
  'repeated_messages',
  'late_messages',
  'bad_receivers',
  'bad_mail_server',
  'bad_handlers',
  'lost_offers',
  'repeated_offers',
  'late_offers',
] as const;

export type FaultName = (typeof fault_names)[number];

/** The faults of a seed: each kind of the allowed ones with a probability of one half. */
export function drawFaults(random: SeededRandom, allowed: readonly FaultName[]): readonly FaultName[] {
  return fault_names.filter((name) => random.branch(name).happens(0.5) && allowed.includes(name));
}

/** Switches the faults on. */
export function beginFaults(world: World, names: readonly FaultName[]): void {
  const random = world.random.branch('faults');
  const has = (name: FaultName): boolean => names.includes(name);
  const rate = (name: string, most: number): number =>
    most * random.branch(`rate of ${name}`).pick([0.01, 0.1, 0.5, 1]);

  const kinds = [
    ...(has('storage_rejects')
      ? [{ at: 'before', kind: 'rejects' } as const, { at: 'after', kind: 'rejects' } as const]
      : []),
    ...(has('process_dies') ? [{ at: 'before', kind: 'dies' } as const, { at: 'after', kind: 'dies' } as const] : []),
  ];
  world.storage_faults.faultOf = randomFaults(random.branch('writes'), { rate: rate('writes', 0.01), kinds });
  if (has('slow_storage')) {
    const slow = random.branch('slow storage');
    const share = rate('slow storage', 0.3);
    const ms_max = slow.pick([5, 50, 2_000]);
    world.storage_faults.latency = () => (slow.happens(share) ? slow.between(1, ms_max) : 0);
  }
  if (has('lost_answers')) world.loses_answer = rate('lost answers', 0.2);
  if (has('repeated_messages')) world.repeats_message = rate('repeated messages', 0.5);
  if (has('late_messages')) world.network_ms_max = random.branch('late').pick([500, 5_000, 25_000]);
  if (has('bad_receivers')) {
    const receivers = random.branch('receivers');
    const share = rate('receivers', 0.6);
    world.receivers.conductOf = () =>
      receivers.happens(share)
        ? receivers.pick(['fails', 'refuses', 'hangs', 'is_late', 'loses_answer', 'is_down'])
        : 'accepts';
  }
  if (has('bad_mail_server')) {
    const mails = random.branch('mails');
    const share = rate('mails', 0.6);
    world.mail_server.conductOf = () =>
      mails.happens(share) ? mails.pick(['is_down', 'refuses_address', 'hangs', 'loses_answer']) : 'takes';
  }
  if (has('bad_handlers')) {
    const handlers = random.branch('handlers');
    const share = rate('handlers', 0.6);
    world.subscribers.conductOf = () =>
      handlers.happens(share)
        ? handlers.pick(['rejects', 'rejects_at_its_end', 'is_slow', 'is_slow_in_its_transaction'])
        : 'handles';
  }
  world.queue.conduct = {
    loses: has('lost_offers') ? rate('lost offers', 0.5) : 0,
    repeats: has('repeated_offers') ? rate('repeated offers', 0.5) : 0,
    delay_ms_max: has('late_offers') ? 10_000 : faultless_queue.delay_ms_max,
  };
}

/** Switches every fault off. */
export function endFaults(world: World): void {
  world.storage_faults.faultOf = () => null;
  world.storage_faults.latency = () => 0;
  world.loses_answer = 0;
  world.repeats_message = 0;
  world.network_ms_max = 20;
  world.receivers.conductOf = () => 'accepts';
  world.mail_server.conductOf = () => 'takes';
  world.subscribers.conductOf = () => 'handles';
  world.queue.conduct = faultless_queue;
}

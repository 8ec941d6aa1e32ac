import { type PlantedBug, withJoined, withStores } from './planted-bug.ts';

export const effect_without_its_position: PlantedBug = {
  name: 'an effect of a handler without its position',
  persistence: withJoined(({ subscriptions }) => ({
    subscriptions: {
      ...subscriptions,
      advance: async (name, lease, { from_id }) =>
        await subscriptions.advance(name, lease, { from_id, to_id: from_id }),
    },
  })),
};

export const event_passed_over: PlantedBug = {
  name: 'an event passed over by a subscription',
  persistence: withStores(({ subscriptions }) => ({
    subscriptions: {
      ...subscriptions,
      async read(...given) {
        const { events, passed_id } = await subscriptions.read(...given);
        return { events: events.filter(({ id }) => id % 5 !== 0), passed_id };
      },
    },
  })),
};

export const template_completed_with_no_change: PlantedBug = {
  name: 'a template completed with no change',
  persistence: withStores(({ templates }) => ({ templates: { ...templates, update: async () => {} } })),
};

import { resetCodeFailures } from '@tallystick/cards';
import { presentCodeFailures } from '@tallystick/operations';
import { type Command, call, idOf } from './command.ts';

export const card_commands: readonly Command[] = [
  {
    name: 'card reset-code-failures',
    argument: 'id',
    summary: 'Forgets the wrong codes of a card, so that its code counts again before the UTC day is over',
    options: {},
    flags: {},
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const { unitOfWork } = await services.persistence();
      const { card, forgotten } = await unitOfWork.run((tx) => resetCodeFailures(tx, call(services), id));
      const named = `${id} (${card.last4})`;
      const text =
        forgotten === 0 ? `Card ${named} has no wrong codes today.` : `The wrong codes of card ${named} are forgotten.`;
      return { data: presentCodeFailures(card), text };
    },
  },
];

import { toInstantText } from '@tallystick/kernel';
import type { VirtualCard } from '@tallystick/operations/resources';
import { type Content, html, when } from '../look/html.ts';
import { choice, field, panel, tick } from '../look/parts.ts';
import { instant } from '../look/values.ts';
import { refusals_to_try } from '../trial/trials.ts';
import type { Visit } from '../visit.ts';

/**
 * The way from a card to a statement, in steps with a form each. The button that stands out is what
 * most people do next. `sent` is the form before.
 */
export function sandboxSteps(visit: Visit, cards: readonly VirtualCard[], sent: FormData | undefined): Content {
  const typed = (doing: string, name: string, preset: string): string =>
    sent?.get('do') === doing ? String(sent.get(name) ?? preset) : preset;
  const usable = [...cards].sort((one, other) => Number(one.frozen) - Number(other.frozen));
  const names = usable.map((card) => [card.id, nameOf(card)] as const);
  // The card that was used last stays chosen.
  const chosen = String(sent?.get('card') ?? '');
  const withCard = (doing: string, button: string, fields: Content): Content =>
    names.length === 0
      ? html`<p class="quiet">Make a card first.</p>`
      : form(
          visit,
          doing,
          button,
          html`${choice({ id: `${doing}-card`, name: 'card', label: 'Card', value: chosen, of: names })}${fields}`,
          doing === 'buy',
        );
  const amount = (doing: string, name: string, label: string, preset: string): Content =>
    field({ name, label, value: typed(doing, name, preset), inputmode: 'decimal', required: true });
  const may_send_files = visit.may('operator.imports.create');
  const may_fill = may_send_files && visit.may('webhooks.create');
  const examples = may_fill
    ? examplesPanel(visit, cards.length === 0)
    : panel('Three weeks of examples', html`<p class="quiet">Needs the role admin: log in again as that person.</p>`);
  return html`${cards.length === 0 ? examples : ''}<div class="columns steps">
${panel(
  '1. Make a card',
  form(
    visit,
    'card',
    'Make a card',
    html`${amount('card', 'limit', 'Limit for each month, USD', '500.00')}${field({ name: 'team', label: 'Whose card', value: typed('card', 'team', 'Field service'), maxlength: 60 })}`,
    names.length === 0 && !may_fill,
  ),
)}
${panel(
  '2. Buy',
  withCard(
    'buy',
    'Buy',
    html`${amount('buy', 'amount', 'Amount, USD', '42.50')}${field({ name: 'merchant', label: 'Merchant', value: typed('buy', 'merchant', 'Corner Grocer'), maxlength: 60 })}`,
  ),
)}
${panel(
  '3. Decline on purpose',
  withCard(
    'decline',
    'Try to buy',
    choice({ name: 'why', label: 'Because', value: typed('decline', 'why', ''), of: refusals_to_try }),
  ),
)}
${panel(
  '4. Clear',
  html`<p>The merchants ask for their money: of all purchases that hold something. One alone is cleared in the list below.</p>
${form(visit, 'clear_all', 'Send a clearing for each')}${when(may_send_files, () => form(visit, 'clearing_file', 'Send them as a file'))}`,
)}
${panel(
  '5. Bank statement',
  may_send_files
    ? form(
        visit,
        'statement',
        'Send the statement',
        html`<p>The bank states what has cleared. Then authorized, cleared and stated are one item, and it matches.</p>${tick('differs', 'One line differs by 0.50: a break')}`,
      )
    : html`<p class="quiet">Needs the role finance or admin.</p>`,
)}
${panel('6. Move the clock', clock(visit))}
</div>
<div class="columns">
${when(visit.may('sandbox.mailbox.list') && cards.length > 0, () =>
  panel('Mail the details of a card', withCard('mail', 'Send the mail', '')),
)}
${cards.length === 0 ? '' : examples}
</div>`;
}

function form(visit: Visit, doing: string, button: string, fields: Content = '', is_next = false) {
  return html`<form method="post" action="${visit.path('/sandbox')}#outcome">${visit.csrf}<input type="hidden" name="do" value="${doing}">${fields}<button${is_next ? '' : html` class="second"`}>${button}</button></form>`;
}

function clock(visit: Visit): Content {
  const moves = [
    ['PT1H', 'One hour'],
    ['P1D', 'One day'],
    ['P1W', 'One week'],
  ] as const;
  return html`<p>It shows ${instant(toInstantText(visit.now_ms))}. Holds, the windows of limits and retries follow this clock.</p>
<div class="actions">${moves.map(([advance, name]) =>
    form(visit, 'clock', name, html`<input type="hidden" name="advance" value="${advance}">`),
  )}</div>`;
}

function examplesPanel(visit: Visit, is_next: boolean): Content {
  return panel(
    'Three weeks of examples',
    form(
      visit,
      'examples',
      'Fill with examples',
      html`<p>Three weeks of purchases with declines, clearings, statements and breaks, and one of each case that needs a person: a suggested match, an act that waits for a second person, a webhook that fails, a file that is held, a clearing in quarantine. It takes some seconds, and moves the clock by three weeks.</p>`,
      is_next,
    ),
  );
}

function nameOf({ id, last4, metadata, frozen }: VirtualCard): string {
  const team = typeof metadata?.team === 'string' ? metadata.team : `Card ${id}`;
  return `${team}, ends in ${last4}${frozen ? ', frozen' : ''}`;
}

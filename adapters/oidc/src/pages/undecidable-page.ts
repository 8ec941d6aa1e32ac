import type { UndecidableReason } from '@tallystick/consents';
import { escapeHtml, type Page } from './layout.ts';
import { type Leave, leaveForm } from './leave-form.ts';

export interface UndecidableShown {
  readonly reason: UndecidableReason;
  readonly leave: Leave;
  readonly leads_to: readonly string[];
}

/** Why the user cannot decide, and what the user can do. Only a user who is logged in sees it. */
export function undecidablePage({ reason, leave, leads_to }: UndecidableShown): Page {
  const name = escapeHtml(leave.third_party_name);
  const { why, what_next } = wordingOf(name)[reason];
  return {
    status: 403,
    title: 'You cannot decide about this request',
    leads_to,
    content: `<p><strong>${why}</strong></p>
<p>${what_next}</p>
<p>Nothing was shared with ${name} in this step, and it does not learn the reason.</p>
${leaveForm(leave, 'first')}`,
  };
}

type Wording = Readonly<Record<UndecidableReason, { readonly why: string; readonly what_next: string }>>;

function wordingOf(name: string): Wording {
  return {
    not_awaiting: {
      why: 'The request is no longer open.',
      what_next: `It was already answered or deleted, or it has expired. To give access, start again at ${name}.`,
    },
    other_user: {
      why: 'Another user allowed this access. Only that user can confirm it again.',
      what_next: `Ask that user to confirm it. To give access to your own accounts, start again at ${name}.`,
    },
    not_eligible: {
      why: 'You or your company cannot use this service of the bank at present.',
      what_next: 'Contact your bank. It can tell you what is missing.',
    },
    no_account: {
      why: 'No account that you may view fits this request.',
      what_next: `Check with ${name} which account it asks for, or ask your bank which accounts you may view.`,
    },
  };
}

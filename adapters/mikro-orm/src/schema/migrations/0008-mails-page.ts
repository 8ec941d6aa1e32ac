/** An operator lists the mails of a state, newest first: few have failed among many that were sent. */
export function mailsPage(): readonly string[] {
  return ['create index mails_page on mails (state, id)'];
}

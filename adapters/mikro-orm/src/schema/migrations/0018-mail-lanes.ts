/** Companies take turns: the due mails of each are found without those of the others. */
export function mailLanes(): readonly string[] {
  return [
    'drop index mails_due',
    `create index mails_due on mails (company_id, due_at_ms, id) where state = 'pending'`,
  ];
}

/**
 * Bugs that a host may have in a store of its own: each is a change of `store.mjs`, the example of
 * docs/harness.md. The suites or the model must find it.
 */
export interface PlantedBug {
  readonly what: string;
  /** The text of the file that is replaced; it occurs once. */
  readonly from: string;
  readonly to: string;
  /** The test that fails by it. Others may fail as well. */
  readonly found_by: string;
}

export const planted_bugs: readonly PlantedBug[] = [
  {
    what: 'a transaction that loses the update of a pass beside it',
    from: 'const turn = writers.then(async () => {',
    to: 'const turn = Promise.resolve().then(async () => {',
    found_by: 'a card that is found for update is locked until the end, so no concurrent change is lost',
  },
  {
    what: 'a pass that keeps what it wrote when it fails, so that a repeated message counts twice',
    from: 'const draft = structuredClone(state);',
    to: 'const draft = state;',
    found_by: 'when one of its writes fails, a pass writes nothing and rejects with a fault',
  },
  {
    what: 'an answer before the commit',
    from: '      state = draft;\n',
    to: '      setImmediate(() => {\n        state = draft;\n      });\n',
    found_by: 'everything that was written is visible once the work has resolved',
  },
  {
    what: 'a window that begins one millisecond late',
    from: 'newCounters(window_start_ms)',
    to: 'newCounters(window_start_ms + 1)',
    found_by: 'a card is read as it was inserted, with its counters at zero',
  },
  {
    what: 'a release of a hold that is dropped',
    from: 'for (const row of changes.authorizations_changed)',
    to: 'for (const { held: _, ...row } of changes.authorizations_changed)',
    found_by: 'the system and the reference model agree',
  },
  {
    what: 'a message that is not compared with earlier ones',
    from: 'const authorizations = [...new Set([...ofCards(draft.authorizations), ...matched])];',
    to: `const isNew = ({ trace_id }) => !lookups.some((lookup) => lookup.trace_id === trace_id);
  const authorizations = [...new Set([...ofCards(draft.authorizations), ...matched])].filter(isNew);`,
    found_by: 'the system and the reference model agree',
  },
  {
    what: 'a clearing that is matched twice',
    from: 'const clearings = [...new Set([...ofCards(draft.clearings), ...draft.clearings.filter(hasId)])];',
    to: 'const clearings = ofCards(draft.clearings).filter((one) => !hasId(one));',
    found_by: 'a clearing is loaded as it was written, for a repeated message on any card or on none',
  },
  {
    what: 'a hold that is voided twice',
    from: '  for (const row of changes.authorizations_changed) put(draft.authorizations, row);\n',
    to: `  for (const row of changes.authorizations_changed) {
    const { counters } = byId(draft.cards, row.card_id);
    const released = byId(draft.authorizations, row.id).held - row.held;
    put(draft.cards, { id: row.card_id, counters: { ...counters, held: Math.max(0, counters.held - released) } });
    put(draft.authorizations, row);
  }
`,
    found_by: 'the system and the reference model agree',
  },
];

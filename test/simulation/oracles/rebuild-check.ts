import { rebuild } from '@tallystick/reconciliation';
import type { World } from '../world.ts';

/** Items that were kept up to date are equal to rebuilt ones. */
export async function checkRebuild(world: World): Promise<void> {
  const [node] = world.nodes;
  if (node === undefined) return;
  const found = await rebuild(node.ports, { company_id: null, check_only: true });
  const { items_different, entries_different, cells_different } = found;
  if (items_different + entries_different + cells_different === 0) return;
  world.report('rebuild', `${items_different} items, ${entries_different} entries and ${cells_different} cells differ`);
}

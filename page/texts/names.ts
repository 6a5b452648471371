/** Words for what the daemon names in capitals. */
import { findText } from './language.ts';

export function kindName(kind: string): string {
  return findText(`kind${kind.charAt(0)}${kind.slice(1).toLowerCase()}`) ?? kind;
}

/** Figures whose quality ends so are the fused answer of all models of the task, the same on every card. */
const FUSED = ', fused';

export function isFused(tier: string): boolean {
  return tier.endsWith(FUSED);
}

export function tierName(tier: string): string {
  const plain = isFused(tier) ? tier.slice(0, -FUSED.length) : tier;
  return findText(`tier_${plain}`) ?? plain;
}

/** Kinds that a pack names and we do not know stay as it names them. */
export function kindOfPictureName(kind: string): string {
  return findText(`kind_${kind}`) ?? kind;
}

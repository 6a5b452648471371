/** Words for what the daemon names in capitals. */
import { findText } from './language.ts';

export function kindName(kind: string): string {
  return findText(`kind${kind.charAt(0)}${kind.slice(1).toLowerCase()}`) ?? kind;
}

/** Keys that somebody types are not those that steer the page. */

/** Fields that take letters get them, and so do players, open dialogs and the browser's own shortcuts. */
export function isTyping({ target, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing) return true;
  if (document.querySelector('dialog:modal, :popover-open') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
  return target.matches('select, textarea, video, audio, [contenteditable]');
}

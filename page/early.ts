/** Runs before anything is painted: a page that starts bright and then turns dark hurts the eye. */
import { applyTheme, storedTheme } from './state/theme.ts';

applyTheme(storedTheme());

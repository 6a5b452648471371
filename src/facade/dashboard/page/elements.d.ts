/** An element of HTML that the library's types do not know yet. */
import type { JSX } from 'preact';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      search: JSX.HTMLAttributes<HTMLElement>;
    }
  }
}

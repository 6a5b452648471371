/** The area to drop files on; other ways to add files lie inside it. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { filesOf } from './dropped.ts';

interface DropZoneProps {
  title: string;
  lead: string;
  onFiles: (files: File[]) => void;
  children: ComponentChildren;
}

export function DropZone({ title, lead, onFiles, children }: DropZoneProps): JSX.Element {
  const [isOver, setOver] = useState(false);
  const drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer !== null) onFiles(await filesOf(event.dataTransfer));
  };
  return (
    <section
      class={isOver ? 'drop over' : 'drop'}
      aria-label={title}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
    >
      <p class="drop-title">{title}</p>
      <p class="quiet">{lead}</p>
      {children}
    </section>
  );
}

/** Files dropped on the page. By default a browser would open them in place of the page, and drafts would be lost. */

import { useEffect, useRef, useState } from 'react';

import { isEditable } from '../ui/focus';

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;

/** Keeps drops from navigating away. Text can still be dropped into text fields. */
export function preventDropNavigation(): () => void {
  const hold = (event: DragEvent) => {
    if (holdsFiles(event) || !(event.target instanceof Element) || !isEditable(event.target)) event.preventDefault();
  };
  document.addEventListener('dragover', hold);
  document.addEventListener('drop', hold);
  return () => {
    document.removeEventListener('dragover', hold);
    document.removeEventListener('drop', hold);
  };
}

/** Takes files dropped anywhere on the page. Returns whether some are being dragged over it. */
export function useDroppedFiles(take: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onOver = (event: DragEvent) => setOver(holdsFiles(event));
    // `relatedTarget` is null only when the pointer leaves the page.
    const onLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (holdsFiles(event)) latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    document.addEventListener('dragover', onOver);
    document.addEventListener('dragleave', onLeave);
    document.addEventListener('drop', onDrop);
    return () => {
      document.removeEventListener('dragover', onOver);
      document.removeEventListener('dragleave', onLeave);
      document.removeEventListener('drop', onDrop);
    };
  }, []);
  return over;
}
